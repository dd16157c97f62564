"""Horizons by hand: every branch of the formula, the unit of each term, and what happens beyond the budget."""

import math
from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.fleet import Fleet, Pool, PoolProfile
from fleettui.domain.simulation import PoolLength, PoolTraffic, Traffic
from fleettui.errors import InputError
from fleettui.simulation.lengths import (
    MOST_CLIENTS,
    Course,
    Lengths,
    _affordable_together,
    _fewest,
    _filling,
    _longest,
    check_clients,
    lengths,
    look,
)
from fleettui.simulation.statistics import LEAST, REQUEST_BUDGET

BASE, PER_CONTEXT, PER_PROMPT = 0.01, 1e-6, 1e-5
PROMPT, OUTPUT, PLACES = 100.0, 11.0, 8
CONTEXT = PROMPT + 10 * PROMPT + 10 * OUTPUT / 2  # one prefill step, then ten decodes over a growing context
FULL_STEP = BASE + PLACES * (PER_CONTEXT * CONTEXT + PER_PROMPT * PROMPT) / OUTPUT
SERVICE = OUTPUT * FULL_STEP  # seconds; one request type, so v = 0
BUDGET = REQUEST_BUDGET // LEAST


def pool(name: str = "all", *, replicas: int = 2, above: int = 0, up_to: int = 4096, places: int = PLACES) -> Pool:
    return Pool(
        name=name,
        gpu="h100",
        model="made-up",
        dtype="bf16",
        tp=1,
        replicas=replicas,
        context=up_to,
        concurrency=places,
        max_num_seqs=256,
        token_budget=2048,
        above=above,
        up_to=up_to,
        profile=PoolProfile(
            base_step_time=BASE, time_per_context_token=PER_CONTEXT, time_per_prompt_token=PER_PROMPT, kv_blocks=10_000
        ),
    )


def traffic(*rates: float, **changes: Any) -> Traffic:
    pools = tuple(PoolTraffic(arrival_rate=rate, atoms=((1.0, PROMPT, OUTPUT),)) for rate in rates)
    return replace(Traffic(pools=pools), **changes)


def rate_at(utilization: float, replicas: int = 2) -> float:
    """Return the requests/s at which the pool is so busy."""
    return utilization * replicas * PLACES / SERVICE


def one(utilization: float, *, replicas: int = 2) -> tuple[Lengths, PoolLength]:
    found = lengths(Fleet(pools=(pool(replicas=replicas),)), traffic(rate_at(utilization, replicas)))
    return found, found.pools[0]


def test_relaxation_by_hand() -> None:
    found, length = one(0.8)
    assert found.utilization == pytest.approx((0.8,))
    assert length.relaxation == pytest.approx(SERVICE * (1 + 0) / (16 * 0.2**2))
    assert found.unstable == ""


def test_the_variability_is_that_of_the_work_beside_a_full_batch() -> None:
    atoms = ((3.0, PROMPT, OUTPUT), (1.0, 3000.0, 101.0))
    short = BASE * OUTPUT + PLACES * (PER_CONTEXT * CONTEXT + PER_PROMPT * PROMPT)
    context = 2048 + 3000 + 100 * 3000 + 100 * 101 / 2  # a chunk of 2048, the rest of the prompt, a hundred decodes
    works = short, BASE * 102 + PLACES * (PER_CONTEXT * context + PER_PROMPT * 3000)
    mean = 0.75 * works[0] + 0.25 * works[1]
    scv = (0.75 * works[0] ** 2 + 0.25 * works[1] ** 2) / mean**2 - 1
    rate = 0.5 * 16 / mean  # the mean work is E[S] = E[I]·t_full
    asked = Traffic(pools=(PoolTraffic(arrival_rate=rate, atoms=atoms),))
    found = lengths(Fleet(pools=(pool(),)), asked)
    assert found.utilization[0] == pytest.approx(0.5)
    assert found.pools[0].relaxation == pytest.approx(mean * (1 + scv) / (16 * 0.5**2))
    assert scv > 1


def test_a_calm_pool_warms_up_by_its_crowd_and_measures_the_fewest() -> None:
    _, length = one(0.5)
    crowd = rate_at(0.5) * SERVICE
    assert crowd == pytest.approx(8.0)
    assert (length.warm_up, length.measured) == (2_048, 20_000)


def test_a_busy_pool_takes_relaxation_times() -> None:
    _, length = one(0.97)
    relaxations = length.relaxation * rate_at(0.97)  # requests that arrive in τ
    assert length.warm_up == math.ceil(10 * relaxations)
    assert length.measured == math.ceil(1_000 * relaxations)
    assert length.measured == pytest.approx(1_000 * 0.97 / 0.03**2, rel=1e-6)


def test_a_large_pool_takes_service_times_up_to_enough() -> None:
    crowd = rate_at(0.5, 100) * SERVICE
    assert crowd == pytest.approx(400.0)
    assert one(0.5, replicas=100)[1].measured == 40_000
    assert one(0.5, replicas=2_000)[1].measured == 500_000


def test_lengths_do_not_depend_on_the_unit_of_time() -> None:
    slow = pool()
    fast = replace(slow, profile=PoolProfile(
        base_step_time=BASE / 1e3,
        time_per_context_token=PER_CONTEXT / 1e3,
        time_per_prompt_token=PER_PROMPT / 1e3,
        kv_blocks=10_000,
    ))  # fmt: skip
    for busy in (0.3, 0.9, 0.97):
        found = lengths(Fleet(pools=(slow,)), traffic(rate_at(busy))).pools[0]
        other = lengths(Fleet(pools=(fast,)), traffic(1e3 * rate_at(busy))).pools[0]
        assert other.relaxation == pytest.approx(found.relaxation / 1e3)
        assert (other.warm_up, other.measured) == pytest.approx((found.warm_up, found.measured), abs=1)


def test_cached_prompts_shorten_the_service() -> None:
    rate = rate_at(0.8)
    full = lengths(Fleet(pools=(pool(),)), traffic(rate))
    cached = lengths(Fleet(pools=(pool(),)), traffic(rate, prefix_hit=0.9))
    assert cached.utilization[0] < full.utilization[0]
    assert cached.pools[0].relaxation < full.pools[0].relaxation


def test_a_tail_too_slow_for_the_budget_is_cut_and_said_to_be_unstable() -> None:
    found, length = one(0.9999)
    assert Course.alone(length).requests == BUDGET
    assert length.warm_up == BUDGET // 4
    assert length.measured == BUDGET - BUDGET // 4 - BUDGET // 8
    assert [type(one) for one in (length.warm_up, length.measured)] == [int, int], "arrays are as long as they say"
    assert found.unstable.startswith("unstable tail: pool all, 1.000 busy, takes ")
    assert "30 million" in found.unstable


def test_what_just_fits_is_left_alone() -> None:
    found, length = one(0.98)
    assert length.requests < Course.alone(length).requests < BUDGET
    assert found.unstable == ""


def test_two_pools_share_the_budget_and_the_short_one_keeps_its_length() -> None:
    pools = (pool("short", up_to=512), pool("long", above=512))
    calm = one(0.5)[1]
    found = lengths(Fleet(pools=pools), traffic(rate_at(0.5), rate_at(0.9999)))
    assert (found.pools[0].warm_up, found.pools[0].measured) == (calm.warm_up, calm.measured)
    assert Course.alone(found.pools[1]).requests == BUDGET - Course.alone(calm).requests
    assert found.unstable.startswith("unstable tail: pool long, ")


def test_two_pools_that_fit_alone_may_not_fit_together() -> None:
    busy = 0.978
    whole = one(busy)[1]
    assert BUDGET / 2 < whole.requests < BUDGET
    found = lengths(
        Fleet(pools=(pool("short", up_to=512), pool("long", above=512))), traffic(rate_at(busy), rate_at(busy))
    )
    assert [Course.alone(length).requests for length in found.pools] == [BUDGET // 2] * 2
    assert found.unstable


@pytest.mark.parametrize("busy", [1.0, 1.25])
def test_an_overloaded_pool_has_no_relaxation(busy: float) -> None:
    found, length = one(busy * (1 + 1e-12))
    assert found.utilization[0] == pytest.approx(busy)
    assert found.unstable == f"unstable tail: pool all is asked for {busy:.3f} times what it can do"
    assert (length.relaxation, length.measured) == (0.0, 20_000)


@pytest.mark.parametrize(("router", "is_helped"), [("length", False), ("random", False), ("spillover", True)])
def test_an_overloaded_pool_is_helped_by_an_idle_one_only_where_the_router_sends_there(
    router: str, is_helped: bool
) -> None:
    """Together the pools are 0.7 busy."""
    pools = (pool("short", up_to=512), pool("long", above=512))
    found = lengths(Fleet(router=router, pools=pools), traffic(rate_at(1.2), rate_at(0.2)))
    assert found.utilization == pytest.approx((1.2, 0.2))
    said = "" if is_helped else "unstable tail: pool short is asked for 1.200 times what it can do"
    assert found.unstable == said
    assert (found.pools[0].relaxation > 0.0) == is_helped


def test_a_closed_loop_forgets_within_a_cycle() -> None:
    clients = 50
    fleet = Fleet(pools=(pool("short", up_to=512), pool("long", above=512)))
    rates = rate_at(1.5), rate_at(0.5)
    found = lengths(fleet, traffic(*rates, concurrency=clients))
    cycle = clients / sum(rates)
    assert found.unstable == ""
    assert found.pools[0].relaxation == pytest.approx(cycle)
    assert found.pools[0].measured == math.ceil(1_000 * cycle * rates[0])
    alone = lengths(fleet, traffic(*rates))
    assert found.pools[1].relaxation == min(alone.pools[1].relaxation, cycle)
    assert alone.unstable


def test_a_closed_loops_pools_run_together_for_the_one_that_needs_most() -> None:
    fleet = Fleet(pools=(pool("short", up_to=512), pool("long", above=512)))
    rates = rate_at(0.5), rate_at(0.5) / 999
    found = lengths(fleet, traffic(*rates, concurrency=10))
    assert found.unstable.startswith("unstable tail: pool long, ")
    for length, rate in zip(found.pools, rates, strict=True):
        assert length.requests * sum(rates) / rate <= BUDGET
    shares = [rate / sum(rates) for rate in rates]
    assert BUDGET * 0.999 < Course.together(found.pools, shares, 10).requests <= BUDGET


def test_a_pool_goes_on_for_half_its_warm_up_after_what_is_measured() -> None:
    course = Course.alone(PoolLength(warm_up=401, measured=900, relaxation=1.0))
    assert (course.warm_up, course.end, course.requests) == (401, 1_301, 1_501)


def test_a_closed_loop_takes_two_requests_of_every_client_beside_those_it_is_asked_for() -> None:
    asked = PoolLength(warm_up=100, measured=300, relaxation=1.0), PoolLength(warm_up=10, measured=200, relaxation=1.0)
    few, many = (Course.together(asked, (0.75, 0.25), clients) for clients in (6, 1_000))
    assert (few.warm_up, few.measured, few.after) == (134 + 6, 800, 70)
    assert (many.warm_up, many.measured, many.after) == (134 + 1_000, 800, 1_000)
    assert many.requests == 134 + 800 + 2 * 1_000


def test_a_closed_loop_that_is_cut_keeps_its_warm_up_while_that_is_a_small_share() -> None:
    asked = (
        PoolLength(warm_up=90, measured=9_000, relaxation=1.0),
        PoolLength(warm_up=30, measured=3_000, relaxation=1.0),
    )
    whole = Course.together(asked, (0.75, 0.25), 7).requests
    assert _affordable_together(asked, whole, (0.75, 0.25), 7) == asked
    cut = _affordable_together(asked, whole - 2_000, (0.75, 0.25), 7)
    assert [pool.warm_up for pool in cut] == [90, 30]
    assert whole - 2_010 <= Course.together(cut, (0.75, 0.25), 7).requests <= whole - 2_000


@pytest.mark.parametrize("clients", [2_900, 3_000, 50_000, 400_000, MOST_CLIENTS])
def test_the_clients_of_a_closed_loop_count(clients: int) -> None:
    """A busy pool's relaxation is its clients' cycle, so that a thousand of them are as many requests as they are."""
    found = lengths(Fleet(pools=(pool(replicas=1),)), traffic(rate_at(2.0), concurrency=clients))
    assert bool(found.unstable) == (clients > 2_900)
    assert Course.together(found.pools, (1.0,), clients).requests <= BUDGET
    assert found.pools[0].measured > BUDGET // 10
    glance = Course.together(look(found.pools), (1.0,), clients)
    assert LEAST * BUDGET + glance.requests <= 1.1 * REQUEST_BUDGET


def test_what_a_closed_loops_clients_leave_room_for_is_left_alone() -> None:
    found = lengths(Fleet(pools=(pool(replicas=1),)), traffic(rate_at(0.5, 1), concurrency=400_000))
    assert (found.unstable, found.pools[0].measured) == ("", 20_000)
    assert Course.together(found.pools, (1.0,), 400_000).requests < BUDGET


def test_more_clients_than_can_be_simulated_are_refused() -> None:
    check_clients(MOST_CLIENTS)
    words = r"--concurrency: .* too many requests to simulate \(got 1000001\)\n  accepted: up to 1000000"
    with pytest.raises(InputError, match=words):
        check_clients(MOST_CLIENTS + 1)
    with pytest.raises(InputError, match=words):
        lengths(Fleet(pools=(pool(),)), traffic(rate_at(0.5), concurrency=MOST_CLIENTS + 1))


def test_a_look_is_short() -> None:
    calm, busy = one(0.5)[1], PoolLength(warm_up=30_000, measured=3_000_000, relaxation=9.0)
    assert look((calm, busy)) == (calm, PoolLength(warm_up=20_000, measured=20_000, relaxation=9.0))


def test_what_is_bounded_forgets_however_much_is_asked_of_it() -> None:
    """A full queue has passed a replica's places, or those who waited in it have left."""
    places = 2 * PLACES / SERVICE
    own = Traffic(pools=(PoolTraffic(arrival_rate=1.5 * places, atoms=((1.0, PROMPT, OUTPUT),)),))
    fleet = Fleet(pools=(pool(),))
    assert "times what it can do" in lengths(fleet, own).unstable
    queue = lengths(fleet, replace(own, bounds=Bounds(queue=3 * PLACES)))
    assert queue.unstable == ""
    assert queue.pools[0].relaxation == pytest.approx(4 * SERVICE)
    clients = lengths(fleet, replace(own, bounds=Bounds(queue=3 * PLACES, timeout=SERVICE)))
    assert clients.pools[0].relaxation == pytest.approx(2 * SERVICE)


@pytest.mark.parametrize(("stages", "seconds"), [(1, 4.0), (3, 12.0)])
def test_caches_are_full_when_the_tokens_of_all_lanes_blocks_came(stages: int, seconds: float) -> None:
    """A lane for each stage of two replicas, with 10,000 blocks of 16 tokens; 80,000 tokens come a second."""
    own = PoolTraffic(arrival_rate=200.0, atoms=((3.0, 300.0, 20.0), (1.0, 600.0, 40.0)))
    both = replace(pool(), pp=stages), own
    assert _filling(*both, Traffic(pools=(own,), keeps=True)) == pytest.approx(seconds)
    assert _filling(*both, Traffic(pools=(own,))) == 0.0


def test_each_class_has_requests_enough_to_tell_its_tail() -> None:
    found = [_fewest(share) for share in (0.0, 0.3, 0.05, 0.99)]
    assert found == pytest.approx([20_000, 20_000, 100_000, 500_000])


@pytest.mark.parametrize(
    ("bounds", "seconds"),
    [
        (Bounds(), math.inf),
        (Bounds(queue=12), 3.0 * (12 / 4 + 1)),
        (Bounds(queue=1), 3.0 * 1.25),
        (Bounds(timeout=5.0), 5.0 + 3.0),
        (Bounds(queue=12, timeout=5.0), 8.0),
        (Bounds(queue=2, timeout=5.0), 4.5),
        (Bounds(queue=2, retries=3, backoff=0.5), 4 * 4.5 + 0.5 * (1 + 2 + 4)),
        (Bounds(timeout=5.0, retries=1, backoff=2.0), 2 * 8.0 + 2.0),
    ],
)
def test_whoever_comes_again_is_there_for_all_attempts_and_waits_twice_as_long_before_each(
    bounds: Bounds, seconds: float
) -> None:
    """Services of 3 s at four places: a queue of 12 passes them in three services and one more."""
    assert _longest(bounds, 3.0, 4) == seconds
