"""What is compiled ahead of the suite is what its tests run: an array of another type would be compiled for anew."""

from collections.abc import Callable

import numba
import numpy as np
import pytest

from fleettui.simulation import tandem_run
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine, prepare
from tests.simulation import tandems, twins, variants
from tests.simulation.test_bounds import bounded
from tests.simulation.test_elastic import sent_to
from tests.simulation.test_prefix_cache import random_prefixes
from tests.simulation.test_sessions import random_sessions


def cached(seed: int) -> tuple[list[Engine], Draws]:
    engines, draws = twins.fleet(seed)
    return engines, random_prefixes(draws, seed)


def in_sessions(seed: int) -> tuple[list[Engine], Draws]:
    engines, draws = twins.fleet(seed)
    return engines, random_sessions(draws, seed)


@pytest.mark.parametrize(
    ("name", "fleet"),
    [("plain", twins.fleet), ("bounded", bounded), ("cached", cached), ("cached", in_sessions)],
)
def test_a_constant_fleet_has_the_types_of_random_ones(
    name: str, fleet: Callable[[int], tuple[list[Engine], Draws]]
) -> None:
    engine, draws = variants.CONSTANT[name]
    assert numba.typeof(prepare([engine], draws)) == numba.typeof(prepare(*fleet(1)))
    variants.constant(name)


def test_one_whose_replicas_come_and_go_has_those_of_any() -> None:
    known = [numba.typeof(one.state) for one in (variants.come_and_go(), sent_to(twins.fleet(1)[0][0], 2, 3))]
    assert known[0] == known[1]


def test_one_that_is_apart_has_those_of_random_ones() -> None:
    prefill, decode, draws, moved = tandems.fleet(3)
    played = variants.apart()
    assert numba.typeof(played) == numba.typeof(tandem_run.ready(prefill, decode, draws, moved))
    assert np.isfinite(played.decode.requests["finish"]).all()
