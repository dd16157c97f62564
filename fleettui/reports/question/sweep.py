"""What a sweep moves, from its text to its points: `rate=50/s:400/s:8`, `gpu=h100,a100`, `price=h100=2:4:5`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

from fleettui.domain.length_factors import Lengths
from fleettui.domain.scenario import Question
from fleettui.domain.study import Quantity
from fleettui.domain.whatif import Axis, Point, Sweep
from fleettui.domain.whole import whole
from fleettui.errors import InputError, UnknownNameError
from fleettui.reports.question import conversion
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.question.range_text import in_unit_of
from fleettui.reports.question.text_forms import FACTOR

WHERE = "--sweep"
EXAMPLE = "rate=50/s:400/s:8 (low:high:points), rate=50/s,100/s, gpu=h100,a100, price=h100=2:4:5"
MOST_POINTS = 100
LENGTHS = {"prompt-length": "prompt", "output-length": "output"}
"""Factors on the lengths of all requests as recorded, which leave the question and its workload as they are."""
CUTTING = frozenset({"context", "model"})
"""Keys that decide which requests are too long to be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moved:
    """A key with the name that it is set for, and its values as a question holds them."""

    key: str
    item: str
    values: tuple[Any, ...]

    @property
    def axis(self) -> Axis:
        """Return it as it is shown."""
        quantity = _quantity(self.key)
        shown = (_number(value) if quantity != "text" else BY_NAME[self.key].write(value) for value in self.values)
        return Axis(name=f"{self.key} {self.item}".strip(), quantity=quantity, values=tuple(shown))


def read(texts: Sequence[str], question: Question) -> Sweep:
    """Return the grid of all `texts`, each `key=low:high:points` or `key=value,value`, around `question`.

    Raises InputError for an unknown key, an empty range, a value that does not read, and above 100 points.
    """
    if not texts:
        raise InputError("nothing is swept", where=WHERE, accepted=EXAMPLE)
    moved = [_read_one(text) for text in texts]
    names = [(one.key, one.item) for one in moved]
    if len(set(names)) < len(names):
        raise InputError("a key is swept twice", where=WHERE, value=", ".join(texts))
    count = math.prod(len(one.values) for one in moved)
    if count > MOST_POINTS:
        raise InputError("too many points", where=WHERE, value=count, accepted=f"up to {MOST_POINTS} in all")
    for one in moved:
        _check_together(one, question)
    forms = {key.demand for one in moved if (key := BY_NAME.get(one.key)) is not None and key.demand}
    if len(forms) > 1:
        raise InputError("two forms of demand exclude each other", where=WHERE, value=", ".join(texts))
    axes = tuple(one.axis for one in moved)
    shown = product(*(axis.values for axis in axes))
    points = product(*(one.values for one in moved))
    return Sweep(
        axes=axes,
        points=tuple(_point(question, moved, at, told) for at, told in zip(points, shown, strict=True)),
    )


def _read_one(text: str) -> _Moved:
    name, equals, rest = text.partition("=")
    key = name.strip().lower().replace("_", "-")
    known = [*(one.name for one in BY_NAME.values() if one.is_swept), *LENGTHS]
    if not equals:
        raise InputError("this is no key=values", where=WHERE, value=text, accepted=EXAMPLE)
    if key not in known:
        raise UnknownNameError(
            "key to sweep", name.strip(), known, where=WHERE, listing="fleettui plan --write-question"
        )
    where, item = f"{WHERE} {key}", ""
    if key in BY_NAME and BY_NAME[key].form.several == "named":
        item, equals, rest = rest.partition("=")
        item = item.strip().lower()
        if not equals or not item:
            accepted = f"{key}={BY_NAME[key].example.partition('=')[0]}=low:high:points"
            raise InputError("the name is missing", where=where, value=text, accepted=accepted)
    values = _values(key, item, rest, where)
    if len(set(values)) < len(values):
        raise InputError("a value stands twice", where=where, value=rest)
    return _Moved(key=key, item=item, values=values)


def _values(key: str, item: str, text: str, where: str) -> tuple[Any, ...]:
    parts = text.split(":")
    if len(parts) > 1:
        has_range = _quantity(key) != "text"
        if len(parts) != 3 or not has_range:
            accepted = "low:high:points" if has_range else "values with commas"
            raise InputError("this is no range", where=where, value=text, accepted=accepted)
        return _range(key, item, parts, where)
    words = [word.strip() for word in text.split(",")]
    if len(words) > MOST_POINTS:
        raise InputError("too many points", where=where, value=len(words), accepted=f"up to {MOST_POINTS} in all")
    if _quantity(key) != "text" and len(words) > 1:
        once = [in_unit_of(words[-1], word) for word in words]
        found = tuple(_value(key, item, word, where) for word in once)
        if all(_number(one) < _number(other) for one, other in pairwise(found)):  # 300,1s is no 300 s
            return found
    return tuple(_value(key, item, word, where) for word in words)


def _range(key: str, item: str, parts: Sequence[str], where: str) -> tuple[Any, ...]:
    """Return evenly spaced values from low to high, whole ones where the key has whole values."""
    text = ":".join(parts)
    first, last = (part.strip() for part in parts[:2])
    low, high = _value(key, item, in_unit_of(last, first), where), _value(key, item, last, where)
    word = parts[2].strip()
    if not 2 <= (count := whole(word) or 0) <= MOST_POINTS:
        raise InputError(
            "this is no number of points",
            where=where,
            value=word or text,
            accepted=f"low:high:points, 2 to {MOST_POINTS}",
        )
    ends = _number(low), _number(high)
    if ends[0] >= ends[1]:
        raise InputError("the range is empty", where=where, value=text, accepted="low below high: " + EXAMPLE)
    inner = (ends[0] + (ends[1] - ends[0]) * at / (count - 1) for at in range(1, count - 1))
    if isinstance(ends[0], int):
        inside = dict.fromkeys(round(value) for value in inner)
        return (low, *(_like(low, value) for value in inside if ends[0] < value < ends[1]), high)
    return (low, *(_like(low, float(f"{value:.12g}")) for value in inner), high)


def _value(key: str, item: str, text: str, where: str) -> Any:
    """Return one value as the question holds it."""
    if key in LENGTHS:
        return FACTOR.read(text, where)
    found = BY_NAME[key]
    plain = text.replace("+", ",") if found.form.several == "in a row" else text
    value = found.read(f"{item}={text}" if item else plain, where)
    if value is None or (isinstance(value, str) and found.quantity != "text"):
        raise InputError("this is no figure", where=where, value=text, accepted=f"such as {found.example}")
    return value


def _quantity(key: str) -> Quantity:
    """Return what the values of a key, or of a factor on lengths, are."""
    return FACTOR.quantity if key in LENGTHS else BY_NAME[key].quantity


def _number(value: Any) -> float:
    """Return the number inside ((name, number),) or (number, number)."""
    while isinstance(value, tuple):
        value = value[-1]
    assert isinstance(value, int | float), f"{value!r} is no number"
    return value


def _like(example: Any, number: float) -> Any:
    """Return `number` in the form that `example` has."""
    if not isinstance(example, tuple):
        return number
    return ((example[0][0], number),) if isinstance(example[0], tuple) else (number, number)


def _check_together(moved: _Moved, question: Question) -> None:
    """Raise InputError where the question has no use for the key."""
    key = BY_NAME.get(moved.key)
    if key is not None and key.demand and key.demand not in (key.name, question.demand.form):
        raise InputError(
            f"it goes with --{key.demand}, which the plan does not have", where=f"{WHERE} {moved.key}", value=key.name
        )
    if moved.key == "users" != question.demand.form:
        raise InputError(
            "the plan does not say how often a user asks",
            where=f"{WHERE} users",
            remedy="plan anew with --users and --requests-per-user",
        )
    if moved.key in CUTTING and question.drop_longer:
        raise InputError(
            "the plan's workload was cut to its context: other requests would be left out",
            where=f"{WHERE} {moved.key}",
            remedy="plan anew with it",
        )


def _point(question: Question, moved: Sequence[_Moved], at: Sequence[Any], shown: tuple[Any, ...]) -> Point:
    values, planned = conversion.to_values(question), question.lengths
    factors = {name: getattr(planned, name) for name in LENGTHS.values()}
    for one, value in zip(moved, at, strict=True):
        if one.key in LENGTHS:
            factors[LENGTHS[one.key]] = value
        elif one.item:
            others = dict(values.get(one.key, ()))
            values[one.key] = tuple(sorted((others | dict(value)).items()))
        else:
            if BY_NAME[one.key].demand == one.key:
                values = {name: kept for name, kept in values.items() if BY_NAME[name].demand in ("", one.key)}
            values[one.key] = value
    return Point(values=shown, question=conversion.to_question(values), lengths=Lengths(**factors).over(planned))
