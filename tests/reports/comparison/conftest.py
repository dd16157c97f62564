"""Plans to compare: two that are simulated, one that only the formula knows."""

import dataclasses
from collections.abc import Callable

import pytest

from fleettui.domain.plan import Answer, Candidate, Estimate, Verdict
from fleettui.domain.scenario import Question
from fleettui.reports.comparison.model import Compared
from tests.reports.conftest import simulated, two_pools

Make = Callable[..., Compared]


def at(fleet: Candidate, ttft: float, half: float | None) -> Candidate:
    """Return the fleet, simulated, with `ttft` in each pool give or take `half`, without an interval where None."""
    assert fleet.evidence is not None
    seen = Estimate(value=ttft) if half is None else Estimate(value=ttft, low=ttft - half, high=ttft + half)
    pools = tuple(dataclasses.replace(pool, ttft=seen) for pool in fleet.evidence.pools)
    return dataclasses.replace(fleet, evidence=dataclasses.replace(fleet.evidence, pools=pools))


@pytest.fixture
def make(answer: Answer, question: Question) -> Make:
    """Return a function that makes a plan: handle, fleet, and what of its question and identity is another."""

    def plan(
        handle: str,
        fleet: Candidate | None,
        *,
        name: str = "",
        verdict: Verdict | None = None,
        engine: int | None = None,
        workload: str = "feed",
        prices: tuple[tuple[str, float], ...] = (),
        **asked: object,
    ) -> Compared:
        identity = dataclasses.replace(answer.plan, handle=handle, id=handle, name=name)
        if engine is not None:
            identity = dataclasses.replace(identity, engine_version=engine)
        found: Verdict = verdict or ("infeasible" if fleet is None else "pass")
        return Compared(
            answer=dataclasses.replace(answer, plan=identity, answer=fleet, verdict=found),
            question=dataclasses.replace(question, **asked),  # type: ignore[arg-type]
            workload=workload,
            prices=prices,
        )

    return plan


@pytest.fixture
def base(make: Make) -> Compared:
    return make("41a7", at(simulated(two_pools(cost=41.88)), 0.443, 0.006), name="chat")


@pytest.fixture
def other(make: Make) -> Compared:
    return make("40f2", at(simulated(two_pools(cost=48.86)), 0.391, 0.005))


@pytest.fixture
def estimate(make: Make) -> Compared:
    return make("41b3", two_pools(split=8192, cost=34.9))
