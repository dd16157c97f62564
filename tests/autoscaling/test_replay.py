"""A small day under every policy: nothing is lost, what is paid adds up, and the laws show."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.autoscaling.policies import POLICIES
from fleettui.autoscaling.replay import replay
from fleettui.autoscaling.warp import enough, warped
from fleettui.domain.autoscale import SPAN, Event, PoolReplay, Rules, Site
from fleettui.domain.day import Day, Window, steady
from fleettui.domain.slo import Slo
from fleettui.simulation.draws import Draws
from fleettui.simulation.measure import Latencies
from fleettui.simulation.run import play
from tests.simulation.samples import engine

EACH = 4.0
"""Requests per second that a replica of these tests is planned for."""
OWN = engine(places=16, budget=512, blocks=2000)


def day(*rates: float, seconds: float = 600.0) -> Day:
    windows = (Window(start=seconds * at, end=seconds * (at + 1), rate=rate) for at, rate in enumerate(rates))
    return Day(name="mine", windows=tuple(windows))


def site(own: Day, delay: float = 60.0, **rules: float) -> Site:
    return Site(
        slots=3.0,
        service_time=3.0 / EACH,
        replica_rate=EACH,
        delay=delay,
        least=1,
        most=8,
        rules=Rules(**rules),  # type: ignore[arg-type]
        day=own,
    )


def traffic(own: Day, seed: int = 1) -> Draws:
    draw = np.random.default_rng(seed)
    times = warped(np.cumsum(draw.exponential(0.1, enough(own))), 10.0, own)
    count = len(times)
    return Draws(
        prompt=draw.integers(20, 200, count).astype(np.int32),
        cached=np.zeros(count, np.int32),
        output=draw.integers(10, 80, count).astype(np.int32),
        pool=np.zeros(count, np.int32),
        tie=draw.random(count),
        arrivals=times,
        thinking=np.zeros(0),
    )


UP_AND_DOWN = day(2.0, 14.0, 3.0)
SLO = Slo(ttft=0.3)


def played(policy: str, own: Site | None = None, seed: int = 1, slo: Slo = SLO) -> PoolReplay:
    place = own or site(UP_AND_DOWN)
    return replay(place, OWN, traffic(place.day, seed), POLICIES.named(policy), name="all", slo=slo)


@pytest.mark.parametrize("policy", POLICIES.names)
def test_nothing_is_lost_and_what_is_paid_adds_up(policy: str) -> None:
    found, own = played(policy), site(UP_AND_DOWN)
    assert found.offered == sum(offered for offered, _ in found.spans) == len(traffic(UP_AND_DOWN).prompt)
    assert found.met == sum(met for _, met in found.spans) <= found.offered - found.rejected
    assert sum(count for _, count in found.ttft.cells) == found.offered - found.rejected
    seen = sum(found.paid) * SPAN
    assert seen <= found.billed * (1 + 1e-9) or policy not in {"static-peak", "static-mean"}
    assert found.billed == pytest.approx(seen, rel=0.05)
    assert found.ideal == pytest.approx(own.day.requests / EACH)
    assert found.billed - found.ideal == pytest.approx(found.over - found.under, rel=0.2, abs=0.15 * found.ideal)
    assert found.choices[0].moment == 0.0
    assert found.ups + found.downs == len(found.choices) - 1


def test_a_constant_fleet_pays_for_itself_all_day_and_is_the_plain_simulation() -> None:
    own, draws = site(UP_AND_DOWN), traffic(UP_AND_DOWN)
    found = replay(own, OWN, draws, POLICIES.named("static-peak"), name="all", slo=SLO)
    assert found.choices == found.choices[:1]
    assert found.choices[0].target == math.ceil(14.0 / EACH) == 4
    assert found.billed == 4 * own.day.end
    assert set(found.paid) == {4.0}
    plain = play([replace(OWN, replicas=4)], draws, 0, draws.requests)
    assert found.met == int(Latencies.of(plain.state.requests).kept(SLO).sum())


@pytest.mark.thorough
def test_a_constant_fleet_whose_clients_leave_is_the_plain_simulation() -> None:
    own, draws = replace(site(UP_AND_DOWN, queue=2), patience=0.05, most=1), traffic(UP_AND_DOWN)
    found = replay(own, OWN, draws, POLICIES.named("static-peak"), name="all", slo=SLO)
    plain = play([replace(OWN, replicas=1, queue=2, patience=0.05)], draws, 0, draws.requests).state
    assert plain.bounds is not None
    assert found.left == int(plain.bounds.pools[0]["timed_out"]) > 0
    assert found.rejected == int(plain.bounds.pools[0]["rejected"]) > 0
    assert found.met == int(Latencies.of(plain.requests).kept(SLO).sum())
    assert sum(count for _, count in found.ttft.cells) == found.offered - found.rejected - found.left


@given(
    st.sampled_from(POLICIES.names),
    st.lists(st.sampled_from((0.1, 3.0, 9.0, 30.0)), min_size=1, max_size=4),
    st.sampled_from((0.0, 60.0, 600.0)),
    st.integers(0, 3),
    st.sampled_from((0, 5, 200)),
)
def test_the_perfect_bound_is_below_every_policy_on_every_run(
    policy: str, rates: list[float], delay: float, seed: int, queue: int
) -> None:
    found = played(policy, replace(site(day(*rates, seconds=150.0), delay=delay, queue=queue), most=9), seed=seed)
    assert found.least <= found.billed
    assert (found.least > 0.0) == (found.met > 0)


def test_the_perfect_bound_is_near_a_fleet_that_is_full_all_the_time() -> None:
    own = replace(site(steady(60.0, 300.0), queue=2000), most=1)
    assert 0.6 * own.day.end < played("static-peak", own, slo=Slo(ttft=1000.0)).least <= own.day.end


def test_of_many_decisions_the_last_of_each_span_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    every = played("knative").choices
    monkeypatch.setattr("fleettui.autoscaling.replay.MOST_CHOICES", 5)
    found = played("knative").choices
    assert len(every) > len(found) > 2
    assert found == tuple({int(one.moment / SPAN): one for one in every}.values())


def test_a_longer_delay_keeps_less_and_headroom_more() -> None:
    own = day(2.0, 2.0, 24.0, 24.0, seconds=300.0)
    kept = [played("estimator-beta", site(own, delay=delay)).met for delay in (0.0, 60.0, 240.0)]
    assert kept[0] > kept[1] > kept[2]
    level = replace(site(steady(28.0, 600.0)), replica_rate=7.0, slots=6.0, service_time=6.0 / 7.0)
    plain, headroom = (played(name, level, slo=Slo(ttft=0.06)) for name in ("estimator", "estimator-beta"))
    assert headroom.met > plain.met
    assert headroom.billed > plain.billed


def test_what_was_launched_serves_after_its_delay() -> None:
    own = site(day(2.0, 24.0, seconds=300.0), delay=100.0)
    found = played("oracle", own)
    first = next(one for one in found.choices if one.target >= 24.0 / EACH)
    assert first.moment < 300.0 <= first.moment + 100.0 + own.rules.cycle
    assert "L " in first.reason


def test_what_is_launched_and_not_needed_goes_before_it_serves() -> None:
    own = site(day(2.0, 20.0, 2.0, 2.0, seconds=120.0), delay=600.0)
    found = played("throughput", own)
    assert {one.target for one in found.choices} > {1}
    assert found.under > 0.0
    assert found.billed < 2.5 * own.day.end


def test_a_full_queue_rejects_and_a_reject_is_a_miss() -> None:
    own = site(steady(20.0, 300.0), queue=0)
    found = played("keda-queue", replace(own, most=1))
    assert found.rejected > 100
    assert found.met <= found.offered - found.rejected


def test_a_policy_that_only_looks_at_the_queue_starves() -> None:
    blind, seeing = (played(name, site(day(8.0, 8.0))) for name in ("keda-queue", "keda"))
    assert blind.met < seeing.met


def test_a_spike_is_not_foreseen_by_a_constant_fleet() -> None:
    plain = site(steady(8.0, 900.0))
    spiked = replace(plain, day=plain.day.spiked(300.0, 300.0, 3.0), foreseen=plain.day)
    found = played("static-peak", spiked)
    assert found.choices[0].target == 2
    assert found.met < found.offered
    assert played("oracle", spiked).met > found.met


def test_what_is_lost_is_launched_again_and_counts_as_missed() -> None:
    plain = site(steady(14.0, 900.0), delay=60.0)
    struck = replace(plain, events=(Event(kind="loss", start=300.0, size=0.5),))
    calm, found = played("static-peak", plain), played("static-peak", struck)
    assert calm.lost == 0 < found.lost
    assert found.met <= found.offered - found.lost - found.rejected
    assert found.billed < calm.billed
    assert found.under > calm.under
    assert found.spans[2] == calm.spans[2]


def test_a_replay_is_the_same_each_time_and_can_be_stopped() -> None:
    assert played("knative") == played("knative")

    def stop(_: float) -> None:
        raise InterruptedError

    place = site(UP_AND_DOWN)
    with pytest.raises(InterruptedError):
        replay(place, OWN, traffic(place.day), POLICIES.named("keda"), name="all", slo=SLO, check=stop)


IDLE_THEN_BUSY = day(0.1, 1e-9, 1e-9, 1e-9, 0.1)


def test_a_pool_that_nobody_asks_may_go_and_the_first_to_come_waits_for_its_launch() -> None:
    """At 480 s and 2520 s replicas become ready as a cycle ends, and 10 and 17 requests wait for them: more than twice
    those that are ready, by which Knative panics for its window of 60 s anew. So it pays for what it launched until
    then, 79.5 % of one replica all the time; where those who waited were not seen, it paid 72.5 %.
    """
    own = replace(site(IDLE_THEN_BUSY, delay=90.0), least=0)
    kept, gone = played("knative", replace(own, least=1)), played("knative", own)
    assert gone.offered == kept.offered
    assert gone.billed < 0.80 * kept.billed
    assert {480.0 + 60.0, 2520.0 + 60.0} <= {one.moment for one in gone.choices if one.target == 1}
    assert gone.met < kept.met
    assert min(gone.paid) == 0.0
    assert 0 in {one.target for one in gone.choices}
    assert max(at for at, _ in gone.ttft.cells) > max(at for at, _ in kept.ttft.cells)


def test_a_first_replica_that_is_ready_at_the_end_of_a_cycle_finds_those_who_waited() -> None:
    own = replace(site(day(4.0, 0.0, 0.0, 4.0), delay=60.0, queue=2000), least=0)
    for policy in ("estimator-beta", "keda", "knative"):
        found = played(policy, own)
        assert sum(count for _, count in found.ttft.cells) == found.offered
        assert 0 in {one.target for one in found.choices}


@pytest.mark.parametrize("policy", POLICIES.names)
def test_whoever_lets_a_pool_go_serves_all_that_comes_later(policy: str) -> None:
    own = replace(site(IDLE_THEN_BUSY, delay=90.0, queue=2000), least=0)
    found = played(policy, own)
    assert sum(count for _, count in found.ttft.cells) == found.offered
    assert (0 in {one.target for one in found.choices}) <= POLICIES.named(policy).to_none
