from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import StepCost
from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.domain.scenario import Question
from fleettui.domain.typed_range import TypedRange
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.held_fleet import HeldFleet, Situation
from fleettui.optimize.sensitivity import by_width, distributions, draw, ends, swing
from fleettui.workloads.context_limit import drop_atoms
from fleettui.workloads.scaled import scaled
from tests.optimize.samples import plan, profile, question
from tests.optimize.test_fleet_shape import LENGTHS, LIMIT, found, sizes

RATE = 60.0


def held(asked: Question | None = None) -> HeldFleet:
    wanted, fleet, profiles = found(RATE, asked)
    return HeldFleet.of(fleet, wanted, profiles, [(1.0, LENGTHS)])


def test_as_planned_it_is_the_plan() -> None:
    fleet = held()
    assert fleet.replicas(Situation(rate=RATE)) == sizes(fleet.fleet)
    assert fleet.price(sizes(fleet.fleet)) == (fleet.fleet.gpus, pytest.approx(2.0 * fleet.fleet.gpus))


@pytest.mark.parametrize("factors", [(1.1, 1.0), (0.9, 1.0), (1.0, 1.1), (1.0, 0.9)])
def test_other_lengths_are_planned_as_a_workload_with_those_lengths(factors: tuple[float, float]) -> None:
    lengths = Lengths(prompt=factors[0], output=factors[1])
    direct = plan(question(ttft=LIMIT, pools=(2,)), RATE, scaled(LENGTHS, lengths), [profile("fast")], grid=(700,))
    assert direct.answer is not None
    assert held().replicas(Situation(rate=RATE, lengths=lengths)) == sizes(direct.answer.fleet)


def test_prefix_hits_overhead_and_efficiency_are_planned_as_such() -> None:
    one = profile("fast")
    assert isinstance(one.step, StepCost)
    faster = replace(one, step=replace(one.step, linear_time=one.step.linear_time / 1.1, attention_time=1e-9 / 1.1))
    later = replace(one, step=replace(one.step, overhead=0.005))
    wanted = question(ttft=LIMIT, pools=(2,))
    for situation, asked, serving in (
        (Situation(rate=RATE, prefix_hit=0.5), replace(wanted, prefix_hit=0.5), one),
        (Situation(rate=RATE, compute=1.1), wanted, faster),
        (Situation(rate=RATE, overhead=0.005), wanted, later),
    ):
        direct = plan(asked, RATE, LENGTHS, [serving], grid=(700,))
        assert direct.answer is not None
        assert held().replicas(situation) == sizes(direct.answer.fleet)


def test_the_tornados_ends_are_what_direct_evaluation_says() -> None:
    fleet, base = held(), Situation(rate=RATE)
    rows = {row[0]: row for row in ends(fleet, base)}
    assert set(rows) == {
        *("rate", "prompt length", "output length", "prefix hit", "step time"),
        *("GPU compute", "GPU bandwidth", "overhead"),
    }
    rate = swing(fleet, rows["rate"])
    assert (rate.low, rate.high) == (pytest.approx(48.0), pytest.approx(72.0))
    assert rate.gpus == tuple(found(at)[1].gpus for at in (0.8 * RATE, 1.2 * RATE))
    step = swing(fleet, rows["step time"])
    known = plan(question(ttft=LIMIT, pools=(2,)), RATE, LENGTHS, [profile("fast")], grid=(700,)).answer
    assert known is not None
    sure, doubting = (
        tuple(sum(one.gpus(one.replicas(RATE, end) or ())) for end in (-1.0, 1.0))
        for one in (fleet.planned, fleet.planned.doubting)
    )
    assert (step.gpus, known.gpus_range) == (sure, doubting)
    assert sure[1] < doubting[1]
    assert step.gpus[0] is not None
    assert step.cost[0] == pytest.approx(2.0 * step.gpus[0])


def test_swings_are_sorted_and_what_cannot_be_served_comes_first() -> None:
    unsaid = held(question(ttft=LIMIT))
    rows = {row[0]: row for row in ends(unsaid, Situation(rate=RATE))}
    assert rows["prefix hit"][2:4] == (0.0, 0.3)
    assert [one.prefix_hit for one in rows["prefix hit"][4:]] == [0.0, 0.3]
    fleet = held(replace(question(ttft=LIMIT), prefix_hit=0.3))
    base = Situation(rate=RATE, prefix_hit=0.3)
    rows = {row[0]: row for row in ends(fleet, base)}
    assert rows["prefix hit"][2:4] == (pytest.approx(0.2), pytest.approx(0.4))
    hopeless = ("impossible", "share", -0.1, 0.1, base, replace(base, lengths=Lengths(prompt=1000.0)))
    ordered = by_width([swing(fleet, row) for row in (*rows.values(), hopeless)])  # type: ignore[arg-type]
    assert ordered[0].name == "impossible"
    assert ordered[0].gpus[1] is None
    widths = [one.width for one in ordered]
    assert widths == sorted(widths, reverse=True)


def test_requests_that_grow_beyond_the_context_are_refused_or_left_out() -> None:
    longer = Situation(rate=RATE, lengths=Lengths(prompt=1.5))
    longest = int(max(prompt + output for _, prompt, output in LENGTHS))
    kept = held()
    open_ended = replace(kept, fleet=_cut(kept, longest))
    assert open_ended.replicas(longer) is not None
    fixed = replace(open_ended, question=replace(kept.question, context=longest))
    assert fixed.replicas(longer) is None
    assert replace(fixed, question=replace(fixed.question, drop_longer=True)).replicas(longer) is not None


def test_what_is_left_out_lowers_the_rate_too() -> None:
    """The fleet for the requests that are left, planned for as many of them as there are."""
    rate = 100.0
    longer = Situation(rate=rate, lengths=Lengths(prompt=3.0))
    kept = held()
    most = int(max(prompt + output for _, prompt, output in LENGTHS))
    asked = replace(kept.question, context=most, drop_longer=True)
    atoms, share = drop_atoms(scaled(LENGTHS, longer.lengths), most)
    assert share > 0.05
    fleet = _cut(kept, most)
    shape = Shape.of(fleet, asked, kept.profiles, [(1.0, atoms)], modelled=True)
    own = replace(kept, fleet=fleet, question=asked)
    assert own.replicas(longer) == shape.replicas(rate * (1.0 - share))
    assert own.replicas(longer) != shape.replicas(rate)


def test_nothing_is_left_of_requests_that_all_grow_too_long() -> None:
    asked = replace(held().question, context=100, drop_longer=True)
    short = replace(held(), fleet=_cut(held(), 800), question=asked)
    assert short.replicas(Situation(rate=RATE, lengths=Lengths(prompt=1e4))) is None


def _cut(kept: HeldFleet, longest: int) -> Fleet:
    first, last = kept.fleet.pools
    return replace(kept.fleet, pools=(first, replace(last, up_to=longest, context=longest)))


def test_a_draw_is_reproducible_and_a_longer_one_begins_with_it() -> None:
    base = Situation(rate=RATE, prefix_hit=0.3)
    first = draw(base, samples=50, seed=7)
    assert first == draw(base, samples=50, seed=7)
    assert first == draw(base, samples=80, seed=7)[:50]
    assert first != draw(base, samples=50, seed=8)


def test_what_is_drawn_is_distributed_as_told() -> None:
    base = Situation(rate=RATE, prefix_hit=0.3)
    many = draw(base, samples=20_000, seed=1)
    rates = np.array([one.rate for one in many]) / RATE
    assert np.median(rates) == pytest.approx(1.0, abs=0.01)
    assert np.quantile(rates, [0.05, 0.95]) == pytest.approx([1 / 1.2, 1.2], abs=0.01)
    prompts = np.array([one.lengths.prompt for one in many])
    assert np.quantile(prompts, [0.05, 0.95]) == pytest.approx([1 / 1.1, 1.1], abs=0.01)
    steps = np.array([one.step_time for one in many])
    assert np.quantile(steps, [0.05, 0.5, 0.95]) == pytest.approx([-1.0, 0.0, 1.0], abs=0.03)
    hits = np.array([one.prefix_hit for one in many])
    assert (hits.min(), hits.max()) == (pytest.approx(0.2, abs=0.001), pytest.approx(0.4, abs=0.001))
    assert abs(np.corrcoef(rates, prompts)[0, 1]) < 0.03
    assert all(one.prefix_hit == 0.0 for one in draw(Situation(rate=RATE), samples=20, seed=1))
    assert [name for name, _ in distributions(held(), base)] == [
        *("rate", "prompt length", "output length", "prefix hit", "step time"),
    ]
    words = dict(distributions(held(), base))
    assert words["rate"] == "lognormal, 90 % within a factor of 1.2"
    assert words["prompt length"] == words["output length"] == "lognormal, 90 % within a factor of 1.1"


def test_the_sample_lies_around_the_plan() -> None:
    fleet = held()
    counts = sorted(
        fleet.price(needed)[0]
        for one in draw(Situation(rate=RATE), samples=60, seed=3)
        if (needed := fleet.replicas(one)) is not None
    )
    assert len(counts) == 60
    assert counts[len(counts) // 2] == pytest.approx(fleet.fleet.gpus, rel=0.15)
    assert counts[0] < fleet.fleet.gpus < counts[-1]


def test_a_given_engine_has_no_efficiency_to_move() -> None:
    asked, fleet, profiles = found(RATE)
    slow = replace(fleet.pools[0].profile, base_step_time=0.05)
    given = replace(fleet, pools=(replace(fleet.pools[0], profile=slow), fleet.pools[1]))
    names = {row[0] for row in ends(HeldFleet.of(given, asked, profiles, [(1.0, LENGTHS)]), Situation(rate=RATE))}
    assert names == {"rate", "prompt length", "output length", "prefix hit", "step time"}
    assert Situation(rate=1.0).lengths == AS_RECORDED


def test_what_was_typed_as_a_range_is_moved_and_drawn_as_typed() -> None:
    rate = TypedRange(key="rate", low=40.0, high=90.0)
    hit = TypedRange(key="prefix-hit", low=0.1, high=0.5)
    asked = replace(question(ttft=LIMIT), prefix_hit=hit.middle, ranges=(rate, hit))
    fleet, base = held(asked), Situation(rate=rate.middle, prefix_hit=hit.middle)
    rows = {row[0]: row[2:4] for row in ends(fleet, base)}
    assert (rows["rate"], rows["prefix hit"]) == ((40.0, 90.0), (0.1, 0.5))
    drawn = draw(base, samples=2000, seed=3, typed=asked.ranges)
    rates, hits = (np.array([getattr(one, name) for one in drawn]) for name in ("rate", "prefix_hit"))
    assert (rates.min(), rates.max()) == pytest.approx((40.0, 90.0), rel=0.01)
    assert np.median(rates) == pytest.approx(rate.middle, rel=0.03)
    assert (hits.min(), hits.max(), hits.mean()) == pytest.approx((0.1, 0.5, 0.3), abs=0.01)
    assert [one.lengths for one in drawn] == [one.lengths for one in draw(base, samples=2000, seed=3)]
    told = dict(distributions(fleet, base))
    assert told["rate"] == "uniform in its logarithm, within the range typed"
    assert told["prefix hit"] == "uniform, within the range typed"
    users = replace(asked, ranges=(TypedRange(key="requests-per-user", low=0.001, high=0.004),), prefix_hit=0.0)
    (row,) = [one for one in ends(held(users), Situation(rate=RATE)) if one[0] == "requests per user"]
    assert row[1:4] == ("share", -0.5, 1.0)
