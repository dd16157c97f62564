"""JSON of schema 2: one name, one meaning, numbers as numbers; made from schema 1, and read back to it.

Schema 1 says one thing in several ways and several things by one name, and its keys stay. What differs, by where it is:

- a fleet: `pools` with `gpu tp pp replicas spares gpus` wherever one is told, in lists and studies too; of a pool
  `tokens_above` and `tokens_up_to` are lengths, `rate_up_to` in a study is requests per second; `as_run` are the speeds
  of a pool at its sequences, whose `step_time_per_context_token` is no hardware's `cache_read_time_per_token`.
- a latency: an object with `value low high` in every pool, by formula too, where the ends are null; one number for the
  whole fleet is `worst_ttft` and the like, one in a study's row `ttft_value`.
- replicas are lists of numbers; `now` and `other` of what decides are values in SI units.
- money is `cost_per_hour`, `cost_per_month` or `price_per_hour`; the watts of GPUs are `gpu_power`; a range of GPUs is
  `gpus_range`; `holds` is yes or no, `holds_share` the share of the cases.
- ids: `id` of what is told, `plan_id`, `parent_id` and `candidate_id` of what it is about; `plan_handle` in a study's
  row is a handle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fleettui.errors import InputError
from fleettui.reports.fleet_words import fleet_in_words
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.schema_two_tables import is_table, table_of_two

NUMBER = 2
CATALOGUED = ("gpu", "model", "engine", "workload")
"""What a command shows whole, and what is elsewhere named."""
LATENCIES = ("ttft", "tpot", "e2e", "wait", "prefill")

Plain = dict[str, Any]
Change = Callable[[Plain], Plain]


def _as_it_is(plain: Plain) -> Plain:
    return plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """An object of schema 1 that has these `keys`: what its keys are called in schema 2, and what else changes.

    `forward` is given it by its names of schema 1 and returns it by those; `backward` undoes that.
    """

    keys: frozenset[str]
    names: Mapping[str, str] = field(default_factory=dict)
    forward: Change = _as_it_is
    backward: Change = _as_it_is

    @property
    def new_keys(self) -> frozenset[str]:
        """The keys that tell it in schema 2."""
        return frozenset(self.names.get(key, key) for key in self.keys)


def schema_two(plain: Plain) -> Plain:
    """Return what a command prints as JSON of schema 1 in schema 2."""
    found: Plain = _walk(plain, _forward)
    return {**found, "schema": NUMBER}


def schema_one(plain: Plain) -> Plain:
    """Return a plan of schema 2 in schema 1; studies and lists are not read back."""
    found: Plain = _walk(plain, _backward)
    return {**found, "schema": 1}


def _walk(value: Any, change: Change) -> Any:
    if isinstance(value, list):
        return [_walk(one, change) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: _walk(one, change) for name, one in change(value).items()}


def _forward(plain: Plain) -> Plain:
    if is_table(plain):
        return table_of_two(plain)
    shape = next((one for one in SHAPES if one.keys <= plain.keys()), None)
    if shape is None:
        return plain
    return {shape.names.get(name, name): value for name, value in shape.forward(plain).items()}


def _backward(plain: Plain) -> Plain:
    shape = next((one for one in SHAPES if one.new_keys <= plain.keys()), None)
    if shape is None:
        return plain
    old = {new: name for name, new in shape.names.items()}
    return shape.backward({old.get(name, name): value for name, value in plain.items()})


def _pool(plain: Plain) -> Plain:
    pp = plain.get("pp", 1)
    return {**plain, "pp": pp, "gpus": plain["tp"] * pp * (plain["replicas"] + plain.get("spares", 0))}


def _pool_back(plain: Plain) -> Plain:
    left = {name: value for name, value in plain.items() if name != "gpus"}
    return {name: value for name, value in left.items() if (name, value) != ("pp", 1)}


def _figures(plain: Plain) -> Plain:
    return {
        name: {"value": value, "low": None, "high": None} if name in LATENCIES else value
        for name, value in plain.items()
    }


def _figures_back(plain: Plain) -> Plain:
    return {
        name: value["value"] if name in LATENCIES and isinstance(value, dict) else value
        for name, value in plain.items()
    }


def _decides(plain: Plain) -> Plain:
    key = BY_NAME.get(plain["name"])
    try:
        values = {} if key is None else {one: key.read(plain[one], None) for one in ("now", "other")}
    except InputError:  # a text that is no value of the key, as where none was given
        return plain
    return {**plain, **{name: value for name, value in values.items() if isinstance(value, int | float | str | None)}}


def _decides_back(plain: Plain) -> Plain:
    key = BY_NAME.get(plain["name"])
    told = {
        one: plain[one] if key is None or isinstance(plain[one], str) else key.write(plain[one])
        for one in ("now", "other")
    }
    return {**plain, **told}


def _row(plain: Plain) -> Plain:
    return {**plain, "fleet": fleet_in_words(plain["fleet"])}


SHAPES = (
    Shape(
        keys=frozenset({"candidate", "fleet", "pools", "gpus_range"}), names={"candidate": "id", "power": "gpu_power"}
    ),
    Shape(
        keys=frozenset({"gpu", "tp", "replicas", "above", "up_to"}),
        names={"above": "tokens_above", "up_to": "tokens_up_to", "profile": "as_run"},
        forward=_pool,
        backward=_pool_back,
    ),
    Shape(
        keys=frozenset({"base_step_time", "time_per_context_token", "kv_blocks"}),
        names={"time_per_context_token": "step_time_per_context_token"},
    ),
    Shape(
        keys=frozenset({"arrival_rate", "utilization", "limited_by", "power"}),
        names={"power": "gpu_power"},
        forward=_figures,
        backward=_figures_back,
    ),
    Shape(
        keys=frozenset({"holds", "span", "cost"}),
        names={"holds": "holds_share", "span": "gpus_range", "cost": "cost_per_hour"},
    ),
    Shape(
        keys=frozenset({"name", "now", "other", "cost"}),
        names={"cost": "cost_per_hour"},
        forward=_decides,
        backward=_decides_back,
    ),
    Shape(keys=frozenset({"rate", "rate_simulated", "cost"}), names={"cost": "cost_per_hour", "rate": "greatest_rate"}),
    Shape(keys=frozenset({"spares", "one_down", "cost"}), names={"cost": "cost_per_hour"}),
    Shape(keys=frozenset({"gpu", "per_hour", "offer"}), names={"per_hour": "price_per_hour"}),
    Shape(keys=frozenset({"per_hour", "purchase", "provider"}), names={"per_hour": "price_per_hour"}),
    Shape(
        keys=frozenset({"fleet", "verdict", "workload", "archived"}),
        names={
            "candidates": "candidate_count",
            "parent": "parent_id",
            "holds": "holds_share",
            **{one: f"worst_{one}" for one in LATENCIES},
        },
        forward=_row,
    ),
    Shape(keys=frozenset({"ttft", "holds"}), forward=_figures, backward=_figures_back),
    Shape(
        keys=frozenset({"heartbeat", "state", "plan"}),
        names={"plan": "plan_id", "candidate": "candidate_id", "finished": "ended"},
    ),
    Shape(keys=frozenset({"kind", "question", "title", "plan"}), names={"plan": "plan_id", "question": "command"}),
    Shape(keys=frozenset({"overhead", "context_time"}), names={"context_time": "cache_read_time_per_token"}),
    Shape(keys=frozenset({"thermal_design_power", "power"}), names={"power": "power_curve"}),
    Shape(keys=frozenset({"kv_bytes_per_token", "power"}), names={"power": "power_law", "evidence": "known_by"}),
    Shape(keys=frozenset({"operator", "evidence"}), names={"evidence": "known_by"}),
    Shape(keys=frozenset({"field", "source", "confidence"}), names={"confidence": "source_confidence"}),
    Shape(keys=frozenset({"command", "points", "plan"}), names={"plan": "plan_handle"}),
    *(Shape(keys=frozenset({"schema", "command", one}), names={one: f"{one}_facts"}) for one in CATALOGUED),
)
"""What differs, the most telling first: an object is the first of them whose keys it has."""
