"""The router class: batch leaves the shorter pools to who waits for an answer."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.routing.class_pools import across
from tests.repeated import few
from tests.routing.views import part_of_view
from tests.simulation.twins import fleet, played_alike


def test_batch_goes_to_the_longest_pool_and_others_to_that_of_their_length() -> None:
    pools = [part_of_view()] * 3
    for place in range(3):
        assert across(pools, part_of_view(pool=place, batch=False)) == place
        assert across(pools, part_of_view(pool=place, batch=True)) == 2


@pytest.mark.parametrize("seed", few(range(12), 1))
def test_the_kernel_is_its_twin_where_a_share_is_of_class_batch(seed: int) -> None:
    engines, draws = fleet(seed)
    draws = replace(draws, batch=np.random.default_rng([seed, 7]).random(draws.requests) < 0.4)
    for state in played_alike([replace(one, router="class") for one in engines], draws):
        assert (state.requests["pool"][state.requests["batch"]] == len(engines) - 1).all()
