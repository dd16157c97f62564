from dataclasses import replace

import pytest

from fleettui.optimize.costs import cost_of_pools, rented
from tests.optimize.samples import profile

A, B = profile("a", price=2.0), profile("b", tp=4, price=0.5)


def test_gpus_times_price() -> None:
    assert cost_of_pools([(6, A), (4, B), (2, A)], whole_nodes=False) == pytest.approx(18.0)


def test_pools_of_one_type_share_their_nodes() -> None:
    assert cost_of_pools([(6, A), (4, B), (2, A)], whole_nodes=True) == pytest.approx(8 * 2.0 + 8 * 0.5)
    assert cost_of_pools([(6, A), (4, A)], whole_nodes=True) == pytest.approx(16 * 2.0)


@pytest.mark.parametrize(("gpus", "paid"), [(1, 4), (4, 4), (5, 8), (8, 8)])
def test_whole_nodes(gpus: int, paid: int) -> None:
    assert rented(gpus, replace(A, gpus_per_node=4)) == paid
