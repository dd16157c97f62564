"""Runs of a look are as long as a proof's only where short ones leave it open and the mean is within the limit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fleettui.domain.plan import LEAST_RUNS, Estimate, Evidence, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolLength
from fleettui.domain.slo import Slo
from fleettui.planning.few_runs import MOST_REQUESTS, RUNS, few_runs
from fleettui.planning.prepared_fleet import FEWEST, SHORTER, PreparedFleet
from fleettui.planning.rounds import Rounds
from tests.planning.trials import evidence, seen, shape

PROOF = 40_000
SHORT = PROOF // SHORTER
QUESTION = Question(slo=Slo(ttft=0.7))
Shown = tuple[float, float, Verdict]
"""The ends of an interval in seconds, and what it proves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Rounds that show what is said of each length, and remember which were asked for."""

    shown: Mapping[int, Shown]
    most: int = 0
    asked: list[tuple[int, int]] = field(default_factory=list)
    source: Any = field(default_factory=lambda: SimpleNamespace(question=QUESTION))

    async def evidence(self, stage: PreparedFleet, *_: object) -> Evidence:
        measured = stage.lengths[0].measured
        self.asked.append((measured, self.most))
        low, high, verdict = self.shown[measured]
        ttft = Estimate(value=(low + high) / 2, low=low, high=high)
        return evidence(verdict, replace(seen("short", None, verdict), ttft=ttft))


def looked(
    shown: Mapping[int, Shown], measured: int = PROOF, *, longer: bool = True, settle: bool = False
) -> tuple[Verdict, list[Any]]:
    """Return what a fleet comes to, and the runs that were asked for: how long and how many."""
    stage = PreparedFleet(
        candidate=shape(2),
        lengths=(PoolLength(warm_up=1, measured=measured, relaxation=1.0),),
        look=(),
        utilization=(0.5,),
        unstable="",
        demand=None,
        reasons=(),
        warnings=(),
    )
    rounds = Drawn(shown=shown)
    none = cast(Any, None)
    found = asyncio.run(few_runs(cast(Rounds, rounds), stage, none, none, longer=longer, settle=settle))
    return found.verdict, rounds.asked


@pytest.mark.parametrize(
    ("short", "verdict"),
    [((0.60, 0.65, "pass"), "pass"), ((0.80, 0.85, "fail"), "fail"), ((0.60, 0.65, "unproven"), "pass")],
)
def test_short_runs_do_where_they_tell(short: Shown, verdict: Verdict) -> None:
    assert looked({SHORT: short}) == (verdict, [(SHORT, RUNS)])


def test_where_the_mean_is_within_the_limit_longer_runs_tell() -> None:
    """Found: a fleet held to 9/s and was not proven up to 17, where runs as long as a proof's held to 11.6."""
    shown: dict[int, Shown] = {SHORT: (0.66, 0.71, "unproven"), PROOF: (0.67, 0.69, "unproven")}
    assert looked(shown) == ("pass", [(SHORT, RUNS), (SHORT, LEAST_RUNS), (PROOF, RUNS)])


def test_a_mean_beyond_the_limit_is_left_open() -> None:
    assert looked({SHORT: (0.69, 0.73, "unproven")}) == ("unproven", [(SHORT, RUNS), (SHORT, LEAST_RUNS)])


def test_a_mean_beyond_the_limit_that_its_interval_includes_is_run_for_longer_where_that_is_wished() -> None:
    """Found: next without the answer's GPUs was at most $11.80/h, where a plan of the others says $8.00."""
    shown: dict[int, Shown] = {SHORT: (0.69, 0.73, "unproven"), PROOF: (0.67, 0.69, "unproven")}
    assert looked(shown, settle=True) == ("pass", [(SHORT, RUNS), (SHORT, LEAST_RUNS), (PROOF, RUNS)])


def test_what_so_many_long_runs_leave_open_goes_on_as_a_proof_does_where_that_is_wished() -> None:
    """Found: five H100 at most, $14.75/h, where a plan proved in more runs that four hold, $11.80."""
    open_: Shown = (0.69, 0.705, "unproven")
    asked = [(SHORT, RUNS), (SHORT, LEAST_RUNS), (PROOF, RUNS), (PROOF, LEAST_RUNS)]
    more = (PROOF, MOST_REQUESTS // (PROOF + 1))
    assert looked({SHORT: open_, PROOF: open_}, settle=True) == ("unproven", [*asked, more])
    assert looked({SHORT: open_, PROOF: open_}) == ("unproven", asked)


def test_what_takes_many_requests_or_is_beyond_the_limit_with_its_interval_is_left_open() -> None:
    short = [(SHORT, RUNS), (SHORT, LEAST_RUNS)]
    assert looked({SHORT: (0.705, 0.73, "unproven")}, settle=True) == ("unproven", short)
    many = 1 + MOST_REQUESTS // LEAST_RUNS
    short = [(many // SHORTER, RUNS), (many // SHORTER, LEAST_RUNS)]
    assert looked({many // SHORTER: (0.69, 0.73, "unproven")}, many, settle=True) == ("unproven", short)


def test_nothing_longer_is_run_where_it_is_not_wished_or_is_as_long() -> None:
    open_: Shown = (0.66, 0.71, "unproven")
    assert looked({SHORT: open_}, longer=False) == ("unproven", [(SHORT, RUNS), (SHORT, LEAST_RUNS)])
    assert looked({FEWEST: open_}, FEWEST) == ("unproven", [(FEWEST, RUNS), (FEWEST, LEAST_RUNS)])
