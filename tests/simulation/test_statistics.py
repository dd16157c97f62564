"""Intervals against the table and by coverage, evidence from replications made by hand, and how many are wanted."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleettui.domain.limit import Limit
from fleettui.domain.plan import Estimate
from fleettui.domain.simulation import PoolRun, Replication
from fleettui.domain.slo import Slo
from fleettui.simulation.statistics import (
    LEAST,
    MOST,
    REQUEST_BUDGET,
    change_of_runs,
    estimate,
    hopeless,
    judge,
    wanted,
)
from fleettui.simulation.verdict import LEAST_TO_FAIL

LIMITS = Slo(ttft=0.5, tpot=0.05).limits()
STUDENT = {2: 12.706, 3: 4.303, 5: 2.776, 10: 2.262, 30: 2.045, 100: 1.984}  # by number of values, two-sided 95 %


def run(name: str = "all", **changes: Any) -> PoolRun:
    found = PoolRun(
        name=name,
        offered=20_000,
        completed=20_000,
        rejected=0,
        ttft=0.4,
        tpot=0.03,
        e2e=8.0,
        wait=0.1,
        attainment=0.995,
        utilization=0.8,
        batch=40.0,
        mfu=0.3,
        preemptions=10,
        duration=100.0,
        throughput=200.0,
    )
    return replace(found, **changes)


def replication(index: int, *pools: PoolRun, **changes: Any) -> Replication:
    runs = pools or (run(),)
    found = Replication(index=index, requests=25_000, ttft=runs[0].ttft, attainment=0.995, pools=runs, digest="")
    return replace(found, **changes)


def series(values: Sequence[float | None], **changes: Any) -> list[Replication]:
    """Return one replication per TTFT."""
    return [replication(index, run(ttft=value, **changes)) for index, value in enumerate(values)]


def around(middle: float, half: float, count: int) -> list[float]:
    """Return `count` values, an even number, whose interval is middle ± half, as are those of its first tens."""
    t = estimate([1.0, -1.0] * (LEAST // 2)).high
    assert t is not None
    return [middle + half / t, middle - half / t] * (count // 2)


@pytest.mark.parametrize(("count", "t"), STUDENT.items())
def test_the_interval_is_students(count: int, t: float) -> None:
    values = np.random.default_rng(count).normal(5.0, 2.0, count).tolist()
    found = estimate(values)
    assert found.value == pytest.approx(np.mean(values))
    assert found.high is not None
    assert found.low is not None
    half = t * np.std(values, ddof=1) / math.sqrt(count)
    assert found.high - np.mean(values) == pytest.approx(half, rel=3e-4)
    assert np.mean(values) - found.low == pytest.approx(half, rel=3e-4)


def test_a_higher_confidence_widens_the_interval() -> None:
    found = estimate([1.0, 2.0, 3.0], confidence=0.99)
    assert found.high == pytest.approx(2.0 + 9.925 / math.sqrt(3), rel=1e-4)


def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(11)
    found = [estimate(row) for row in rng.normal(1.0, 0.2, (4_000, LEAST)).tolist()]
    covered = np.mean([one.low is not None and one.high is not None and one.low <= 1.0 <= one.high for one in found])
    assert covered == pytest.approx(0.95, abs=0.01)


def test_one_value_has_no_interval_and_an_undefined_one_no_value() -> None:
    assert estimate([0.5]) == Estimate(value=0.5)
    assert estimate([0.5, None, 0.7]) == Estimate(value=None)
    assert estimate([]) == Estimate(value=None)


def test_an_interval_is_cut_to_what_a_value_can_be() -> None:
    found = estimate([0.98, 1.0], ends=(0.0, 1.0))
    assert (found.low, found.high) == (pytest.approx(0.99 - 0.12706, abs=1e-4), 1.0)


def test_the_order_of_replications_changes_nothing() -> None:
    found = series(np.random.default_rng(2).lognormal(-1.0, 0.3, 30).tolist())
    mixed = random.Random(1).sample(found, len(found))
    assert judge(mixed, LIMITS, precision=0.05, seed=1) == judge(found, LIMITS, precision=0.05, seed=1)
    assert wanted(mixed, LIMITS, precision=0.01) == wanted(found, LIMITS, precision=0.01)


def test_evidence_holds_what_the_replications_showed() -> None:
    found = judge(
        [
            replication(
                index,
                run("short", ttft=0.3 + 0.01 * (index % 2), utilization=0.7 + 0.2 * (index % 2), batch=30.0 + index),
                run("long", offered=1_000, preemptions=5 * (index % 2), mfu=None if index == 3 else 0.2),
                attainment=0.99 + 0.01 * (index % 2),
                ttft=0.35,
            )
            for index in range(10)
        ],
        LIMITS,
        precision=0.05,
        seed=7,
    )
    assert (found.method, found.verdict) == ("simulation", "pass")
    assert found.reason == "TTFT of pool long: 0.400 s [0.400, 0.400] within 0.5 s"
    assert (found.replications, found.requests, found.seed, found.precision) == (10, 250_000, 7, 0.05)
    assert found.ttft == Estimate(value=0.35, low=0.35, high=0.35)
    assert found.attainment.value == pytest.approx(0.995)
    assert found.attainment.high == pytest.approx(0.995 + 2.262 * 0.005 * math.sqrt(10 / 9) / math.sqrt(10), rel=1e-4)
    short, long = found.pools
    assert (short.name, long.name) == ("short", "long")
    assert short.ttft.value == pytest.approx(0.305)
    assert (short.utilization, short.batch, short.mfu) == (pytest.approx(0.8), pytest.approx(34.5), pytest.approx(0.3))
    assert long.mfu is None
    assert short.preemptions == pytest.approx(1000 * 10 / 20_000)
    assert long.preemptions == pytest.approx(1000 * 2.5 / 1_000)
    assert long.e2e.value == pytest.approx(8.0)


def test_a_run_whose_caches_found_nothing_counts_like_any_other() -> None:
    found = [replication(index, run(hit=hit)) for index, hit in enumerate((0.5, 0.0, 0.1))]
    assert judge(found, LIMITS, precision=0.05, seed=1).pools[0].hit == pytest.approx(0.2)
    assert judge(series([0.4] * 3), LIMITS, precision=0.05, seed=1).pools[0].hit is None
    found = [replication(index, run(hit=hit)) for index, hit in enumerate((None, 0.5, None, 0.1))]
    assert judge(found, LIMITS, precision=0.05, seed=1).pools[0].hit == pytest.approx(0.3), "of those with prompts"


def test_attainment_is_a_share() -> None:
    found = judge([replication(i, attainment=1.0 - 0.1 * (i == 0)) for i in range(10)], (), precision=0.05, seed=1)
    assert found.attainment.high == 1.0
    assert found.attainment.low == pytest.approx(0.99 - 2.262 * 0.01, rel=1e-4)
    found = judge([replication(i, attainment=0.1 * (i == 0)) for i in range(10)], (), precision=0.05, seed=1)
    assert found.attainment.low == 0.0


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        (around(0.45, 0.04, 10), "pass"),
        (around(0.45, 0.06, 10), "unproven"),
        (around(0.55, 0.06, 10), "unproven"),
        (around(0.55, 0.04, 10), "fail"),
        ([0.55, 0.551, 0.549, 0.55], "fail"),
        ([0.55, 0.551, 0.549], "unproven"),
        ([1.1, 3.0], "fail"),
        ([0.4, None] * 5, "unproven"),
    ],
)
def test_the_verdict_follows_from_the_interval(values: list[float | None], verdict: str) -> None:
    assert judge(series(values), LIMITS, precision=0.05, seed=1).verdict == verdict


def test_a_limit_at_a_percentile_of_its_own_decides_by_its_own_values() -> None:
    limits = Slo(ttft=0.5, further=(("ttft.p50", 0.2),)).limits()
    for value, verdict, word in ((0.1, "pass", "TTFT of"), (0.3, "fail", "P50 TTFT of"), (0.5, "fail", "P50 TTFT of")):
        found = judge(series([0.4] * 10, further=(("ttft.p50", value),)), limits, precision=0.05, seed=1)
        assert (found.verdict, found.reason[: len(word)]) == (verdict, word)
        assert found.pools[0].further == (("ttft.p50", Estimate(value=value, low=value, high=value)),)


def test_a_limit_counts_only_for_its_metric() -> None:
    found = series([0.9] * 10, tpot=0.04)
    assert judge(found, Slo(tpot=0.05).limits(), precision=0.05, seed=1).verdict == "pass"
    assert judge(found, Slo(tpot=0.03).limits(), precision=0.05, seed=1).verdict == "fail"
    assert judge(found, Slo(e2e=8.5).limits(), precision=0.05, seed=1).verdict == "pass"


def bounded(shares: Sequence[float], **changes: Any) -> list[Replication]:
    """Return one replication per share of requests that are not served, half of them turned away; 1 % may be missed."""
    counts = [round(share * 20_000) for share in shares]
    rows = [
        run(rejected=count // 2, timed_out=count - count // 2, completed=20_000 - count, may_miss=0.01, **changes)
        for count in counts
    ]
    return [replication(index, row) for index, row in enumerate(rows)]


def test_what_is_not_served_is_added_up_and_fails_above_the_share_that_may_be_missed() -> None:
    found = judge(bounded([0.03] * 10, over_offered=(("ttft", None), ("tpot", None))), LIMITS, precision=0.05, seed=1)
    pool = found.pools[0]
    assert (pool.rejected, pool.timed_out, pool.offered) == (3_000, 3_000, 200_000)
    words = "requests of pool all that were not served: 3.00 %, in every run above 2 times 1 %"
    assert (found.verdict, found.reason) == ("fail", words)


def test_latencies_are_then_held_over_all_that_was_offered_and_told_of_the_served() -> None:
    """0.4 s over the served keeps the limit; the missed 0.5 % lift the percentile over all to 0.6 s."""
    few = [0.004, 0.006] * 5
    late = judge(bounded(few, over_offered=(("ttft", 0.6), ("tpot", 0.03))), LIMITS, precision=0.05, seed=1)
    assert late.reason == "TTFT of pool all over all offered: 0.600 s [0.600, 0.600] above 0.5 s"
    assert late.pools[0].ttft.value == 0.4
    kept = judge(bounded(few, over_offered=(("ttft", 0.45), ("tpot", 0.03))), LIMITS, precision=0.05, seed=1)
    assert kept.verdict == "pass"
    near = bounded([0.002, 0.017] * 5, over_offered=(("ttft", None), ("tpot", None)))
    assert judge(near, LIMITS, precision=0.05, seed=1).verdict == "unproven"
    assert wanted(near, LIMITS, precision=0.05) > LEAST


def alone(*rows: list[PoolRun], limits: Sequence[Limit] = LIMITS, unstable: str = "") -> tuple[object, ...]:
    """Return the verdicts on the whole and on each pool; `rows` are the pools' runs."""
    found = [replication(index, *pools) for index, pools in enumerate(zip(*rows, strict=True))]
    evidence = judge(found, limits, precision=0.05, seed=1, unstable=unstable)
    return evidence.verdict, *(pool.verdict for pool in evidence.pools)


def runs(values: Sequence[float | None], **changes: Any) -> list[PoolRun]:
    return [run(ttft=value, **changes) for value in values]


WITHIN, ACROSS, ABOVE = around(0.45, 0.04, 10), around(0.45, 0.06, 10), around(0.55, 0.04, 10)


def test_a_pool_is_judged_by_its_own_intervals() -> None:
    slow, full = runs(WITHIN, tpot=0.06), runs(WITHIN, rejected=1_000, may_miss=0.01)
    found = alone(runs(WITHIN), runs(ABOVE), runs(ACROSS), runs([0.4, None] * 5), slow, full)
    assert found == ("fail", "pass", "fail", "unproven", "unproven", "fail", "fail")
    assert alone(runs(WITHIN), runs(ACROSS)) == ("unproven", "pass", "unproven")


def test_a_pool_is_held_to_the_limits_that_the_whole_is_held_to() -> None:
    assert alone(runs(WITHIN), runs(ACROSS), limits=Slo(ttft=0.6).limits()) == ("pass", "pass", "pass")
    assert alone(runs(WITHIN), runs(ACROSS), limits=Slo(ttft=0.4).limits()) == ("fail", "fail", "unproven")
    assert alone(runs(WITHIN), runs(ABOVE), limits=()) == ("pass", "pass", "pass")


def test_a_latency_that_no_request_of_a_pool_has_breaks_no_limit() -> None:
    moot = runs(WITHIN, tpot=None)
    assert alone(moot, runs(ABOVE)) == ("fail", "pass", "fail")
    assert alone(moot, runs(WITHIN)) == ("pass", "pass", "pass")


def test_a_pool_that_served_nobody_is_not_proven_beside_one_that_fails() -> None:
    nobody = runs([None] * 10, tpot=None, e2e=None, offered=0, completed=0)
    assert alone(nobody, runs(ABOVE)) == ("fail", "unproven", "fail")


def test_four_runs_pass_a_pool_only_beside_one_that_they_fail() -> None:
    """A fleet that fails is not run on, so what they show of the pool beside is all there is to walk by."""
    calm, bad = runs([0.41, 0.4, 0.4, 0.41]), runs([0.8, 0.81, 0.8, 0.81])
    assert alone(calm, bad) == ("fail", "pass", "fail")
    assert alone(calm, calm) == ("unproven", "unproven", "unproven")
    assert alone(calm[:3], [run(ttft=5.0)] * 3) == ("fail", "unproven", "fail")


def test_a_single_run_condemns_what_is_far_above_and_says_nothing_of_the_other_pools() -> None:
    assert alone(runs([0.1]), runs([1.01]), runs([0.99])) == ("fail", None, "fail", None)
    assert alone(runs([0.1], tpot=None), runs([1.01], tpot=None), unstable="why") == ("fail", None, "fail")


def test_an_unstable_tail_passes_no_pool_and_fails_the_one_that_is_far_above() -> None:
    assert alone(runs(WITHIN), runs(ABOVE), unstable="why") == ("unproven", "unproven", "unproven")
    assert alone(runs(WITHIN), runs([1.01] * 10), unstable="why") == ("fail", "unproven", "fail")


@pytest.mark.parametrize("seed", range(20))
def test_a_fleet_passes_when_all_its_pools_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [runs(rng.normal(rng.uniform(0.3, 0.6), 0.03, 10).tolist()) for _ in range(2)]
    whole, *pools = alone(*rows)
    assert (whole == "pass") == (pools == ["pass", "pass"])
    assert (whole == "fail") == ("fail" in pools)


def test_an_unstable_tail_has_values_but_no_interval() -> None:
    found = judge(series(around(0.4, 0.01, 10)), LIMITS, precision=0.05, seed=1, unstable="unstable tail: why")
    assert (found.verdict, found.reason) == ("unproven", "unstable tail: why")
    pool = found.pools[0]
    for one in (found.ttft, found.attainment, pool.ttft, pool.tpot, pool.e2e):
        assert one.value is not None
        assert (one.low, one.high) == (None, None)


def test_a_change_is_taken_run_by_run_and_undefined_where_a_run_has_no_value() -> None:
    values, own = [0.5, 0.9, 1.6], [0.4, 0.7, 1.3]
    assert change_of_runs(values, own, "") == estimate([one - other for one, other in zip(values, own, strict=True)])
    assert change_of_runs(values, own, "unstable tail").low is None
    assert change_of_runs(values, [0.4, None, 1.3], "") == Estimate(value=None)


def test_a_pool_without_requests_has_no_preemptions_and_proves_nothing() -> None:
    none: dict[str, Any] = {"ttft": None, "tpot": None, "e2e": None, "offered": 0, "completed": 0, "preemptions": 0}
    found = judge([replication(index, run(**none)) for index in range(10)], LIMITS, precision=0.05, seed=1)
    assert found.verdict == "unproven"
    assert found.pools[0].preemptions == 0.0


def test_replications_of_different_fleets_are_a_bug() -> None:
    with pytest.raises(AssertionError, match="2 fleets"):
        judge([replication(0, run("a")), replication(1, run("b"))], LIMITS, precision=0.05, seed=1)
    with pytest.raises(AssertionError, match="0 fleets"):
        judge([], LIMITS, precision=0.05, seed=1)


def test_a_look_far_above_a_limit_is_hopeless() -> None:
    bad = replication(0, run("short"), run("long", tpot=0.11))
    assert hopeless(bad, LIMITS) == "TPOT of pool long: 0.110 s, in one run above 2 times 0.05 s"
    assert judge([bad], LIMITS, precision=0.05, seed=1).verdict == "fail"
    assert hopeless(replication(0, run(ttft=0.99)), LIMITS) == ""
    assert hopeless(replication(0, run(ttft=None)), LIMITS) == ""
    assert hopeless(bad, ()) == ""


def test_precise_is_the_half_width_of_every_pools_ttft() -> None:
    found = series(around(0.4, 0.02, 10))
    vague = [replication(one.index, run("calm"), replace(one.pools[0], name="vague")) for one in found]
    for runs in (found, vague):
        assert wanted(runs, (), precision=0.0501) == LEAST
        assert wanted(runs, (), precision=0.0499) > LEAST
    assert wanted([replication(i, run(ttft=None)) for i in range(10)], (), precision=0.01) == LEAST


def test_the_first_round_condemns_and_the_second_is_whole() -> None:
    assert wanted([], LIMITS, precision=0.05) == LEAST_TO_FAIL
    failing, calm = series([5.0] * 9), series([0.4] * 9)
    assert all(wanted(failing[:count], LIMITS, precision=0.05) == LEAST_TO_FAIL for count in range(5))
    assert wanted(failing, LIMITS, precision=0.05) == 9
    assert all(wanted(calm[:count], LIMITS, precision=0.05) == LEAST for count in range(4, 10))


@pytest.mark.parametrize("middle", [0.4, 5.0])
def test_an_unstable_tail_ends_with_the_first_round(middle: float) -> None:
    """No number of runs lets it pass, and what four runs are far above a limit is condemned."""
    found = series(around(middle, 0.09, 10))
    goals = [wanted(found[:count], LIMITS, precision=0.05, unstable="why") for count in range(11)]
    assert goals == [LEAST_TO_FAIL] * 4 + list(range(4, 11)), "what is there already is kept"
    verdicts = [judge(found[:count], LIMITS, precision=0.05, seed=1, unstable="why").verdict for count in range(4, 11)]
    assert verdicts == (["unproven"] if middle < 0.5 else ["fail"]) * 7


def test_four_runs_far_above_a_limit_condemn_however_much_they_differ() -> None:
    """Their interval begins at 0, but every run takes more than twice the limit."""
    far = series([1.01, 1.01, 1.01, 30.0])
    assert judge(far, LIMITS, precision=0.05, seed=1).ttft.low == 0.0
    assert wanted(far, LIMITS, precision=0.05) == LEAST_TO_FAIL


def test_four_runs_across_a_limit_condemn_nothing() -> None:
    assert wanted(series([0.45, 0.55, 0.6, 0.65]), LIMITS, precision=0.05) == LEAST


@pytest.mark.parametrize(
    ("middle", "half", "precision", "count"),
    [
        (0.40, 0.019, 0.05, 10),  # precise and passing
        (0.40, 0.028, 0.05, 20),  # 10·1.4² = 19.6
        (0.40, 0.030, 0.05, 30),  # 10·1.5² = 22.5
        (0.40, 0.059, 0.05, 90),  # 10·2.95² = 87.0
        (0.40, 0.090, 0.05, MOST),
        (0.48, 0.030, 0.10, 30),  # across the limit, 0.02 away: 10·1.5²
        (0.52, 0.030, 0.10, 30),
        (0.50, 0.001, 0.10, MOST),  # on the limit
        (0.60, 0.090, 0.01, 10),  # fails, however vague: four runs had not shown it
        (0.48, 0.0200001, 0.10, 20),
    ],
)
def test_the_next_round_follows_the_square_law(middle: float, half: float, precision: float, count: int) -> None:
    assert wanted(series(around(middle, half, 10)), LIMITS, precision=precision) == count


@pytest.mark.parametrize(
    ("middle", "half", "count"),
    [
        (0.495, 0.010, LEAST),  # 1 % below its limit, which is in the interval
        (0.505, 0.010, LEAST),
        (0.495, 0.004, LEAST),  # a pass
        (0.480, 0.030, 30),  # 4 % below: 10·1.5² runs tell
        (0.40, 0.019, LEAST),
    ],
)
def test_a_brief_proof_does_not_wait_for_what_lingers_at_its_limit(middle: float, half: float, count: int) -> None:
    """No pass comes of it: the verdict is open for as long as the limit lies in the interval."""
    found = series(around(middle, half, 10))
    assert wanted(found, LIMITS, precision=0.1, brief=True) == count
    high = judge(found, LIMITS, precision=0.1, seed=1).ttft.high
    assert high is not None
    assert (judge(found, LIMITS, precision=0.1, seed=1).verdict == "pass") == (high <= 0.5)


def test_the_pool_that_needs_most_decides() -> None:
    found = series(around(0.4, 0.019, 10))
    calm = [replication(one.index, run("calm", ttft=0.3), replace(one.pools[0], name="vague")) for one in found]
    assert wanted(calm, LIMITS, precision=0.05) == LEAST
    assert wanted(calm, LIMITS, precision=0.03) == 30


def test_a_round_in_work_is_not_decided_anew() -> None:
    values = around(0.40, 0.028, 10) + [0.4] * 10
    for count in range(10, 20):
        assert wanted(series(values[:count]), LIMITS, precision=0.05) == 20
    assert wanted(series(values[:15])[::-1], LIMITS, precision=0.05) == 20
    assert wanted(series(values), LIMITS, precision=0.05) == 20


def test_replications_beyond_what_is_wanted_are_kept() -> None:
    assert wanted(series(around(0.4, 0.019, 26)), LIMITS, precision=0.05) == 26
    assert wanted(series([5.0] * 13), LIMITS, precision=0.05) == 13
    assert wanted(series(around(0.5, 0.1, 12)), LIMITS, precision=0.05, unstable="why") == 12


def test_what_more_runs_cannot_mend_ends_the_rounds() -> None:
    vague = around(0.4, 0.09, 10)
    assert wanted(series(vague, rejected=1_000, may_miss=0.01), LIMITS, precision=0.05) == LEAST
    assert wanted(series(vague), LIMITS, precision=0.05, unstable="why") == LEAST
    assert wanted(series([0.4, None] * 5), LIMITS, precision=0.05) == LEAST


def test_without_limits_only_precision_counts() -> None:
    assert wanted(series([5.0] * 10), (), precision=0.05) == LEAST
    assert wanted(series(around(5.0, 0.35, 10)), (), precision=0.05) == 20


@pytest.mark.parametrize(("requests", "count"), [(300_000, MOST), (750_000, 40), (1_600_000, 10), (4_000_000, 10)])
def test_the_budget_of_requests_ends_the_rounds(requests: int, count: int) -> None:
    found = [replace(one, requests=requests) for one in series(around(0.4, 0.2, 10))]
    assert wanted(found, LIMITS, precision=0.05) == count
    assert count == LEAST or count * requests <= REQUEST_BUDGET


@pytest.mark.parametrize("seed", range(8))
def test_rounds_end_and_do_not_depend_on_how_many_run_at_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = series(rng.lognormal(math.log(0.45), rng.uniform(0.01, 0.4), MOST).tolist())

    def one_at_a_time(count: int, goal: int) -> int:
        return min(count + 1, goal)

    def seven_at_a_time(count: int, goal: int) -> int:
        return min(count + 7, goal)

    def rounds(step: Callable[[int, int], int]) -> list[int]:
        count, goals = 0, []
        while (goal := wanted(pool[:count], LIMITS, precision=0.05)) > count:
            goals += [goal] if goal not in goals else []
            count = step(count, goal)
        return [*goals, count]

    expected = rounds(lambda _, goal: goal)
    assert rounds(one_at_a_time) == rounds(seven_at_a_time) == expected
    assert all(goal == LEAST_TO_FAIL or (goal % LEAST == 0 and goal <= MOST) for goal in expected)
    assert expected == sorted(expected)


def test_each_class_is_ruled_by_its_own_limit() -> None:
    limits = Slo(ttft=0.5, further=(("batch.ttft", 60.0),)).limits()
    for value, verdict, word in ((30.0, "pass", "TTFT of"), (70.0, "fail", "batch TTFT of")):
        further = (("batch.ttft", value), ("batch.tpot", 0.1), ("batch.e2e", 90.0))
        found = judge(
            series([0.4] * 10, further=further, attainments=(("interactive", 1.0), ("batch", 0.5))),
            limits,
            precision=0.05,
            seed=1,
        )
        assert (found.verdict, found.reason[: len(word)]) == (verdict, word)
        seen = found.pools[0]
        assert [name for name, _ in seen.further] == ["batch.ttft", "batch.tpot", "batch.e2e"]
        assert seen.attainments[1] == ("batch", Estimate(value=0.5, low=0.5, high=0.5))
