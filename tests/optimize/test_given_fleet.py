"""A fleet as it stands gets the figures that the search gives it; what cannot be is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import Fleet, FleetSketch, PoolProfile, PoolSketch
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.errors import InputError, UnknownNameError
from fleettui.optimize.given_fleet import ScoredFleet, score
from fleettui.optimize.plan import find_plan
from fleettui.optimize.ranges import Slices
from fleettui.optimize.resize import resize
from fleettui.routing import length_pools
from tests.optimize.samples import Atoms, atoms, profile, question
from tests.repeated import few

FAST, SLOW = profile("fast"), profile("slow", speed=0.5, price=0.6)
BY_GPU = {"fast": FAST, "slow": SLOW}
CONTEXT = 16_384
LENGTHS = atoms(5)


def sizes(fleet: Fleet) -> list[int]:
    return [pool.replicas for pool in fleet.pools]


def scored(
    asked: Question, sketch: FleetSketch, slices: Slices = ((30.0, LENGTHS),), profiles: Sequence[Profile] = ()
) -> ScoredFleet:
    hardware = profiles or [BY_GPU[pool.gpu] for pool in sketch.pools]
    return score(asked, sketch, hardware, slices, CONTEXT)


def resized(asked: Question, fleet: Fleet, replicas: Sequence[int], slices: Slices = ((30.0, LENGTHS),)) -> Candidate:
    hardware = [BY_GPU[pool.gpu] for pool in fleet.pools]
    return resize(fleet, replicas, question=asked, profiles=hardware, slices=slices, context=CONTEXT).candidate


def found(asked: Question, slices: Slices = ((30.0, LENGTHS),)) -> tuple[Candidate, ...]:
    """Return the fleets that the search ranks."""
    answer = find_plan(asked, slices=slices, profiles=[FAST, SLOW], grid=(700, 1500, 3000), context=CONTEXT)
    assert answer.answer is not None
    return answer.candidates


def numbers(value: Any, path: str = "") -> dict[str, Any]:
    """Return every leaf of a value by its path."""
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, (list, tuple)):
        parts = enumerate(value)  # type: ignore[assignment]
    else:
        return {path: value}
    return {name: leaf for key, part in parts for name, leaf in numbers(part, f"{path}.{key}").items()}


def same(one: Candidate, other: Candidate) -> bool:
    """Return whether two candidates agree, numbers to 1e-9."""
    left, right = (
        numbers(asdict(replace(each, candidate="", handle="", evidence=None, shortfalls=()))) for each in (one, other)
    )
    assert left.keys() == right.keys()
    differing = {
        name: (value, right[name])
        for name, value in left.items()
        if value != (pytest.approx(right[name], rel=1e-9) if isinstance(value, float) else right[name])
    }
    assert not differing
    return True


def one_pool(gpu: str = "fast", replicas: int = 3, **changes: Any) -> FleetSketch:
    return FleetSketch(pools=(PoolSketch(gpu=gpu, tp=2, replicas=replicas, **changes),))


def two_pools(up_to: int | None = 1500, **changes: Any) -> FleetSketch:
    short = PoolSketch(gpu="fast", tp=2, replicas=2, up_to=up_to)
    return FleetSketch(pools=(short, PoolSketch(gpu="slow", tp=2, replicas=4)), **changes)


@pytest.mark.parametrize(
    ("budget", "hit", "admission"),
    few(
        [
            (512, 0.4, "paged"),
            (2048, 0.0, "reserved"),
            *((512, hit, "reserved") for hit in (0.0, 0.4)),
            *((2048, hit, "paged") for hit in (0.0, 0.4)),
            (512, 0.0, "paged"),
            (2048, 0.4, "reserved"),
        ],
        2,
        more=2,
    ),
)
def test_a_proposed_fleet_keeps_the_searchs_own_figures(admission: Any, hit: float, budget: int) -> None:
    asked = question(ttft=0.8, admission=admission, prefix_hit=hit, token_budget=budget)
    candidates = found(asked)
    assert {len(one.fleet.pools) for one in candidates} == {1, 2}
    for one in candidates:
        assert same(resized(asked, one.fleet, sizes(one.fleet)), one)


def test_what_a_sketch_leaves_out_is_worked_out_as_the_search_does() -> None:
    asked = question(ttft=0.8)
    for one in found(asked):
        bare = FleetSketch(
            pools=tuple(
                PoolSketch(gpu=pool.gpu, tp=pool.tp, replicas=pool.replicas, up_to=pool.up_to)
                for pool in one.fleet.pools
            )
        )
        described = scored(asked, bare).candidate
        assert same(replace(described, fleet=one.fleet), one)
        for pool, given in zip(one.fleet.pools, described.fleet.pools, strict=True):
            assert replace(given, model=pool.model, profile=pool.profile) == pool
            assert asdict(pool.profile) == pytest.approx(asdict(given.profile), rel=1e-12)


def test_traffic_is_what_the_router_sends() -> None:
    asked = question(ttft=0.8, prefix_hit=0.25)
    traffic = scored(asked, two_pools()).traffic
    short, long = length_pools.route(LENGTHS, ((0, 1500), (1500, CONTEXT)))
    assert [pool.atoms for pool in traffic.pools] == [short, long]
    weights = [sum(weight for weight, _, _ in part) for part in (short, long)]
    assert [pool.arrival_rate for pool in traffic.pools] == pytest.approx([30 * one / sum(weights) for one in weights])
    assert (traffic.prefix_hit, traffic.concurrency, traffic.think) == (0.25, None, 0.0)


def test_a_closed_loop_keeps_its_clients() -> None:
    loop = question(demand=Demand(form="concurrency", concurrency=70, think=1.5))
    traffic = scored(loop, one_pool()).traffic
    assert (traffic.concurrency, traffic.think) == (70, 1.5)


def test_pools_are_named_by_their_place() -> None:
    three = FleetSketch(
        pools=(
            PoolSketch(gpu="fast", tp=2, replicas=1, up_to=400),
            PoolSketch(gpu="fast", tp=2, replicas=1, up_to=1000, name="middle"),
            PoolSketch(gpu="fast", tp=2, replicas=4),
        )
    )
    assert [pool.name for pool in scored(question(), three).candidate.fleet.pools] == ["short", "middle", "long"]
    assert [pool.name for pool in scored(question(), one_pool()).candidate.fleet.pools] == ["all"]


def test_the_last_pool_serves_up_to_the_context_and_a_context_is_a_range() -> None:
    pools = scored(question(), two_pools()).candidate.fleet.pools
    assert [(pool.above, pool.up_to, pool.context) for pool in pools] == [(0, 1500, 1500), (1500, CONTEXT, CONTEXT)]
    said = two_pools(up_to=None)
    said = replace(said, pools=(replace(said.pools[0], context=1500), said.pools[1]))
    assert scored(question(), said).candidate.fleet.pools[0].up_to == 1500


def test_gamma_rewrites_the_compressible_share_into_the_short_pool() -> None:
    plain = scored(question(), two_pools())
    squeezed = scored(question(), two_pools(gamma=2.0, compressible=0.5))
    expected = length_pools.route(LENGTHS, ((0, 1500), (1500, CONTEXT)), gamma=2.0, compressible=0.5)
    assert [pool.atoms for pool in squeezed.traffic.pools] == list(expected)
    assert max(prompt + output for _, prompt, output in squeezed.traffic.pools[0].atoms) == 1500
    rates = [[pool.arrival_rate for pool in one.traffic.pools] for one in (plain, squeezed)]
    assert rates[1][0] > rates[0][0]
    assert sum(rates[1]) == pytest.approx(sum(rates[0]))
    fleet = squeezed.candidate.fleet
    assert (fleet.gamma, fleet.compressible) == (2.0, 0.5)
    assert same(resized(question(), fleet, sizes(fleet)), squeezed.candidate)


def test_the_time_slice_that_asks_most_governs_each_pool() -> None:
    """A quiet slice of the same lengths changes nothing, whichever comes first."""
    busy = ((30.0, LENGTHS),)
    asked = question(ttft=0.8)
    alone = scored(asked, two_pools(), busy)
    for slices in (((10.0, LENGTHS), *busy), (*busy, (10.0, LENGTHS))):
        assert same(scored(asked, two_pools(), slices).candidate, alone.candidate)
        assert scored(asked, two_pools(), slices).traffic == alone.traffic


def test_pools_may_be_governed_by_different_slices() -> None:
    short: Atoms = tuple(atom for atom in LENGTHS if atom[1] + atom[2] <= 1500)
    both = ((20.0, short), (12.0, LENGTHS))
    pools = scored(question(), two_pools(), both).traffic.pools
    assert pools[0].arrival_rate == pytest.approx(20.0)
    assert pools[1].arrival_rate < 12.0
    assert pools[1].atoms == length_pools.route(LENGTHS, ((0, 1500), (1500, CONTEXT)))[1]


def test_shortfalls_are_constraints_only() -> None:
    tight = question(ttft=0.001, budget=1.0, max_gpus=(("fast", 1),))
    (budget, stock) = scored(tight, one_pool()).candidate.shortfalls
    assert budget.startswith("budget: $12.00/h")
    assert stock == "inventory: 6 fast above 1"


def test_a_given_engine_is_taken_as_it_is() -> None:
    own = PoolProfile(base_step_time=0.02, time_per_context_token=5e-8, time_per_prompt_token=6e-5, kv_blocks=20_000)
    fixed = scored(question(), one_pool(profile=own, concurrency=17, max_num_seqs=32, token_budget=1024))
    (pool,) = fixed.candidate.fleet.pools
    assert pool.profile == own
    assert (pool.concurrency, pool.max_num_seqs, pool.token_budget) == (17, 32, 1024)
    slower = scored(question(), one_pool(concurrency=17, max_num_seqs=32, token_budget=1024))
    assert fixed.candidate.pools[0].utilization != slower.candidate.pools[0].utilization


def test_a_front_end_that_is_asked_for_wins_over_a_given_engines() -> None:
    own = PoolProfile(
        base_step_time=0.02,
        time_per_context_token=5e-8,
        time_per_prompt_token=6e-5,
        kv_blocks=20_000,
        front_end=0.03,
    )
    kept, none, more = (
        scored(question(front_end=asked), one_pool(profile=own)).candidate for asked in (None, 0.0, 0.05)
    )
    assert [one.fleet.pools[0].profile.front_end for one in (kept, none, more)] == [0.03, 0.0, 0.05]
    assert kept.pools[0].ttft - none.pools[0].ttft == pytest.approx(0.03)
    assert more.pools[0].e2e - none.pools[0].e2e == pytest.approx(0.05)
    assert kept.pools[0].tpot == none.pools[0].tpot


def test_steps_by_kernels_on_hardware_by_the_roofline_are_refused() -> None:
    own = PoolProfile(
        base_step_time=0.02,
        time_per_context_token=5e-8,
        time_per_prompt_token=6e-5,
        kv_blocks=20_000,
        by_kernels=True,
    )
    with pytest.raises(InputError, match=r"by kernels, and those of .* are by the roofline") as refused:
        scored(question(), one_pool(profile=own))
    assert "--step-law kernels" in (refused.value.remedy or "")


def test_three_given_times_are_of_prompts_beside_decodes() -> None:
    own = PoolProfile(base_step_time=0.02, time_per_context_token=5e-8, time_per_prompt_token=6e-5, kv_blocks=20_000)
    kept = scored(question(step_law="kernels", engine="sglang"), one_pool(profile=own)).candidate
    assert kept.fleet.pools[0].prompt_steps == "mixed"
    with pytest.raises(InputError, match="three times are of prompts beside decodes"):
        scored(question(step_law="kernels"), one_pool(profile=own, prompt_steps="alone"))


def test_fewer_blocks_hold_fewer_sequences() -> None:
    own = PoolProfile(base_step_time=0.02, time_per_context_token=5e-8, time_per_prompt_token=6e-5, kv_blocks=2_000)
    few, many = (
        scored(question(), one_pool(profile=one)).candidate.fleet.pools[0].concurrency
        for one in (own, replace(own, kv_blocks=4_000))
    )
    assert few < many < 256


def gap(**changes: Any) -> FleetSketch:
    sketch = two_pools()
    return replace(sketch, pools=(sketch.pools[0], replace(sketch.pools[1], **changes)))


@pytest.mark.parametrize(
    ("sketch", "words"),
    [
        (gap(above=2000), r"pool 2: its range does not go on .*above 2000, up to 16384'\)\n  accepted: above 1500"),
        (gap(above=1000), "pool 2: its range does not go on"),
        (gap(up_to=1500), "pool 2: its range does not go on .*above 1500, up to 1500"),
        (two_pools(up_to=None), "pool 1: it is not said which requests go to it"),
        (two_pools(up_to=12), r"pool short: no request reaches it .*above 0, up to 12 tokens"),
        (gap(up_to=2000), "of the requests are longer than the fleet's context of 2,000 tokens"),
        (one_pool(above=700), "of the requests have at most 700 tokens|does not go on"),
        (two_pools(router="lenght"), "unknown router"),
    ],
)
def test_ranges_that_leave_requests_or_pools_alone_are_refused(sketch: FleetSketch, words: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=words):
        scored(question(), sketch)


def test_the_lengths_there_are_stand_beside_a_pool_without_any() -> None:
    shortest, longest = length_pools.extent(LENGTHS)
    with pytest.raises(InputError, match=rf"these have {shortest:,.0f} to {longest:,.0f} tokens"):
        scored(question(), two_pools(up_to=12))


@pytest.mark.parametrize("admission", ["paged", "reserved"])
def test_a_request_that_never_fits_is_refused(admission: Any) -> None:
    tiny = profile("fast", blocks=150)
    with pytest.raises(InputError, match=r"pool all: a request of [\d,]+ tokens can never fit .*150 blocks"):
        scored(question(), replace(one_pool(), admission=admission), profiles=[tiny])


def test_so_is_one_that_a_given_engine_cannot_hold() -> None:
    own = PoolProfile(base_step_time=0.02, time_per_context_token=5e-8, time_per_prompt_token=6e-5, kv_blocks=150)
    with pytest.raises(InputError, match=r"pool all: a request of [\d,]+ tokens can never fit"):
        scored(question(), one_pool(profile=own))


def test_an_engine_faster_than_its_hardware_is_refused() -> None:
    magic = PoolProfile(base_step_time=1e-4, time_per_context_token=1e-12, time_per_prompt_token=1e-9, kv_blocks=20_000)
    with pytest.raises(InputError, match=r"^pool all: profile: this profile is faster than the hardware: MFU \d+% of"):
        scored(question(), one_pool(profile=magic, replicas=1), ((900.0, LENGTHS),))
