"""A fleet as a person writes it, in YAML or JSON: the `fleet` object, a file that holds one, or a plan as data."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import PurePath
from textwrap import indent
from typing import Any

from fleettui.domain.dtype import CACHE_DTYPES
from fleettui.domain.engine_settings import PROMPT_STEPS
from fleettui.domain.fleet import Fleet, FleetSketch, PoolProfile, PoolSketch
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.serialization import to_plain
from fleettui.errors import Gathered, InputError, gathering
from fleettui.hardware import catalog
from fleettui.reports import located_yaml, units
from fleettui.reports.located_yaml import Part
from fleettui.reports.plan_json import OF_QUESTION
from fleettui.reports.pool_layout import laid_out
from fleettui.reports.quantity import Quantity
from fleettui.reports.question import question_file, text_forms
from fleettui.reports.question.conversion import Given, Values
from fleettui.reports.question.keys import BY_NAME, FIXED_FLEET_KEYS, GIVEN_FLEET_KEYS, WORKLOAD
from fleettui.reports.question.left_keys import left
from fleettui.reports.question.text_forms import Form, of_quantity
from fleettui.routing import ROUTERS

MOST_POOLS, LONGEST_NAME = 16, 16
EXAMPLE = "pools: [{gpu: h100, tp: 8, replicas: 6}]"
REMEDY = "fleettui simulate --help shows one"
ELSEWHERE = {"role": "leave it out: a file's pools prefill and decode; fleettui disagg PLAN searches pools that do one"}
"""What does instead of keys that pools of a file do not have."""
IN_POOLS = "say it in each pool, beside its gpu"
"""Where a key belongs that stands beside the pools."""

_COUNT = of_quantity(units.COUNT._replace(limit=100_000))
_TOKENS = of_quantity(units.WHOLE_TOKENS._replace(limit=1e9))
_FROM_ZERO = of_quantity(units.WHOLE_TOKENS._replace(zero=True, limit=1e9, accepted="a whole number, 0 or above: 4096"))
_SECONDS = Quantity(
    name="time",
    units={"s": Fraction(1), "ms": Fraction(1, 1000), "us": Fraction(1, 10**6)},
    aliases={"": Fraction(1)},
    accepted="seconds, or a number with a unit: 0.0065, 6.5ms",
)
_STEP, _PER_TOKEN = of_quantity(_SECONDS), of_quantity(_SECONDS._replace(zero=True))


def _read_name(text: str, where: str | None) -> str:
    name = text.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError("this is no name", where=where, value=text, accepted=f"1 to {LONGEST_NAME} characters")
    return name


PROFILE_FORMS: Mapping[str, Form] = {
    "base_step_time": _STEP,
    "time_per_context_token": _PER_TOKEN,
    "time_per_prompt_token": _PER_TOKEN,
    "kv_blocks": of_quantity(units.COUNT._replace(limit=1e9)),
    "front_end": _PER_TOKEN,
    "by_kernels": text_forms.FLAG,
    "api_token": _PER_TOKEN,
    "block_size": of_quantity(units.COUNT._replace(limit=64)),
}
OPEN = frozenset(field.name for field in fields(PoolProfile) if field.default is not MISSING)
"""What a profile may leave out."""
POOL_FORMS: Mapping[str, Form] = {
    "name": Form(_read_name, str),
    "gpu": text_forms.NAME,
    "model": text_forms.MODEL,
    "dtype": text_forms.DTYPE,
    "kv_dtype": text_forms.choice(CACHE_DTYPES),
    "expert_parallel": text_forms.FLAG,
    "tp": text_forms.TP,
    "pp": text_forms.PP,
    "attention_dp": text_forms.FLAG,
    "layout": text_forms.LAYOUT,
    "speculative": text_forms.SPECULATION,
    "replicas": _COUNT,
    "context": _TOKENS,
    "concurrency": _COUNT,
    "max_num_seqs": _COUNT,
    "token_budget": _TOKENS,
    "prompt_steps": text_forms.choice(PROMPT_STEPS),
    "above": _FROM_ZERO,
    "up_to": _TOKENS,
    "spares": of_quantity(units.COUNT._replace(zero=True, accepted="a whole number, 0 or above")),
}
FLEET_FORMS: Mapping[str, Form] = {
    "router": text_forms.member(ROUTERS),
    "router_refresh": BY_NAME["router-refresh"].form,
    "gamma": of_quantity(units.FACTOR),
    "compressible": of_quantity(units.SHARE),
    "admission": BY_NAME["admission"].form,
}
NEEDED = {"gpu": "a name (fleettui gpu list)", "tp": "1, 2, 4, 8", "replicas": units.COUNT.accepted}
OF_POOL = {"tokens_above": "above", "tokens_up_to": "up_to", "as_run": "profile"}
OF_PROFILE = {"step_time_per_context_token": "time_per_context_token"}
"""What JSON of schema 2 calls what a file has."""
AROUND = frozenset(
    {
        "schema",
        "id",
        "gpu_power",
        "command",
        "question",
        *OF_QUESTION,
        *(one.name for one in fields(Answer)),
        *(one.name for one in fields(Candidate)),
    }
)
"""What may stand beside `fleet` or `answer`: a question, and the keys of a plan and of a candidate as data."""
HEAD = """\
# A fleet, and the question that it was simulated under: fleettui simulate FILE
# Options win over the question; what the fleet says itself they cannot change.
"""


def write(fleet: Fleet, values: Values) -> str:
    """Return a fleet with the question that it was simulated under as YAML, for `read` and `read_question`."""
    import yaml

    asked = question_file.short(values, (WORKLOAD, *FIXED_FLEET_KEYS))
    written = yaml.safe_dump({"fleet": to_plain(fleet)}, sort_keys=False)
    return f"{HEAD}\n{written}\nquestion:\n{indent(asked, '  ')}\n"


def read_question(text: str, where: str, errors: Gathered | None = None) -> dict[str, Given]:
    """Return the texts of the question that stands beside a fleet, none where there is none; raises InputError.

    What is wrong with a key is put aside in `errors` where they are given.
    """
    with gathering(errors) as wrong:
        top = located_yaml.read_yaml(text, where, REMEDY, wrong)
        parts = top.value if top is not None and isinstance(top.value, dict) else {}
        asked = parts["question"].value if "question" in parts else None
        texts = question_file.texts_of(asked, where, wrong) if isinstance(asked, dict) else {}
        for name, given in texts.items():
            with wrong.aside():
                if BY_NAME[name] not in (WORKLOAD, *GIVEN_FLEET_KEYS):
                    raise InputError("the fleet decides this, and no question about it", where=given.where)
    return texts


def is_fleet(text: str, where: str) -> bool:
    """Return whether a YAML or JSON text is a fleet's, not a question's; raises InputError where it does not read."""
    top = located_yaml.read(text, where, REMEDY).value
    keys = top if isinstance(top, dict) else {}
    pools = keys["pools"].value if "pools" in keys else None
    return isinstance(pools, list) or "fleet" in keys


def read(text: str, where: str, question: Values | None = None) -> FleetSketch:
    """Return the fleet in `text`; `where` names its file. Raises InputError with file, line, pool and field.

    What it does not say is as the values of a `question` have it, where they say it.
    """
    asked = question or {}
    fleet = _fleet_in(located_yaml.read(text, where, REMEDY), where)
    parts = _mapping(fleet, (*FLEET_FORMS, "pools"), where)
    values = {name: value for name, value in left(asked).items() if name in FLEET_FORMS}
    values |= _values(parts, FLEET_FORMS, where)
    if values.get("gamma", 1.0) < 1:
        place = _place(where, parts["gamma"], "gamma")
        raise InputError("gamma must not be below 1", where=place, value=values["gamma"], accepted="1 or above")
    sketch = FleetSketch(pools=_pools(parts.get("pools"), where, asked), **values)
    _check_lengths(sketch, where)
    return sketch


def place_of(key: str) -> str:
    """Return where a fleet's file says what a question's key says, empty where it does not.

    >>> place_of("admission"), place_of("max-num-seqs"), place_of("budget")
    ("admission: beside pools in the fleet's file", "max_num_seqs: in each pool of the fleet's file", '')
    """
    name = key.replace("-", "_")
    if name in POOL_FORMS:
        return f"{name}: in each pool of the fleet's file"
    return f"{name}: beside pools in the fleet's file" if name in FLEET_FORMS else ""


def as_fields(options: str | None) -> str | None:
    """Return a text with its options as a fleet's file says them.

    >>> as_fields("choose --tp 8; or --gpu b200 --tp 1")
    'choose tp: 8; or gpu: b200, tp: 1'
    """
    return options and re.sub(r"--(\w+) ", r"\1: ", re.sub(r"(--\w+ \w+) (?=--)", r"\1, ", options))


def pool_name(fleet: FleetSketch, index: int) -> str:
    """Return what a refusal calls a pool: its name, or its number from 1."""
    return f"pool {fleet.pools[index].name or index + 1}"


def _fleet_in(top: Part, where: str) -> Part:
    """Return the fleet's part: `top` itself, its key `fleet`, or that of its answer."""
    if not isinstance(top.value, dict):
        return top
    _check_is_fleet(top.value, where)
    if not top.value.keys() & {"fleet", "answer"}:
        return top
    key = "fleet" if "fleet" in top.value else "answer"
    _mapping(top, tuple(AROUND), where)
    inner = top.value[key]
    if key == "fleet":
        return inner
    if inner.value is None:
        raise InputError("this plan has no answer", where=where, remedy="take the fleet of one of its candidates")
    if not isinstance(inner.value, dict) or "fleet" not in inner.value:
        raise _no_mapping(_place(where, inner, key))
    return inner.value["fleet"]


def _check_is_fleet(parts: Mapping[str, Part], where: str) -> None:
    """Raise InputError for a file that says what it is otherwise: a workload's lengths, or a question."""
    if "format" in parts and "pools" not in parts:
        raise InputError(
            "this file is a workload, not a fleet",
            where=where,
            accepted=f"a file with {EXAMPLE}",
            remedy=f"put the fleet's file first: fleettui simulate fleet.yaml {PurePath(where).name}",
        )
    if parts.keys() & {"workload", "workloads"} and "pools" not in parts:
        raise InputError(
            "this file is a question, not a fleet",
            where=where,
            accepted=f"a file with {EXAMPLE}",
            remedy=f"fleettui plan -f {PurePath(where).name} asks it",
        )


def _pools(part: Part | None, where: str, asked: Values) -> tuple[PoolSketch, ...]:
    if part is None or not isinstance(part.value, list) or not 1 <= len(part.value) <= MOST_POOLS:
        place = where if part is None else _place(where, part, "pools")
        raise InputError("a fleet needs a list of pools", where=place, accepted=f"1 to {MOST_POOLS} pools: {EXAMPLE}")
    pools = tuple(_pool(one, index, where, asked) for index, one in enumerate(part.value))
    names = [pool.name for pool in pools if pool.name]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError("two pools have one name", where=_place(where, part, "pools"), value=twice)
    return pools


def _pool(part: Part, index: int, where: str, asked: Values) -> PoolSketch:
    word = f"pool {index + 1}"
    parts = _mapping(_named(part, OF_POOL), (*POOL_FORMS, "profile"), where, word)
    if (name := parts.get("name")) is not None and isinstance(name.value, str):
        word = f"pool {name.value[:LONGEST_NAME]}"
    for needed, accepted in NEEDED.items():
        if needed not in parts:
            raise InputError(f"{needed} is missing", where=_place(where, part, word), accepted=accepted)
    profile = _profile(parts["profile"], where, word) if "profile" in parts else None
    said = _values(parts, POOL_FORMS, where, word)
    said = {name: value for name, value in left(asked, said.get("model")).items() if name in POOL_FORMS} | said
    model = said.get("model", BY_NAME["model"].default)
    said = {"dtype": catalog.published_dtype(model), "kv_dtype": catalog.published_cache(model)} | said
    if "layout" in parts:
        said |= laid_out(said, parts.keys(), lambda name: _place(where, parts[name], word, name))
    return PoolSketch(profile=profile, **said)


def _profile(part: Part, where: str, word: str) -> PoolProfile:
    parts = _mapping(_named(part, OF_PROFILE), tuple(PROFILE_FORMS), where, word, "profile")
    needed = [name for name in PROFILE_FORMS if name not in OPEN]
    missing = [name for name in needed if name not in parts]
    if missing:
        place = _place(where, part, word, "profile")
        raise InputError(f"{missing[0]} is missing", where=place, accepted=f"all of {', '.join(needed)}")
    return PoolProfile(**_values(parts, PROFILE_FORMS, where, word, "profile"))


def _named(part: Part, names: Mapping[str, str]) -> Part:
    """Return a mapping by the keys of a file where it has those of JSON of schema 2, its `gpus` left out."""
    if not isinstance(part.value, dict) or not names.keys() & part.value.keys():
        return part
    told = {names.get(name, name): value for name, value in part.value.items() if name != "gpus"}
    return replace(part, value=told)


def _mapping(part: Part, known: tuple[str, ...], where: str, *words: str) -> dict[str, Part]:
    """Return what a mapping says by key, without what is null; raises InputError at a key that is not known."""
    if not isinstance(part.value, dict):
        raise _no_mapping(_place(where, part, *words))
    for name, value in part.value.items():
        if name not in known:
            elsewhere = IN_POOLS if "pools" in known and name in POOL_FORMS else ELSEWHERE.get(name, "")
            near = [] if elsewhere else difflib.get_close_matches(name, known, n=1)
            remedy = f"did you mean {near[0]}?" if near else elsewhere or REMEDY
            listed = ", ".join(sorted(known) if len(known) > len(POOL_FORMS) + 1 else known)
            accepted = None if near else listed
            raise InputError(
                "unknown key", where=_place(where, value, *words), value=name, accepted=accepted, remedy=remedy
            )
    return {name: value for name, value in part.value.items() if value.value is not None}


def _values(parts: Mapping[str, Part], forms: Mapping[str, Form], where: str, *words: str) -> dict[str, Any]:
    """Return the value of each of `forms` that is said."""
    return {
        name: _value(parts[name], form, _place(where, parts[name], *words, name))
        for name, form in forms.items()
        if name in parts
    }


def _value(part: Part, form: Form, place: str) -> Any:
    if not isinstance(part.value, str):
        raise InputError("this is one value, no list and no mapping", where=place)
    return form.read(part.value, place)


def _check_lengths(fleet: FleetSketch, where: str) -> None:
    """Raise InputError where the pools' lengths, as far as they are said, do not join to one row."""
    if (above := fleet.pools[0].above) is not None and above > 0:
        place = f"{where}, {pool_name(fleet, 0)}, above"
        raise InputError("shorter requests have no pool", where=place, value=above, accepted="0 in the first pool")
    for index, pool in enumerate(fleet.pools):
        place = f"{where}, {pool_name(fleet, index)}"
        if pool.above is not None and pool.up_to is not None and pool.above >= pool.up_to:
            raise InputError("above is not below up_to", where=place, value=(pool.above, pool.up_to))
        if pool.up_to is not None and pool.context is not None and pool.up_to > pool.context:
            what = "up_to is longer than the pool's context"
            raise InputError(what, where=place, value=pool.up_to, accepted=f"up to {pool.context}")
    for index, (lower, upper) in enumerate(pairwise(fleet.pools)):
        place = f"{where}, {pool_name(fleet, index)} and {pool_name(fleet, index + 1)}"
        end = lower.context if lower.up_to is None else lower.up_to
        if end is None:
            accepted = "up_to: 4096 in the first of the two, in words: h100 tp4 x6 to 4096 + tp8 x2"
            raise InputError("where the pools divide is not said", where=place, accepted=accepted)
        if upper.above is not None and upper.above != end:
            what = "the pools' lengths do not join: one's up_to is not the next one's above"
            raise InputError(what, where=place, value=(end, upper.above))
        if upper.up_to is not None and upper.up_to <= end:
            raise InputError("the longer requests come first", where=place, value=(end, upper.up_to))


def _place(where: str, part: Part, *words: str) -> str:
    return ", ".join([where if part.line is None else f"{where} line {part.line}", *words])


def _no_mapping(place: str) -> InputError:
    return InputError("this is no mapping of keys", where=place, accepted=EXAMPLE, remedy=REMEDY)
