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


@pytest.mark.parametrize(
    ("pools", "whole", "by_hand"),
    [
        # (GPUs, US dollars typed for one and an hour) of each pool, nodes of 8
        ([(60, 2.10)], False, 126.0),
        ([(60, 2.10)], True, 134.4),  # 64
        ([(1, 6.88)], True, 55.04),  # one p5.48xlarge
        ([(8, 2.10), (4, 1.20)], False, 21.6),
        ([(8, 2.10), (4, 1.20)], True, 26.4),  # 8 and 8
        ([(3, 0.0), (2, 2.95)], False, 5.9),
    ],
)
def test_typed_prices_cost_what_a_hand_comes_to(pools: list[tuple[int, float]], whole: bool, by_hand: float) -> None:
    typed = [(gpus, profile(f"gpu{place}", price=price)) for place, (gpus, price) in enumerate(pools)]
    nodes = [(gpus, replace(one, gpus_per_node=8)) for gpus, one in typed]
    assert cost_of_pools(nodes, whole_nodes=whole) == pytest.approx(by_hand)


@pytest.mark.parametrize(("gpus", "paid"), [(1, 4), (4, 4), (5, 8), (8, 8)])
def test_whole_nodes(gpus: int, paid: int) -> None:
    assert rented(gpus, replace(A, gpus_per_node=4)) == paid
