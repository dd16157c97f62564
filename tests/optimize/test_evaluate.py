"""A candidate's totals are those of its pools; its mixture is no mean; shortfalls are named."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import Candidate
from fleettui.optimize.evaluate import shortfalls
from fleettui.optimize.terms import Terms
from tests.optimize.samples import atoms, plan, profile, question

FOUND = plan(question(ttft=0.8), 30.0, atoms(5), [profile("fast"), profile("slow", speed=0.5, price=0.6)])


def two_pools() -> Candidate:
    return next(one for one in FOUND.candidates if len(one.fleet.pools) == 2)


def test_totals_add_up() -> None:
    prices = {"fast": 2.0, "slow": 0.6}
    for one in FOUND.candidates:
        assert one.gpus == sum(pool.gpus for pool in one.fleet.pools)
        assert one.cost_per_hour == pytest.approx(sum(pool.gpus * prices[pool.gpu] for pool in one.fleet.pools))
        assert one.power == pytest.approx(sum(pool.power for pool in one.pools))
        assert sum(pool.arrival_rate for pool in one.pools) == pytest.approx(30.0)


def test_cost_per_million_output_tokens() -> None:
    weight = sum(atom[0] for atom in atoms(5))
    output = sum(w * o for w, _, o in atoms(5)) / weight
    one = FOUND.candidates[0]
    assert one.cost_per_million_output_tokens == pytest.approx(one.cost_per_hour / (30.0 * output * 3600) * 1e6)


def test_pools_join_and_are_named_in_order_of_length() -> None:
    short, long = two_pools().fleet.pools
    assert (short.name, long.name) == ("short", "long")
    assert (short.above, short.up_to, long.up_to) == (0, long.above, 16_384)
    assert short.context == short.up_to


def test_the_mixture_lies_between_the_pools() -> None:
    one = plan(replace(question(ttft=0.8), pools=(2,)), 30.0, atoms(5), [profile("fast")]).answer
    assert one is not None
    assert one.evidence is not None
    assert one.evidence.ttft.value is not None
    times = [pool.ttft for pool in one.pools]
    assert min(times) <= one.evidence.ttft.value <= max(times)
    assert one.evidence.ttft.low is None


def test_shortfalls_name_value_and_limit() -> None:
    asked = question(ttft=0.001, budget=0.5, max_power=10.0, max_gpus=(("fast", 1), ("slow", 1)))
    words = " ".join(shortfalls(FOUND.candidates[0], asked, Terms.of(asked)))
    for part in ("TTFT of pool", "above 0.001 s", "above $0.50/h", "above 10 W", "above 1"):
        assert part in words
    loose = question(ttft=100.0)
    assert shortfalls(FOUND.candidates[0], loose, Terms.of(loose)) == ()
