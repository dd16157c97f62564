"""What `to_wire` makes of a value is read back as pydantic reads it, which checks it all."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import from_plain, later, to_wire
from fleettui.domain.simulation import Replication
from fleettui.domain.study import Study
from fleettui.domain.wire import from_wire, prepare
from fleettui.planning.example import example
from fleettui.workloads.context_limit import Longer
from tests.store import samples


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    width: float
    height: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    shape: Line | Box
    number: int = later(3)
    cap: float | Literal["auto"] | None = None
    sides: Mapping[str, tuple[int, float]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    waits: Sequence[float]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Question, samples.question()),
        (Question, replace(samples.question(), token_budget="auto", power_cap=500)),
        (Answer, samples.answer()),
        (Answer, samples.infeasible()),
        (Answer, example()[0]),
        (Replication, samples.replication()),
        (Study, samples.study()),
    ],
)
def test_a_value_comes_back_as_pydantic_reads_it(kind: type[Any], value: object) -> None:
    plain = to_wire(value)
    assert from_wire(kind, plain) == value
    assert repr(from_wire(kind, plain)) == repr(from_plain(kind, plain))


def test_of_several_values_with_fields_it_is_that_which_has_all() -> None:
    assert from_wire(Drawn, {"shape": {"length": 2}}) == Drawn(shape=Line(length=2.0))
    assert from_wire(Drawn, {"shape": {"width": 2.0}, "number": 4}) == Drawn(shape=Box(width=2.0), number=4)


def test_rows_and_tables_are_of_the_types_that_are_declared() -> None:
    sided = from_wire(Drawn, {"shape": {"length": 2.0}, "cap": 3, "sides": {"left": [1, 2]}})
    assert repr((sided.cap, sided.sides)) == "(3.0, {'left': (1, 2.0)})"
    assert from_wire(Drawn, {"shape": {"length": 2.0}, "cap": "auto"}).cap == "auto"
    assert from_wire(list[Line | None], [{"length": 1}, None]) == [Line(length=1.0), None]
    assert from_wire(Given, {"waits": [math.inf, 2]}) == Given(waits=(math.inf, 2.0))


def test_a_tuple_with_names_comes_back() -> None:
    assert from_wire(Longer, to_wire(Longer(0.25, 3))) == Longer(0.25, 3)


def test_what_no_pipe_carries_is_refused() -> None:
    prepare(NewPlan)
    with pytest.raises(AssertionError, match="do not cross a pipe"):
        prepare(set[str])
