"""What must hold of any plan, whatever the numbers."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.domain.limit import ALWAYS, Latency, Limit
from fleettui.domain.meter import feed
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Objective
from fleettui.domain.slo import Slo
from tests.optimize.samples import atoms, plan, profile, question
from tests.repeated import few

SEEDS = st.integers(0, 30)
RATES = st.floats(0.5, 60.0)
LIMITS = st.floats(0.12, 4.0)


def cost(answer: Answer) -> float:
    return answer.answer.cost_per_hour if answer.answer else float("inf")


@given(SEEDS, RATES, LIMITS, st.sampled_from([one.name for one in ALWAYS]), st.sampled_from([0.5, 0.9, 0.99]))
@pytest.mark.thorough
def test_a_limit_at_a_percentile_of_its_own_is_held_as_the_slo_is(
    seed: int, rate: float, limit: float, metric: str, share: float
) -> None:
    lengths, both = atoms(seed), [profile("fast"), profile("slow", speed=0.5, price=0.7)]
    seconds = limit * {"ttft": 1.0, "tpot": 0.1}.get(metric, 10.0)
    shared = Slo(percentile=share).moved(Limit(metric=metric, seconds=seconds), seconds)
    own = Slo(further=((Latency(metric=metric, percentile=share).name, seconds),))
    one, other = (plan(replace(question(), slo=slo), rate, lengths, both) for slo in (shared, own))
    assert one.verdict == other.verdict
    if one.answer and other.answer:
        assert one.answer.fleet == other.answer.fleet
        (held,) = own.limits()
        assert [pool.at(held) for pool in other.answer.pools] == [getattr(pool, metric) for pool in one.answer.pools]
        assert [pool.limited_by for pool in other.answer.pools] == [
            pool.limited_by.replace(held.label[-len(metric) :], held.label) for pool in one.answer.pools
        ]


@given(SEEDS, RATES, LIMITS, st.floats(0.05, 2.0))
@pytest.mark.thorough
def test_a_further_limit_never_saves_and_is_kept(seed: int, rate: float, limit: float, median: float) -> None:
    lengths, one = atoms(seed), [profile("fast", tp=1), profile("fast", tp=4, speed=2.5)]
    asked = question(ttft=limit)
    both = replace(asked, slo=replace(asked.slo, further=(("ttft.p50", limit * median),)))
    less, more = plan(asked, rate, lengths, one), plan(both, rate, lengths, one)
    assert cost(less) <= cost(more)
    if more.answer:
        assert all(
            pool.at(held) <= held.seconds * (1 + 1e-9) for pool in more.answer.pools for held in both.slo.limits()
        )
        assert more.answer.shortfalls == ()


@pytest.mark.parametrize(
    ("seed", "rate", "limit", "share", "looser"),
    few(
        [(1, 30.0, 0.3, 0.5, 4.0), (2, 80.0, 1.0, 0.1, 20.0), (3, 8.0, 0.5, 0.9, 1.0), (4, 200.0, 0.4, 0.7, 2.0)],
        1,
        more=2,
    ),
)
def test_a_class_behind_the_others_spares_them_waiting_and_its_own_limit_is_kept(
    seed: int, rate: float, limit: float, share: float, looser: float
) -> None:
    lengths, one = atoms(seed), [profile("fast", tp=1), profile("fast", tp=4, speed=2.5)]
    asked = question(ttft=limit)
    classed = replace(asked, batch_share=share)
    both = replace(classed, slo=replace(asked.slo, further=(("batch.ttft", limit * looser),)))
    plain, less, more = (plan(each, rate, lengths, one) for each in (asked, classed, both))
    assert cost(less) <= cost(plain)
    assert cost(less) <= cost(more)
    if more.answer:
        assert all(
            pool.at(held) <= held.seconds * (1 + 1e-9) for pool in more.answer.pools for held in both.slo.limits()
        )
        assert all(pool.ttft <= pool.at(Latency.named("batch.ttft")) * (1 + 1e-9) for pool in more.answer.pools)
        seen = more.answer.evidence
        assert seen is None or 0.0 <= (seen.attainment.value or 0.0) <= 1.0


@given(SEEDS, RATES, st.floats(1.0, 3.0), LIMITS)
def test_more_rate_never_fewer_gpus(seed: int, rate: float, more: float, limit: float) -> None:
    asked, lengths, one = question(ttft=limit), atoms(seed), [profile("fast", tp=1), profile("fast", tp=4, speed=2.5)]
    less, more_of_it = plan(asked, rate, lengths, one), plan(asked, rate * more, lengths, one)
    assert less.verdict == more_of_it.verdict
    if less.answer and more_of_it.answer:
        assert less.answer.gpus <= more_of_it.answer.gpus


@given(SEEDS, RATES, LIMITS, st.floats(1.0, 4.0))
@pytest.mark.thorough
def test_a_looser_limit_never_costs_more(seed: int, rate: float, limit: float, looser: float) -> None:
    lengths, both = atoms(seed), [profile("fast"), profile("slow", speed=0.5, price=0.7)]
    tight, loose = (plan(question(ttft=one), rate, lengths, both) for one in (limit, limit * looser))
    assert cost(loose) <= cost(tight)


@given(SEEDS, RATES, LIMITS, st.floats(0.05, 1.0))
@pytest.mark.thorough
def test_a_cheaper_price_never_changes_feasibility(seed: int, rate: float, limit: float, factor: float) -> None:
    lengths, dear = atoms(seed), profile("fast")
    cheap = replace(dear, price_per_hour=dear.price_per_hour * factor)
    assert (
        plan(question(ttft=limit), rate, lengths, [dear]).verdict
        == plan(question(ttft=limit), rate, lengths, [cheap]).verdict
    )


@pytest.mark.evidence
@given(SEEDS, RATES, LIMITS)
def test_more_kinds_of_gpu_or_more_pools_never_cost_more(seed: int, rate: float, limit: float) -> None:
    lengths, fast, slow = atoms(seed), profile("fast"), profile("slow", speed=0.5, price=0.7)
    one_kind = plan(question(ttft=limit, pools=(1,)), rate, lengths, [fast])
    two_kinds = plan(question(ttft=limit, pools=(1,)), rate, lengths, [fast, slow])
    two_pools = plan(question(ttft=limit, pools=(1, 2)), rate, lengths, [fast, slow])
    assert cost(two_pools) <= cost(two_kinds) <= cost(one_kind)


@pytest.mark.evidence
@given(SEEDS, RATES, LIMITS, st.sampled_from([(1,), (2,), (1, 2)]), st.integers(2, 4), st.booleans())
def test_more_pools_or_more_compression_never_cost_more(
    seed: int, rate: float, limit: float, pools: tuple[int, ...], more: int, nodes: bool
) -> None:
    lengths, both = atoms(seed), [profile("fast"), profile("slow", speed=0.5, price=0.7)]
    asked = question(ttft=limit, pools=pools, whole_nodes=nodes)
    least = cost(plan(asked, rate, lengths, both))
    assert cost(plan(replace(asked, pools=(*pools, more)), rate, lengths, both)) <= least
    assert cost(plan(replace(asked, gamma=(1.0, 1.3)), rate, lengths, both)) <= least


@pytest.mark.evidence
@given(SEEDS, RATES, LIMITS)
def test_each_objective_has_least_of_its_own(seed: int, rate: float, limit: float) -> None:
    lengths, both = atoms(seed), [profile("fast"), profile("slow", speed=0.5, price=0.7)]
    objectives: tuple[Objective, ...] = ("cost", "gpus", "power", "energy", "ttft")
    found = {one: plan(question(ttft=limit, objective=one), rate, lengths, both).answer for one in objectives}
    fleets = [one for one in found.values() if one]
    if not fleets:
        return
    assert len(fleets) == len(objectives)
    fields: dict[Objective, str] = {"cost": "cost_per_hour", "gpus": "gpus", "power": "power"}
    for objective, field in fields.items():
        least = min(getattr(one, field) for one in fleets)
        assert getattr(found[objective], field) == pytest.approx(least)
    metered = [feed(question(ttft=limit), one.power, one.gpus) for one in fleets]
    own = found["energy"]
    assert own is not None
    assert feed(question(ttft=limit), own.power, own.gpus) == pytest.approx(min(metered))
    assert slowest(found["ttft"]) == min(map(slowest, fleets))


def slowest(candidate: Candidate | None) -> float:
    assert candidate is not None
    return max(pool.ttft for pool in candidate.pools)


def test_gpus_that_cost_nothing_are_planned_with() -> None:
    found = plan(question(ttft=0.3), 20.0, atoms(1), [profile("fast", price=0.0), profile("slow", speed=0.01)])
    assert found.answer is not None
    assert found.answer.cost_per_hour == 0.0


def test_spares_are_in_the_fleet_its_cost_and_its_reasons() -> None:
    plain, held = (
        plan(question(availability=one, pools=(1,)), 20.0, atoms(2), [profile()]).answer for one in (None, 0.98)
    )
    assert plain is not None
    assert held is not None
    (pool,) = held.fleet.pools
    assert pool.replicas == plain.fleet.pools[0].replicas
    assert pool.spares >= 1
    assert held.cost_per_hour == pytest.approx(2.0 * 2 * (pool.replicas + pool.spares))
    assert held.pools[0].ttft == plain.pools[0].ttft
    assert held.power > plain.power
    why = plan(question(availability=0.98, pools=(1,)), 20.0, atoms(2), [profile()]).why
    assert any(f"{pool.replicas} of {pool.replicas + pool.spares} replicas are up 99." in sentence for sentence in why)


def test_a_fleet_that_survives_replicas_is_what_is_left_and_those_beside_it() -> None:
    plain, held = (plan(question(survive=count, pools=(1,)), 20.0, atoms(2), [profile()]) for count in (0, 2))
    assert plain.answer is not None
    assert held.answer is not None
    (own,), (pool,) = plain.answer.fleet.pools, held.answer.fleet.pools
    assert replace(pool, spares=0) == own
    assert pool.spares == 2
    more = held.answer.cost_per_hour - plain.answer.cost_per_hour
    assert more == pytest.approx(2 * pool.gpus_per_replica * 2.0)
    told = next(one for one in held.why if one.startswith("survive 2"))
    assert f"any 2 replicas of each pool down is sized by itself; that takes {2 * pool.tp} GPUs" in told
    assert f"${more:.2f}/h more than none" in told
    assert not any("survive" in one for one in plain.why)


def test_replicas_in_stages_are_counted_with_all_their_gpus_and_their_lanes() -> None:
    """Two stages of two GPUs run two batches: as much as two replicas, in half as many, of four GPUs each."""
    plain, staged = (
        plan(question(pools=(1,), whole_nodes=nodes), 60.0, atoms(2), [one]).answer
        for one, nodes in ((profile(), False), (replace(profile(), pp=2), False))
    )
    assert plain is not None
    assert staged is not None
    (one,), (two,) = plain.fleet.pools, staged.fleet.pools
    assert (two.division, two.gpus, staged.gpus) == ("tp2pp2", 4 * two.replicas, 4 * two.replicas)
    assert two.lanes >= one.replicas > two.replicas
    assert staged.cost_per_hour == 2.0 * staged.gpus
    assert (two.concurrency, two.settings.places(2)) == (min(one.concurrency, 128), 128)
    spared = plan(question(availability=0.98, pools=(1,)), 60.0, atoms(2), [replace(profile(), pp=2)])
    assert spared.answer is not None
    (pool,) = spared.answer.fleet.pools
    assert spared.answer.gpus == 4 * (pool.replicas + pool.spares) > staged.gpus


def test_the_smallest_relaxation_is_not_that_of_the_cheapest_fleet() -> None:
    """One fast GPU would do at any price; the cheapest fleet that lacks stock takes many slow ones beside fewer."""
    profiles = [profile("fast", tp=1, speed=4.0, price=9.0), profile("fast", tp=4, speed=8.0, price=1.0)]
    profiles = [replace(one, name=f"{one.name}{place}") for place, one in enumerate(profiles)]
    asked = question(ttft=2.0, pools=(1,))
    fewest = plan(replace(asked, objective="gpus"), 20.0, atoms(3), profiles).answer
    assert fewest is not None
    short = plan(replace(asked, max_gpus=(("fast", fewest.gpus - 1),)), 20.0, atoms(3), profiles)
    assert short.answer is None
    assert f"{fewest.gpus} fast would do" in short.why[0]
    assert plan(replace(asked, max_gpus=(("fast", fewest.gpus),)), 20.0, atoms(3), profiles).answer is not None


@given(SEEDS, RATES, LIMITS)
def test_every_candidate_keeps_every_limit_in_every_pool(seed: int, rate: float, limit: float) -> None:
    found = plan(question(ttft=limit), rate, atoms(seed), [profile("fast"), profile("slow", speed=0.5, price=0.7)])
    for one in found.candidates:
        if one.shortfalls:
            continue
        for pool in one.pools:
            assert pool.ttft <= limit * (1 + 1e-6)
            assert pool.utilization <= 0.85 * (1 + 1e-9)
            assert 0 < pool.mfu <= 1
            assert 0 < pool.bandwidth_use <= 1
    costs = [one.cost_per_hour for one in found.candidates if not one.shortfalls]
    assert costs == pytest.approx(sorted(costs))


def test_the_answer_carries_its_evidence_range_and_reasons() -> None:
    found = plan(question(ttft=0.6), 20.0, atoms(3), [profile("fast"), profile("slow", speed=0.5, price=0.7)])
    assert found.answer is not None
    low, high = found.answer.gpus_range
    assert low is not None
    assert low <= found.answer.gpus
    assert high is None or high >= found.answer.gpus
    assert found.answer.evidence is not None
    assert found.answer.evidence.method == "formula"
    assert found.answer.evidence.attainment.value is not None
    assert found.answer.evidence.attainment.value >= 0.99
    assert any("one replica fewer" in sentence for sentence in found.why)


def test_headroom_tightens_the_limit() -> None:
    asked, lengths = question(ttft=1.5), atoms(3)
    roomy = plan(replace(asked, headroom=0.4), 20.0, lengths, [profile()])
    assert roomy.answer is not None
    assert max(pool.ttft for pool in roomy.answer.pools) <= 0.9
    assert cost(roomy) == cost(plan(question(ttft=0.9), 20.0, lengths, [profile()]))


def test_below_the_floor_is_infeasible_and_says_what_would_help() -> None:
    found = plan(question(ttft=0.005), 20.0, atoms(3), [profile()])
    assert found.verdict == "infeasible"
    assert found.answer is None
    assert found.candidates
    assert found.candidates[0].shortfalls
    assert "alone on a replica" in found.why[0]


@pytest.mark.parametrize(("pools", "words"), [((2,), "in each of 2 pools"), ((2, 3), "in each of 2 or 3 pools")])
def test_requests_of_one_length_are_not_divided(pools: tuple[int, ...], words: str) -> None:
    found = plan(question(ttft=1.0, pools=pools), 5.0, ((1.0, 500.0, 50.0),), [profile()])
    assert found.answer is None
    assert found.candidates == ()
    assert f"no split leaves requests {words}" in found.why[0]
    assert plan(question(ttft=1.0, pools=(1,)), 5.0, ((1.0, 500.0, 50.0),), [profile()]).answer is not None


def test_a_pool_of_slow_requests_alone_is_not_told_as_a_floor_of_all() -> None:
    lengths = ((0.995, 100.0, 50.0), (0.005, 12_000.0, 50.0))
    asked = question(ttft=0.2, pools=(2,))
    found = plan(asked, 5.0, lengths, [profile()])
    assert found.answer is None
    assert "of 2 pools one always misses a limit" in found.why[0]
    assert plan(replace(asked, pools=(1,)), 5.0, lengths, [profile()]).answer is not None


def test_the_floor_is_that_of_the_slowest_time_slice() -> None:
    from fleettui.optimize.plan import find_plan

    slices = [(40.0, ((1.0, 4000.0, 50.0),)), (1.0, ((1.0, 9000.0, 50.0),))]
    asked = question(ttft=0.05, pools=(1,))
    short = find_plan(asked, slices=slices, profiles=[profile()], grid=(), context=16_384)
    said = re.search(r"is ([\d.]+) s", short.why[0])
    assert said is not None
    looser = question(ttft=float(said[1]) * 1.01, pools=(1,))
    assert find_plan(looser, slices=slices, profiles=[profile()], grid=(), context=16_384).answer is not None


def test_too_little_memory_is_infeasible() -> None:
    found = plan(question(), 20.0, atoms(3), [profile(blocks=10)])
    assert found.verdict == "infeasible"
    assert "KV cache" in found.why[0]


@pytest.mark.parametrize(
    ("change", "word"),
    [({"budget": 3.0}, "budget"), ({"max_power": 500.0}, "power"), ({"max_gpus": (("fast", 2),)}, "fast would do")],
)
def test_a_broken_constraint_names_the_smallest_relaxation(change: dict[str, Any], word: str) -> None:
    asked, lengths = replace(question(), **change), atoms(3)
    found = plan(asked, 40.0, lengths, [profile()])
    assert found.verdict == "infeasible"
    nearest = found.candidates[0]
    assert nearest.shortfalls
    if "budget" in change:
        relaxed = replace(asked, budget=nearest.cost_per_hour)
    elif "max_power" in change:
        relaxed = replace(asked, max_power=nearest.power)
    else:
        relaxed = replace(asked, max_gpus=(("fast", nearest.gpus),))
    assert plan(relaxed, 40.0, lengths, [profile()]).verdict == "pass"
    assert word in found.why[0] or word in found.candidates[0].shortfalls[0]


def test_constraints_that_only_break_together_are_named_together() -> None:
    found = plan(question(budget=3.0, max_power=500.0), 40.0, atoms(3), [profile()])
    assert found.verdict == "infeasible"
    assert len(found.candidates) == 1
    assert found.why[0].startswith("by formula a fleet at ")
    assert "several limits at once" in found.why[0]
    assert "$3.00/h" in found.why[0]
    assert "0.5 kW" in found.why[0]


def test_the_worst_slice_decides() -> None:
    from fleettui.optimize.plan import find_plan

    short, long = atoms(3), tuple((w, p * 3, o * 2) for w, p, o in atoms(3))
    asked = question(ttft=2.0, pools=(1,))
    slices = [(40.0, short), (10.0, long)]
    both = find_plan(asked, slices=slices, profiles=[profile()], grid=(), context=65_536)
    alone = [find_plan(asked, slices=[one], profiles=[profile()], grid=(), context=65_536) for one in slices]
    assert both.answer is not None
    assert both.answer.gpus == max(one.answer.gpus for one in alone if one.answer)


def test_whole_nodes_count_against_the_limits_on_gpus_too() -> None:
    asked = question(ttft=1.0, pools=(1,), whole_nodes=True)
    free = plan(asked, 20.0, atoms(2), [profile()])
    assert free.answer is not None
    paid = -(-free.answer.gpus // 8) * 8
    assert paid > free.answer.gpus
    assert any(f"{paid} fast are paid for" in sentence for sentence in free.why)
    for limit in ({"max_total_gpus": paid - 1}, {"max_gpus": (("fast", paid - 1),)}):
        short = plan(replace(asked, **limit), 20.0, atoms(2), [profile()])
        assert short.answer is None
        assert f"{paid} " in short.why[0]
        assert "above" in short.candidates[0].shortfalls[0]
    assert plan(replace(asked, max_total_gpus=paid), 20.0, atoms(2), [profile()]).answer is not None


@pytest.mark.parametrize("seed", few(range(12), 1, more=2))
@pytest.mark.parametrize("limit", ["budget", "max_power", "max_feed"])
def test_what_would_do_does(seed: int, limit: str) -> None:
    """The value is read from the sentence as it is printed, over three time slices."""
    from fleettui.optimize.plan import find_plan

    slices = [(20.0, atoms(seed)), (12.0, atoms(seed + 50)), (3.0, atoms(seed + 90))]
    profiles = [profile("fast", price=2.037), profile("slow", speed=0.5, price=0.713)]

    def planned(**limits: float) -> Answer:
        asked = replace(question(ttft=0.8), **limits)  # type: ignore[arg-type]
        return find_plan(asked, slices=slices, profiles=profiles, grid=(700, 3000), context=16_384)

    short = planned(**{limit: 1.0})
    if len(short.why) == 1 and (said := re.search(r"(\$|of )([\d.]+)(/h| kW).* would do", short.why[0])):
        assert planned(**{limit: float(said[2]) * (1.0 if limit == "budget" else 1e3)}).answer is not None
    else:
        assert "no number of GPUs helps" in short.why[0]
