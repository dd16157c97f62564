"""Every branch of the verdict, on intervals made by hand, and the sentence that it gives."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import Estimate
from fleettui.simulation.verdict import LimitedLatency, far_above, rule

LEAST = 10


def held(
    value: float | None,
    half: float | None = None,
    *,
    limit: float = 0.5,
    runs: int = LEAST,
    pool: str = "short",
    metric: str = "ttft",
    served: bool = True,
) -> LimitedLatency:
    """Return a latency whose runs all came to `value`, with the interval value ± half."""
    found = Estimate(value=value)
    if value is not None and half is not None:
        found = Estimate(value=value, low=value - half, high=value + half)
    name = f"{metric.upper()} of pool {pool}"
    return LimitedLatency(name=name, limit=limit, values=(value,) * runs, estimate=found, served=served)


def ruled(*latencies: LimitedLatency, unstable: str = "") -> tuple[str, str]:
    return rule(latencies, least=LEAST, unstable=unstable)


def test_an_interval_within_the_limit_passes() -> None:
    assert ruled(held(0.412, 0.007)) == ("pass", "TTFT of pool short: 0.412 s [0.405, 0.419] within 0.5 s")


def test_an_interval_that_ends_on_the_limit_passes() -> None:
    assert ruled(held(0.4375, 0.0625))[0] == "pass"
    assert ruled(held(0.4375, 0.06251))[0] == "unproven"


def test_an_interval_above_the_limit_fails() -> None:
    assert ruled(held(0.612, 0.03)) == ("fail", "TTFT of pool short: 0.612 s [0.582, 0.642] above 0.5 s")


def test_an_interval_that_begins_on_the_limit_does_not_fail() -> None:
    assert ruled(held(0.5625, 0.0625))[0] == "unproven"
    assert ruled(held(0.5625, 0.06249))[0] == "fail"


def test_an_interval_on_both_sides_proves_nothing() -> None:
    verdict, reason = ruled(held(0.498, 0.02))
    assert (verdict, reason) == ("unproven", "TTFT of pool short: 0.498 s [0.478, 0.518] on both sides of 0.5 s")


def test_every_pool_and_metric_must_pass_and_one_failure_is_enough() -> None:
    fine = held(0.1, 0.01)
    vague = held(0.049, 0.002, limit=0.05, metric="tpot", pool="long")
    bad = held(9.0, 0.5, limit=8.0, metric="e2e", pool="long")
    assert ruled(fine, vague)[0] == "unproven"
    assert ruled(fine, vague)[1].startswith("TPOT of pool long")
    assert ruled(fine, vague, bad) == ("fail", "E2E of pool long: 9.00 s [8.50, 9.50] above 8 s")


def test_the_tightest_latency_gives_the_reason() -> None:
    loose, tight = held(0.1, 0.01), held(0.045, 0.002, limit=0.05, metric="tpot")
    assert ruled(loose, tight)[1].startswith("TPOT")
    assert ruled(held(0.6, 0.02), held(0.9, 0.02, pool="long"))[1].startswith("TTFT of pool long")


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_few_runs_do_not_fail_a_fleet_by_their_interval(runs: int) -> None:
    assert ruled(held(0.612, 0.03, runs=runs))[0] == "unproven"
    assert ruled(held(0.612, 0.03, runs=4))[0] == "fail"


def test_a_pass_takes_enough_runs() -> None:
    assert ruled(held(0.1, 0.01, runs=9)) == ("unproven", "TTFT of pool short: 0.100 s in 9 runs of at least 10")
    assert ruled(held(0.1, runs=1)) == ("unproven", "TTFT of pool short: 0.100 s in 1 run of at least 10")


def test_runs_far_above_the_limit_fail_without_an_interval() -> None:
    assert ruled(held(1.2, runs=1)) == ("fail", "TTFT of pool short: 1.20 s, in one run above 2 times 0.5 s")
    assert ruled(held(1.2, runs=3))[1] == "TTFT of pool short: 1.20 s, in every run above 2 times 0.5 s"
    assert ruled(held(1.0, runs=1))[0] == "unproven"


def test_one_run_that_is_not_far_above_leaves_it_open() -> None:
    values = (5.0, 5.0, 0.9)
    mixed = LimitedLatency(
        name="TTFT of pool a", limit=0.5, values=values, estimate=Estimate(value=3.6, low=0.0, high=9.0), served=True
    )
    assert far_above([mixed]) == ""
    assert ruled(mixed)[0] == "unproven"


def test_the_latency_furthest_above_is_named() -> None:
    assert far_above([held(1.2), held(3.0, pool="long"), held(0.1)]).startswith("TTFT of pool long: 3.00 s")
    assert far_above([]) == ""


def missed(share: float, half: float) -> LimitedLatency:
    """Return a share of requests that were not served, of which 1 % may be."""
    return replace(held(share, half, limit=0.01), name="requests that were not served", is_share=True)


def test_what_was_not_served_is_held_to_the_share_that_may_be_missed() -> None:
    words = "requests that were not served:"
    assert ruled(held(0.1, 0.01), missed(0.015, 0.002)) == ("fail", f"{words} 1.50 % [1.30, 1.70] above 1 %")
    assert ruled(held(0.1, 0.01), missed(0.5, 0.01)) == ("fail", f"{words} 50.0 %, in every run above 2 times 1 %")
    assert ruled(held(0.1, 0.01), missed(0.009, 0.002))[0] == "unproven"
    assert ruled(held(0.1, 0.01), missed(0.009, 0.0005)) == ("pass", f"{words} 0.900 % [0.850, 0.950] within 1 %")


def test_an_unstable_tail_is_unproven_unless_it_is_far_above() -> None:
    assert ruled(held(0.1), unstable="unstable tail") == ("unproven", "unstable tail")
    verdict, reason = ruled(held(1.2), unstable="unstable tail")
    assert verdict == "fail"
    assert reason.startswith("TTFT of pool short")
    assert reason.endswith("; unstable tail")


def test_without_limits_what_is_stable_passes() -> None:
    assert ruled() == ("pass", "no limit was given")
    assert ruled(unstable="unstable tail") == ("unproven", "unstable tail")


def test_a_latency_that_no_request_has_breaks_no_limit() -> None:
    none = held(None, metric="tpot")
    assert ruled(none) == ("pass", "TPOT of pool short: no request has one")
    assert ruled(none, held(0.1, 0.01))[1].startswith("TTFT of pool short: 0.100 s")
    assert ruled(none, held(0.9, 0.01))[0] == "fail"


def test_a_pool_that_served_nobody_proves_nothing() -> None:
    assert ruled(held(None, served=False))[0] == "unproven"


def test_a_latency_that_only_some_runs_show_proves_nothing() -> None:
    partly = LimitedLatency(
        name="TPOT of pool a", limit=1.0, values=(0.1, None), estimate=Estimate(value=None), served=True
    )
    assert ruled(held(0.1, 0.01), partly) == ("unproven", "TPOT of pool a is undefined in some runs: too few requests")


def test_digits_tell_the_deciding_end_from_the_limit() -> None:
    assert ruled(held(0.4993, 0.0005))[1] == "TTFT of pool short: 0.4993 s [0.4988, 0.4998] within 0.5 s"
    assert ruled(held(0.50003, 0.00001))[1] == "TTFT of pool short: 0.50003 s [0.50002, 0.50004] above 0.5 s"


def test_large_and_small_seconds_have_no_exponent() -> None:
    assert ruled(held(1234.0, 100.0, limit=1000.0))[1] == "TTFT of pool short: 1234 s [1134, 1334] above 1000 s"
    assert "0.0123 s [0.0113, 0.0133] within 0.05 s" in ruled(held(0.0123, 0.001, limit=0.05))[1]
