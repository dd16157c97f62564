from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.joint import Entry, JointAsked, JointQuestion, Kind, Offered, SharedLimits, kinds_of, stock
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.typed_range import TypedRange
from fleettui.errors import InputError

ASKED = Question(workload="azure-2023-conv", slo=Slo(ttft=0.5))


def entry(name: str) -> Entry:
    return Entry(name=name, question=ASKED)


def test_limits_are_listed_with_what_they_limit() -> None:
    limits = SharedLimits(max_gpus=(("h100", 8),), max_total_gpus=20, budget=60.0, max_power=4e4)
    assert limits.limits() == ((stock("h100"), 8.0), ("gpus", 20.0), ("cost", 60.0), ("power", 4e4))
    assert SharedLimits().limits() == ()


@pytest.mark.parametrize(
    "limit", [{"budget": 0.0}, {"max_power": -1.0}, {"max_total_gpus": 0}, {"max_gpus": (("a", -1),)}]
)
def test_a_limit_that_nothing_keeps_is_refused(limit: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must"):
        SharedLimits(**limit)


def test_a_choice_depends_on_power_only_where_it_is_limited_or_the_aim() -> None:
    entries = (entry("chat"),)
    assert not JointQuestion(name="a", entries=entries).by_power
    assert JointQuestion(name="a", entries=entries, objective="power").by_power
    assert JointQuestion(name="a", entries=entries, limits=SharedLimits(max_power=1e4)).by_power


def test_entries_have_names_of_their_own() -> None:
    with pytest.raises(InputError, match="two workloads have one name"):
        JointQuestion(name="a", entries=(entry("chat"), entry("code"), entry("chat")))


@pytest.mark.parametrize("name", ["", "x" * 40, "two\nlines"])
def test_a_name_is_one_short_line(name: str) -> None:
    with pytest.raises(InputError, match="no workload's name"):
        entry(name)
    with pytest.raises(InputError, match="no joint plan's name"):
        JointQuestion(name=name + "x" * len(name), entries=(entry("chat"),))


@pytest.mark.parametrize("count", [0, 101])
def test_there_are_one_to_a_hundred_entries(count: int) -> None:
    with pytest.raises(InputError, match="no such number of workloads"):
        JointQuestion(name="a", entries=tuple(entry(f"e{i}") for i in range(count)))


def test_the_kinds_of_several_entries_are_merged_by_name() -> None:
    a100, h100, l40s = (
        Kind(name=name, price=price, per_node=size)
        for name, price, size in (("a100", 1.0, 8), ("h100", 2.0, 8), ("l40s", 0.5, 4))
    )
    found = kinds_of(Offered(kinds=kinds, options=(), rate=1.0) for kinds in ((h100, a100), (l40s, h100)))
    assert found == (a100, h100, l40s)


def test_rates_grow_by_one_factor_within_limits_and_not_where_clients_wait() -> None:
    waits = replace(ASKED, demand=Demand(form="concurrency", concurrency=4))
    limits = SharedLimits(max_gpus=(("h100", 8),))
    ranged = replace(ASKED, ranges=(TypedRange(key="rate", low=10.0, high=20.0),))
    asked = JointAsked(
        question=JointQuestion(
            name="a", entries=(entry("chat"), replace(entry("code"), question=ranged)), limits=limits, verify=False
        ),
        rates=(12.0, 20.0),
    )
    grown = asked.at(0.5, verify=True)
    assert [one.question.demand.rate for one in grown.entries] == [6.0, 10.0]
    assert [(one.question.ranges, one.question.verify) for one in grown.entries] == [((), True)] * 2
    assert (grown.verify, grown.limits) == (True, limits)
    assert asked.may_grow
    assert not replace(asked, question=replace(asked.question, limits=SharedLimits())).may_grow
    closed = replace(asked.question, entries=(replace(entry("chat"), question=waits),))
    assert not replace(asked, question=closed, rates=(12.0,)).may_grow
