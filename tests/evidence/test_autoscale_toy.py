"""The toy study of autoscaling, in shape: headroom on and off, three delays, a tripled rate for ten minutes.

Jobs of 10 s with a coefficient of variation of 1 on workers of one slot, 2 + 1.5 sin jobs a second over a day; a job
waits for 2 s at most. The prototype took a worker off the bill at once where it was let go in the middle of a job, and
counted waits in one queue; here a job waits at the worker that it was sent to, which has room for few.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from fleettui.autoscaling.policies import POLICIES
from fleettui.autoscaling.replay import replay
from fleettui.autoscaling.warp import enough, warped
from fleettui.domain.autoscale import Rules, Site
from fleettui.domain.day import Day, Window
from fleettui.domain.slo import Slo
from fleettui.simulation.draws import Draws
from fleettui.simulation.statistics import estimate
from tests.simulation.samples import engine

pytestmark = pytest.mark.evidence
STEP, SERVICE, WAIT = 0.1, 10.0, 2.0
DELAYS = (60.0, 300.0, 1800.0)
PROTOTYPE = {
    "estimator": (63.9, 47.0, 33.3),
    "estimator-beta": (97.8, 95.2, 89.4),
    "hpa-in-flight": (98.7, 96.1, 95.2),
}
"""Percent of the jobs that the prototype's policies kept within the wait, by delay."""


@dataclass(frozen=True)
class Toy:
    """What a policy came to at a delay: GPU-hours and the share of jobs, over three seeds."""

    hours: float
    kept: float
    low: float
    high: float


def day() -> Day:
    windows = (
        Window(start=60.0 * at, end=60.0 * (at + 1), rate=rate * (3.0 if 840 <= at < 850 else 1.0))
        for at, rate in enumerate(2.0 + 1.5 * np.sin(2.0 * np.pi * np.arange(1440) / 1440.0))
    )
    return Day(name="toy", windows=tuple(windows))


def jobs(own: Day, seed: int) -> Draws:
    draw = np.random.default_rng(seed)
    times = warped(np.cumsum(draw.exponential(0.5, enough(own))), 2.0, own)
    count, sigma = len(times), np.sqrt(np.log(2.0))
    steps = draw.lognormal(np.log(SERVICE / STEP) - sigma**2 / 2.0, sigma, count)
    return Draws(
        prompt=np.ones(count, np.int32),
        cached=np.zeros(count, np.int32),
        output=np.maximum(steps.round(), 1.0).astype(np.int32),
        pool=np.zeros(count, np.int32),
        tie=draw.random(count),
        arrivals=times,
        thinking=np.zeros(0),
    )


def played(policy: str, delay: float) -> Toy:
    own = day()
    site = Site(
        slots=1.0,
        service_time=SERVICE,
        replica_rate=1.0 / SERVICE,
        delay=delay,
        least=1,
        most=150,
        rules=Rules(queue=4),
        day=own,
    )
    plain = engine(base=STEP, per_context=0.0, per_prompt=0.0, places=1)
    found = [
        replay(site, plain, jobs(own, seed), POLICIES.named(policy), name="toy", slo=Slo(ttft=WAIT + STEP))
        for seed in (1, 2, 3)
    ]
    kept = estimate([one.met / one.offered for one in found])
    assert kept.value is not None
    assert kept.low is not None
    assert kept.high is not None
    for one in found:
        assert one.billed > one.ideal
        assert 0.9 * one.ideal * one.met / one.offered < one.least <= one.billed  # one place: nothing but their time
    return Toy(sum(one.billed for one in found) / 3 / 3600.0, 100 * kept.value, 100 * kept.low, 100 * kept.high)


@pytest.fixture(scope="module")
def toys() -> dict[str, tuple[Toy, ...]]:
    return {policy: tuple(played(policy, delay) for delay in DELAYS) for policy in PROTOTYPE}


def rows(toys: dict[str, tuple[Toy, ...]]) -> Iterator[str]:
    for policy, found in toys.items():
        yield f"{policy}: " + "; ".join(
            f"{one.hours:.0f} h {one.kept:.1f} % [{one.low:.1f}, {one.high:.1f}]" for one in found
        )


def test_without_headroom_interactive_traffic_fails_and_a_longer_delay_is_worse(
    toys: dict[str, tuple[Toy, ...]],
) -> None:
    told = "\n".join(rows(toys))
    for policy, found in toys.items():
        assert found[0].kept > found[1].kept > found[2].kept, told
        assert all(one.low < one.kept < one.high for one in found), policy
    for plain, headroom in zip(toys["estimator"], toys["estimator-beta"], strict=True):
        assert headroom.low > plain.high + 10.0, told
        assert headroom.hours > plain.hours, told


def test_the_hpa_costs_more_and_keeps_more_so_that_none_dominates(toys: dict[str, tuple[Toy, ...]]) -> None:
    told = "\n".join(rows(toys))
    for plain, headroom in zip(toys["hpa-in-flight"], toys["estimator-beta"], strict=True):
        assert plain.hours > headroom.hours, told
        assert plain.kept > headroom.kept - 1.0, told
