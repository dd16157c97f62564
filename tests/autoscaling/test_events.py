"""What nobody foresees: replicas taken back after a warning, launches that fail, requests that become others."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.autoscaling.events import changed, strikes
from fleettui.autoscaling.policies import POLICIES
from fleettui.autoscaling.replay import replay
from fleettui.domain.autoscale import Event, EventKind, PoolReplay, Site
from fleettui.domain.day import steady
from tests.autoscaling.test_replay import OWN, SLO, UP_AND_DOWN, played, site, traffic


def event(kind: EventKind, size: float, start: float = 300.0, seconds: float = 0.0) -> Event:
    return Event(kind=kind, size=size, start=start, seconds=seconds)


PLAIN = site(steady(14.0, 900.0), delay=60.0)


def struck(*events: Event, own: Site = PLAIN, policy: str = "static-peak") -> PoolReplay:
    return played(policy, replace(own, events=events))


@pytest.mark.evidence
def test_a_warning_spares_requests_and_costs_capacity_before() -> None:
    """All that was warned finishes what it has in time, is paid for until then, and is launched again at once."""
    lost, warned = struck(event("loss", 0.5)), struck(event("reclaim", 0.5, seconds=120.0))
    assert lost.lost > 0 == warned.lost
    assert warned.met > lost.met
    assert warned.under == pytest.approx(lost.under, rel=0.05)


def test_who_is_not_done_in_time_is_lost() -> None:
    """A warning of a tenth of a second leaves what takes half a second to be lost, with its replica."""
    found = struck(event("reclaim", 0.5, seconds=0.1))
    assert 0 < found.lost <= struck(event("loss", 0.5)).lost
    assert found.offered == sum(offered for offered, _ in found.spans)


def test_launches_that_fail_begin_anew_and_are_paid_for() -> None:
    """The launches of a rise fail: what should serve after one delay serves later, nine of ten times much later."""
    rising, failing = site(UP_AND_DOWN, delay=60.0), event("failed", 0.9, 300.0, 600.0)
    calm, found = (struck(*events, own=rising, policy="keda") for events in ((), (failing,)))
    assert found.met < calm.met
    assert found.under > 1.5 * calm.under


def test_longer_prompts_and_fewer_hits_last_as_long_as_they_are_said_to() -> None:
    draws = replace(traffic(PLAIN.day), cached=traffic(PLAIN.day).prompt // 2)
    found = changed(draws, [event("prompts", 3.0, 100.0, 200.0)], OWN.longest())
    assert draws.arrivals is not None
    within = (draws.arrivals >= 100.0) & (draws.arrivals < 300.0)
    assert (found.prompt[within] == 3 * draws.prompt[within]).all()
    assert (found.prompt[~within] == draws.prompt[~within]).all()
    assert np.abs(found.cached[within] - 3 * draws.cached[within]).max() <= 3
    none = changed(draws, [event("hits", 0.0, 100.0, 200.0)], OWN.longest())
    assert not none.cached[within].any()
    assert (none.cached[~within] == draws.cached[~within]).all()


def test_a_prompt_grows_no_further_than_a_replica_holds() -> None:
    draws = traffic(PLAIN.day)
    found = changed(draws, [event("prompts", 1e6, 0.0, 900.0)], 4_000)
    assert (found.prompt + draws.output - 1).max() == 4_000
    held = replay(
        replace(PLAIN, events=(event("prompts", 1e6, 0.0, 5.0),)),
        OWN,
        draws,
        POLICIES.named("keda"),
        name="all",
        slo=SLO,
    )
    assert held.met < played("keda", PLAIN).met


def test_what_happens_stands_in_order_a_reclaim_twice() -> None:
    found = strikes([event("reclaim", 0.2, 50.0, 60.0), event("loss", 0.2, 80.0), event("prompts", 2.0, 10.0, 5.0)])
    assert [(one.at, one.over) for one in found] == [(50.0, False), (80.0, False), (110.0, True)]
