from __future__ import annotations

import math
from dataclasses import replace

import pytest

from fleettui.domain.size_curve import SizeCurve, cost_of_sizes, paid_beyond

CURVE = SizeCurve(
    gpu="h100",
    price=2.0,
    lot=1,
    sizes=(2, 3, 5),
    gpus=(8.0, 12.0, 20.0),
    watts=(1e3, 1.4e3, 2e3),
    shares=((math.inf, 0.9, 0.5), (0.4, 0.3, 0.2)),
)


@pytest.mark.parametrize(("size", "share"), [(2, math.inf), (3, 0.9), (4, 0.7), (5, 0.5), (9, 0.5)])
def test_a_share_lies_on_a_line_between_sizes_and_stays_beyond_the_last(size: int, share: float) -> None:
    assert CURVE.share(0, size) == pytest.approx(share)


def test_what_is_infinite_stays_so_up_to_the_next_size() -> None:
    later = replace(CURVE, sizes=(2, 6, 9))
    assert later.share(0, 5) == math.inf
    assert later.share(0, 6) == 0.9


@pytest.mark.parametrize(("size", "gpus"), [(1, 8.0), (2, 8.0), (4, 16.0), (5, 20.0), (10, 40.0)])
def test_gpus_grow_with_the_size_beyond_the_last(size: int, gpus: float) -> None:
    assert CURVE.gpus_at(size) == gpus
    assert CURVE.watts_at(size) == pytest.approx({1: 1e3, 2: 1e3, 4: 1.7e3, 5: 2e3, 10: 4e3}[size])


def test_pools_of_one_type_share_its_lots() -> None:
    assert cost_of_sizes([CURVE, CURVE], [2, 3]) == 40.0
    nodes = replace(CURVE, lot=8)
    assert cost_of_sizes([nodes, nodes], [3, 3]) == 48.0
    assert cost_of_sizes([nodes, replace(nodes, gpu="a100", price=1.0)], [3, 3]) == 32.0 + 16.0


def test_what_is_paid_beyond_a_fleets_own_is_told() -> None:
    nodes = replace(CURVE, lot=8)
    assert paid_beyond([nodes, replace(nodes, gpu="a100")], [3, 3]) == 32
    assert paid_beyond([nodes, nodes], [3, 3]) is None, "24 GPUs are three nodes"
    assert paid_beyond([CURVE, CURVE], [3, 3]) is None
