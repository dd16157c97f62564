"""Every limit that a fleet is held to: what it comes to, what is allowed, and the room left in the limit's own unit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fleettui.domain.fleet import WATERMARK, Pool, counted
from fleettui.domain.limit import TPOT, TTFT
from fleettui.domain.meter import feed
from fleettui.domain.plan import Candidate, Estimate, PoolEvidence, PoolFigures
from fleettui.domain.scenario import Question
from fleettui.domain.study import Declared, Quantity, StudyTable, table_of
from fleettui.optimize.costs import taken_by_fleet
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.reasons.inputs import Ground
from fleettui.optimize.terms import Terms
from fleettui.queueing.latency import PoolLoad

FLEET = "fleet"
"""The place of a limit on all pools together."""
ROUNDING = 1e-9
UTILIZATION = "utilization"
LABELS = {TPOT.name: "TPOT (decode)"}
"""What a limit is called here, where that is not its label."""
FAMILIES: tuple[tuple[Quantity, str], ...] = (
    ("seconds", "limits on latency"),
    ("share", "limits on load"),
    ("tokens", "limits on memory"),
    ("number", "places"),
    ("count", "limits on GPUs"),
    ("dollars per hour", "limit on money"),
    ("watts", "limit on power"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitCheck:
    """One limit in SI units. `seen` is the simulated estimate where there is one; it decides before `value` does.

    `part` marks a figure that is only a part of what is limited, such as the wait within TTFT. `label` is what a table
    of pools calls a latency.
    """

    place: str
    name: str
    unit: Quantity
    value: float
    most: float
    seen: Estimate | None = None
    part: bool = False
    label: str = ""

    @property
    def room(self) -> float:
        """What is left, from the upper end of the simulated interval where there is one, else from the formula."""
        return self.most - self._decides

    @property
    def holds(self) -> bool:
        """Whether the limit is kept."""
        return self._decides <= self.most * (1.0 + ROUNDING)

    @property
    def excess(self) -> float:
        """How far the limit is exceeded, as a share of it; negative where it is kept.

        Of what was simulated the value tells it, and the upper end of its interval where that alone is too much.
        """
        if not self.most:
            return float("inf")
        return (self.figure if self.figure > self.most else self._decides) / self.most - 1.0

    @property
    def figure(self) -> float:
        """What it comes to, as simulated where it was, else by formula."""
        return self.value if self.seen is None or self.seen.value is None else self.seen.value

    @property
    def how(self) -> str:
        """How the figure is known."""
        return "by formula" if self.seen is None or self.seen.value is None else "as simulated"

    @property
    def _decides(self) -> float:
        return self.figure if self.seen is None or self.seen.high is None else self.seen.high


def limits(ground: Ground, fixed: ScoredFleet) -> tuple[LimitCheck, ...]:
    """Return every limit on a scored fleet with what a simulation saw of it: by pool, then those on the whole fleet."""
    evidence = ground.seen(fixed.candidate.fleet)
    taken = taken_by_fleet(fixed.candidate.fleet, ground.profiles, whole_nodes=ground.question.whole_nodes)
    found: list[LimitCheck] = []
    for place, pool in enumerate(fixed.candidate.fleet.pools):
        seen = None if evidence is None else evidence.pools[place]
        load, figures = ground.load(fixed, place), fixed.candidate.pools[place]
        found += [*_latencies(figures, ground.terms, seen), *_work(load, figures, ground.terms, seen)]
        found += _memory(load, pool)
    return (*found, *_of_fleet(fixed.candidate, ground.question, taken))


def broken(found: Sequence[LimitCheck]) -> tuple[LimitCheck, ...]:
    """Return the limits that are not kept, utilization first: a pool that drowns has no latency to speak of."""
    wrong = [one for one in found if not one.holds and not one.part]
    return tuple(sorted(wrong, key=lambda one: one.name != UTILIZATION))


def worst(wrong: Sequence[LimitCheck]) -> LimitCheck:
    """Return the limit that is exceeded by the largest share of it that is a number."""
    return max(wrong, key=lambda one: one.excess if finite(one.excess) is not None else -1.0)


def told(limit: LimitCheck) -> str:
    """Return a limit in words, in SI units, with the interval of what was simulated."""
    where = "" if limit.place == FLEET else f" of pool {limit.place}"
    seen = limit.seen
    ends = "" if seen is None or seen.low is None or seen.high is None else f" [{seen.low:.3g}, {seen.high:.3g}]"
    return f"{limit.name}{where}: {in_unit(limit, limit.figure)}{ends}, limit {in_unit(limit, limit.most)}"


def in_unit(limit: LimitCheck, value: float) -> str:
    """Return a value of what is limited in words, in SI units."""
    if limit.unit == "count" and math.isfinite(value):
        return counted(value)
    unit = {"seconds": " s", "watts": " kW", "tokens": " tokens"}.get(limit.unit, "")
    sign, over = "$" if limit.unit == "dollars per hour" else "", 1e3 if limit.unit == "watts" else 1.0
    return "without end" if value == float("inf") else f"{sign}{value / over:.3g}{unit}"


def tables(found: Sequence[LimitCheck]) -> tuple[StudyTable, ...]:
    """Return a table per unit, for every limit a row."""
    made = []
    for unit, title in FAMILIES:
        rows = [one for one in found if one.unit == unit]
        if rows:
            made.append(_table(title, unit, rows))
    return tuple(made)


def _table(title: str, unit: Quantity, found: Sequence[LimitCheck]) -> StudyTable:
    simulated = any(one.seen is not None for one in found)
    seen: list[Declared[LimitCheck]] = [("simulated", unit, lambda one: one.seen.value if one.seen else None)]
    return table_of(
        title,
        found,
        ("pool", "text", lambda one: one.place),
        ("limit", "text", lambda one: one.name),
        ("formula", unit, lambda one: finite(one.value)),
        *(seen if simulated else []),
        ("at_most", unit, lambda one: one.most),
        ("room", unit, lambda one: finite(one.room)),
        note="room is to the upper end of the simulated interval, where there is one" if simulated else "",
    )


def finite(value: float) -> float | None:
    """Return a figure, None where it is infinite: a pool that does not keep up has no latency."""
    return value if abs(value) != float("inf") else None


def _latencies(figures: PoolFigures, terms: Terms, seen: PoolEvidence | None) -> list[LimitCheck]:
    made = []
    for limit in terms.limits:
        rows = [(LABELS.get(limit.name, limit.label), figures.at(limit), None if seen is None else seen.at(limit))]
        if limit.name == TTFT.name:
            rows += [("wait within TTFT", figures.wait, None), ("prefill within TTFT", figures.prefill, None)]
        made += [
            LimitCheck(
                place=figures.name,
                name=name,
                unit="seconds",
                value=value,
                most=limit.seconds,
                seen=estimate,
                part=place > 0,
                label=limit.label,
            )
            for place, (name, value, estimate) in enumerate(rows)
        ]
    return made


def _work(load: PoolLoad, figures: PoolFigures, terms: Terms, seen: PoolEvidence | None) -> list[LimitCheck]:
    o = load.occupancy
    estimate = None if seen is None else Estimate(value=seen.utilization)
    rows = (
        (UTILIZATION, figures.utilization, terms.max_utilization, estimate),
        ("busy by places", float(o.by_sequences[0]), terms.max_utilization, None),
        ("busy by token budget", float(o.by_budget[0]), terms.max_utilization, None),
        *([("busy by API process", float(o.by_api[0]), terms.max_utilization, None)] if o.by_api[0] > 0.0 else []),
        ("time in prefill", float(o.prefill_share[0]), 1.0, None),
    )
    return [
        LimitCheck(
            place=figures.name,
            name=name,
            unit="share",
            value=value,
            most=most,
            seen=own,
            part=name != UTILIZATION,
        )
        for name, value, most, own in rows
    ]


def _memory(load: PoolLoad, pool: Pool) -> list[LimitCheck]:
    room = (1.0 - WATERMARK) * pool.profile.block_size * pool.profile.kv_blocks
    starved = pool.concurrency < pool.settings.places(pool.pp, pool.drafting.width)
    places = "sequences at once, by KV memory" if starved else "sequences at once, by engine"
    batch = float(load.occupancy.batch[0])
    return [
        LimitCheck(
            place=pool.name,
            name="longest request",
            unit="tokens",
            value=float(load.ranges.longest[load.rows[0]]),
            most=room,
        ),
        LimitCheck(place=pool.name, name=places, unit="number", value=batch, most=float(pool.concurrency), part=True),
    ]


def _of_fleet(candidate: Candidate, question: Question, taken: Mapping[str, int]) -> list[LimitCheck]:
    made = []
    for gpu, most in question.max_gpus:
        made.append(_fleet(f"inventory of {gpu}", "count", taken.get(gpu, 0), most))
    if question.max_total_gpus is not None:
        made.append(_fleet("GPUs in all", "count", sum(taken.values()), question.max_total_gpus))
    if question.budget is not None:
        made.append(_fleet("budget", "dollars per hour", candidate.cost_per_hour, question.budget))
    if question.max_power is not None:
        made.append(_fleet("power", "watts", candidate.power, question.max_power))
    if question.max_feed is not None:
        made.append(_fleet("feed", "watts", feed(question, candidate.power, candidate.gpus), question.max_feed))
    return made


def _fleet(name: str, unit: Quantity, value: float, most: float) -> LimitCheck:
    return LimitCheck(place=FLEET, name=name, unit=unit, value=value, most=most)


def gpus_of(candidate: Candidate, gpu: str) -> int:
    """Return how many GPUs of one type a fleet has."""
    return sum(pool.gpus for pool in candidate.fleet.pools if pool.gpu == gpu)
