from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.scenario import Question
from fleettui.domain.size_curve import (
    SizeCurve,
    constraints_broken,
    cost_of_sizes,
    filled,
    paid_beyond,
    within_constraints,
)
from fleettui.domain.slo import Slo

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


@pytest.mark.parametrize(
    ("limits", "broken"),
    [
        ({}, set()),
        ({"budget": 20.0, "max_power": 1e3, "max_total_gpus": 10}, set()),
        ({"budget": 15.9, "max_gpus": (("h100", 8), ("a100", 0))}, {"budget"}),
        ({"max_power": 999.0, "max_total_gpus": 7}, {"power", "GPUs"}),
        ({"max_feed": 1e3, "max_gpus": (("h100", 7),)}, {"feed", "inventory of h100"}),
    ],
)
def test_the_constraints_that_a_fleet_breaks_are_named(limits: dict[str, Any], broken: set[str]) -> None:
    question = Question(slo=Slo(ttft=1.0), **limits)
    assert constraints_broken([CURVE], [2], question) == broken
    assert within_constraints([CURVE], [2], question) == (not broken)


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


@pytest.mark.parametrize(
    ("sizes", "changes", "found"),
    [
        ((3, 3), {}, (3, 3)),
        ((3, 2), {}, (3, 3)),
        ((2, 3), {}, (3, 3)),
        ((2, 2), {}, (2, 2)),
        ((3, 2), {"objective": "gpus"}, (3, 2)),
        ((3, 2), {"whole_nodes": False}, (3, 2)),
        ((3, 2), {"max_power": 2.5e3}, (3, 2)),
    ],
    ids=["full", "the second", "the first", "two full nodes", "GPUs decide", "single GPUs", "no power for it"],
)
def test_what_whole_nodes_leave_is_filled(sizes: tuple[int, ...], changes: dict[str, Any], found: Any) -> None:
    question = Question(slo=Slo(ttft=1.0), **{"whole_nodes": True, **changes})
    nodes = replace(CURVE, lot=8)
    assert filled([nodes, nodes], sizes, question) == found


def test_what_is_left_goes_to_the_pool_that_is_nearest_to_a_limit() -> None:
    question = Question(slo=Slo(ttft=1.0), whole_nodes=True)
    eight = SizeCurve(
        gpu="h100", price=2.0, lot=8, sizes=(1, 8), gpus=(1.0, 8.0), watts=(1e3, 8e3), shares=((0.9, 0.2),)
    )
    near, far = replace(eight, shares=((0.99, 0.5),)), replace(eight, shares=((0.5, 0.1),))
    assert filled([far, near], [1, 2], question) == (1, 7)
    untold = replace(eight, shares=())
    assert filled([untold, untold], [1, 3], question) == (4, 4), "the busiest, where no latency is told"
