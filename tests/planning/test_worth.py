"""What fleets are compared by: cost, GPUs or watts, equals in the order in which they came."""

from dataclasses import replace

import pytest

from fleettui.planning.worth import best_first, worth_of, worth_of_sizes
from tests.planning.trials import curves, shape


def test_what_differs_by_rounding_alone_keeps_its_order() -> None:
    first, second = shape(3, price=0.1), shape(3, gpu="a100", price=0.1)
    second = replace(second, cost_per_hour=0.3, power=second.power * (1 - 1e-16))
    assert first.cost_per_hour > second.cost_per_hour
    assert best_first([first, second], "cost") == [first, second]
    assert best_first([first, second], "power") == [first, second]
    assert best_first([first, second], "gpus") == [first, second]


def test_energy_is_what_gpus_and_their_hosts_draw() -> None:
    fewer, cooler = replace(shape(5), power=9_000.0), replace(shape(6), power=8_000.0)
    assert best_first([fewer, cooler], "power") == [cooler, fewer]
    assert best_first([fewer, cooler], "energy", 630.0) == [fewer, cooler]
    assert best_first([fewer, cooler], "energy", 400.0) == [cooler, fewer]
    assert worth_of("energy", 630.0)(fewer) == 9_000.0 + 630.0 * fewer.gpus
    assert worth_of("cost")(replace(fewer, compressor_cost=0.5)) == fewer.cost_per_hour + 0.5
    known = curves(fewer)
    assert worth_of_sizes("cost", known, (5,), compressor=0.5) == worth_of_sizes("cost", known, (5,)) + 0.5
    watts, gpus = known[0].watts_at(5), known[0].gpus_at(5)
    assert worth_of_sizes("energy", known, (5,), 630.0) == pytest.approx(watts + 630.0 * gpus)
