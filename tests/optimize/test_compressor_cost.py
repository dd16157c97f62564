"""The compressor's cores at a price: counted beside the GPUs, and in the choice of the factor."""

from dataclasses import replace

import pytest

from fleettui.domain.borderline import Band
from fleettui.domain.fleet import FleetSketch
from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.optimize.compressor_cost import busy_cores, cost_of_fleet
from fleettui.optimize.given_fleet import score
from fleettui.optimize.resize import sketch_of
from tests.optimize.samples import atoms, plan, profile, question

MEASURED = MeasuredShare(
    study="e40e", share=0.75, low=0.7, high=0.8, split=1500, gamma=2.0, seconds=0.004, mean_seconds=0.002
)
FAST = profile("fast", blocks=3000)


def asked(price: float | None, **changes: object) -> Question:
    return question(
        ttft=2.0,
        pools=(2, 3),
        gamma=(1.0, 2.0),
        compressible=0.75,
        compressor=MEASURED,
        core_price=price,
        admission="reserved",
        **changes,
    )


def test_cores_are_busy_with_every_borderline_prompt_that_has_room() -> None:
    lengths, band = atoms(3), Band(split=1500, gamma=1.5)
    own = [one for one in lengths if band.holds(int(one[1]), int(one[2])) and band.budget(int(one[2])) >= 1]
    share = sum(weight for weight, _, _ in own) / sum(weight for weight, _, _ in lengths)
    assert 0.0 < share < 1.0
    slices = [(20.0, lengths), (50.0, lengths)]
    assert busy_cores(slices, [1500], 1.5, 0.002) == pytest.approx(50.0 * share * 0.002)
    assert cost_of_fleet(slices, [1500], 1.0, asked(0.05)) == cost_of_fleet(slices, [1500], 1.5, asked(None)) == 0.0


@pytest.mark.thorough
@pytest.mark.parametrize("pools", [2, 3])
def test_every_fleet_has_the_cost_that_it_has_when_it_is_given(pools: int) -> None:
    lengths = atoms(5)
    found = plan(replace(asked(100.0), pools=(pools,)), 60.0, lengths, [FAST])
    compressing = [one for one in found.candidates if one.fleet.gamma > 1.0][:20]
    assert any(one.compressor_cost for one in compressing)
    for one in compressing:
        own = tuple(sketch_of(pool, pool.replicas, given=False) for pool in one.fleet.pools)
        sketch = FleetSketch(gamma=one.fleet.gamma, compressible=0.75, admission="reserved", pools=own)
        given = score(asked(100.0), sketch, [FAST] * len(own), [(60.0, lengths)], 16_384).candidate
        assert one.compressor_cost == pytest.approx(given.compressor_cost)
        assert one.cost_per_hour == pytest.approx(given.cost_per_hour)


@pytest.mark.thorough
def test_the_choice_of_a_factor_counts_them() -> None:
    free, cheap, dear = (plan(asked(price), 60.0, atoms(5), [FAST]) for price in (None, 0.05, 5000.0))
    assert free.answer is not None
    assert cheap.answer is not None
    assert dear.answer is not None
    assert cheap.answer.fleet == free.answer.fleet
    assert free.answer.fleet.gamma > 1.0 == dear.answer.fleet.gamma
    whole = [one.cost_per_hour + one.compressor_cost for one in cheap.candidates if not one.shortfalls]
    assert min(whole) == whole[0]
    assert "busy cores cost $" in " ".join(cheap.why)


def test_a_price_without_a_measured_time_is_refused() -> None:
    with pytest.raises(InputError, match="was not measured"):
        replace(asked(0.05), compressor=None)
    with pytest.raises(InputError, match="papers' method"):
        replace(asked(0.05), preset="paper")


def test_where_only_the_p99_is_known_that_is_counted() -> None:
    assert replace(MEASURED, mean_seconds=0.0).processor_seconds == 0.004
    assert MEASURED.processor_seconds == 0.002
