"""The words of a query over plans, such as `chat cost<150 since:14d`, as conditions on columns."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, get_args

from sqlalchemy import ColumnElement, func, or_, select

from fleettui.domain.plan import Verdict
from fleettui.domain.scenario import DTYPE_CHOICES
from fleettui.errors import InputError
from store.identity import timestamp
from store.plan_row import ASKED
from store.tables import PLAN, SCENARIO

Condition = ColumnElement[bool]
ACCEPTED = (
    "words found in handle, name, workload, model, dtype, GPU or tags; cost<150, gpus>=8, rate>=100, ttft<500ms, "
    "tpot<50ms, e2e<30s (also <=, >, =); since:14d, verdict:pass, model:NAME, gpu:h100, dtype:fp8, workload:NAME, "
    "tag:NAME, name:NAME"
)
_COMPARISON = re.compile(r"([a-z0-9_]+)(<=|>=|<|>|=)(.*)")
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
_HANDLE = re.compile(r"[0-9a-f]{3,}")
"""What may be the start of a plan's handle."""
_GPU = re.compile(r"[a-z]+\d+[a-z]*")
"""What may be a type of GPU. Other words are not looked for in fleets, which no index holds."""
_NUMBER = r"(\d+(?:\.\d+)?)"
_SECONDS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}


def conditions(query: str, *, moment: datetime) -> list[Condition]:
    """Return one condition per word, all of which must hold. `moment` is what since: counts back from.

    A plan whose figure is undefined (an infeasible one) meets no comparison of it. Raises InputError for a word
    of a form that is not known.
    """
    return [_condition(word, moment) for word in query.split()]


def _condition(word: str, moment: datetime) -> Condition:
    if match := _COMPARISON.fullmatch(word):
        return _comparison(word, *match.groups())
    key, colon, value = word.partition(":")
    if not colon:
        return _free_text(word)
    if key not in _KEYS or not value:
        raise _refused(word)
    return _KEYS[key](word, value, moment)


def _refused(word: str, accepted: str = ACCEPTED) -> InputError:
    return InputError("not a query word", where="query", value=word, accepted=accepted)


def _comparison(word: str, name: str, sign: str, value: str) -> Condition:
    if name not in _NUMBERS:
        raise _refused(word)
    column, read = _NUMBERS[name]
    condition: Condition = _OPERATORS[sign](PLAN.c[column], read(word, value))
    return condition


def _plain(word: str, value: str) -> float:
    if not re.fullmatch(_NUMBER, value):
        raise _refused(word, "a number, as in cost<150 or gpus>=8")
    return float(value)


def _rate(word: str, value: str) -> float:
    return _plain(word, value.removesuffix("/s"))


def _duration(word: str, value: str) -> float:
    match = re.fullmatch(_NUMBER + r"([a-z]+)", value)
    if not match or match[2] not in _SECONDS:
        raise _refused(word, f"a number with one of the units {', '.join(_SECONDS)}")
    return float(match[1]) * _SECONDS[match[2]]


def _since(word: str, value: str, moment: datetime) -> Condition:
    seconds = _duration(word, value)
    try:
        start = moment - timedelta(seconds=seconds)
    except OverflowError as error:
        raise _refused(word, "a time within the calendar") from error
    return PLAN.c.created >= timestamp(start)


def _verdict(word: str, value: str, _moment: datetime) -> Condition:
    if value not in get_args(Verdict):
        raise _refused(word, "verdict: and one of " + ", ".join(get_args(Verdict)))
    return PLAN.c.verdict == value


def _tag(_word: str, value: str, _moment: datetime) -> Condition:
    each = func.json_each(PLAN.c.tags).table_valued("value")
    return select(1).select_from(each).where(each.c.value == value).exists()


def _gpu(_word: str, value: str, _moment: datetime | None) -> Condition:
    """Return the condition that a plan's fleet has a type of GPU, between the number of them and how they are divided.

    `14 h100 tp2x7 + 8 a100 tp4x2` has two.
    """
    return PLAN.c.fleet.icontains(f" {value} ", autoescape=True)


def _part_of(name: str) -> Callable[[str, str, datetime], Condition]:
    return lambda _word, value, _moment: _contains(name, value)


def _free_text(word: str) -> Condition:
    """Return the condition that a word is found; one that may begin a handle there as well."""
    found = [_contains(name, word) for name in ("name", "workload", "model", "tags")]
    if _GPU.fullmatch(word.lower()):
        found.append(_gpu(word, word, None))
    if _HANDLE.fullmatch(word.lower()):
        found.append(PLAN.c.handle.startswith(word.lower()))
    if word.lower() in DTYPE_CHOICES:
        found.append(_asked_in(word.lower()))
    return or_(*found)


def _asked_in(dtype: str) -> Condition:
    """Return the condition that a plan's question asks for a number format."""
    return (
        select(1)
        .where(SCENARIO.c.digest == PLAN.c.scenario, func.json_extract(SCENARIO.c.body, ASKED["dtype"]) == dtype)
        .exists()
    )


def _dtype(word: str, value: str, _moment: datetime) -> Condition:
    if value not in DTYPE_CHOICES:
        raise _refused(word, "dtype: and one of " + ", ".join(DTYPE_CHOICES))
    return _asked_in(value)


def _contains(name: str, text: str) -> Condition:
    return PLAN.c[name].icontains(text, autoescape=True)


_NUMBERS: dict[str, tuple[str, Callable[[str, str], float]]] = {
    "cost": ("cost_per_hour", _plain),
    "gpus": ("gpus", _plain),
    "rate": ("rate", _rate),
    "ttft": ("ttft", _duration),
    "tpot": ("tpot", _duration),
    "e2e": ("e2e", _duration),
}
_KEYS: dict[str, Callable[[str, str, datetime], Condition]] = {
    "since": _since,
    "verdict": _verdict,
    "dtype": _dtype,
    "tag": _tag,
    "model": _part_of("model"),
    "gpu": _gpu,
    "workload": _part_of("workload"),
    "name": _part_of("name"),
}
