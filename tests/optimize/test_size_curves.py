"""Pools at other sizes, each held to scoring their fleet as it stands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.fleet import Fleet
from fleettui.domain.scenario import Question
from fleettui.domain.size_curve import SizeCurve, cost_of_sizes
from fleettui.domain.slo import Slo
from fleettui.optimize.size_curves import size_curves
from tests.optimize.samples import atoms, in_each_slice, question
from tests.optimize.test_enlarge import CONTEXT, ONE_SLICE, PROFILES, Slices, found, scored
from tests.repeated import few


def curves_of(fleets: list[Fleet], asked: Question, slices: Slices) -> list[tuple[SizeCurve, ...]]:
    return size_curves(fleets, question=asked, slices=slices, profiles=PROFILES, context=CONTEXT)


@pytest.mark.parametrize(
    "options",
    few(
        [
            {},
            {"availability": 0.987, "availability_target": 0.99},
            {"whole_nodes": True},
            {"slo": Slo(ttft=1.5, tpot=0.05)},
        ],
        1,
        more=1,
        ids=["plain", "spares", "nodes", "two limits"],
    ),
)
def test_each_size_is_as_if_scored_as_it_stands(options: dict[str, Any]) -> None:
    asked = replace(question(ttft=1.5), **options)
    fleets = found(asked, ONE_SLICE)[:6]
    for fleet, curves in zip(fleets, curves_of(fleets, asked, ONE_SLICE), strict=True):
        least = [curve.sizes[0] for curve in curves]
        assert all(
            low <= pool.replicas <= curve.sizes[-1] for low, pool, curve in zip(least, fleet.pools, curves, strict=True)
        )
        for more in (0, 1, 4, 7):
            sizes = [low + more for low in least]
            anew = scored(fleet, asked, ONE_SLICE, sizes).candidate
            assert cost_of_sizes(curves, sizes) == pytest.approx(anew.cost_per_hour)
            for pool, curve, size in zip(anew.pools, curves, sizes, strict=True):
                assert curve.watts_at(size) == pytest.approx(pool.power)
                for number, limit in enumerate(asked.slo.limits()):
                    assert curve.share(number, size) == pytest.approx(pool.at(limit) / limit.seconds, rel=1e-6)


def test_what_they_take_and_draw_is_the_same_where_no_latency_is_told() -> None:
    asked = question(ttft=1.5)
    fleets = found(asked, ONE_SLICE)
    bare = size_curves(fleets, question=asked, slices=ONE_SLICE, profiles=PROFILES, context=CONTEXT, late=False)
    for known, curves in zip(curves_of(fleets, asked, ONE_SLICE), bare, strict=True):
        assert [replace(one, shares=()) for one in known] == [*curves]


def test_the_least_size_is_that_of_the_utilization_limit() -> None:
    asked = replace(question(ttft=1.5), max_utilization=0.6)
    for fleet, curves in zip(
        found(asked, ONE_SLICE), curves_of(found(asked, ONE_SLICE), asked, ONE_SLICE), strict=True
    ):
        least = [curve.sizes[0] for curve in curves]
        assert all(pool.utilization <= 0.6 for pool in scored(fleet, asked, ONE_SLICE, least).candidate.pools)


def test_of_time_slices_the_worst_counts() -> None:
    asked, slices = question(ttft=1.5), [(9.0, atoms(3)), (6.0, atoms(8)), (1.0, atoms(90))]
    fleet = found(asked, slices)[0]
    (curves,) = curves_of([fleet], asked, slices)
    for pool, curve, parts in zip(fleet.pools, curves, zip_pools(fleet, asked, slices), strict=True):
        assert curve.share(0, pool.replicas) == pytest.approx(max(parts) / 1.5, rel=1e-6)


def zip_pools(fleet: Fleet, asked: Question, slices: Slices) -> list[list[float]]:
    """Return each pool's TTFT in every time slice."""
    return [[one.ttft for one in own] for own in in_each_slice(fleet, asked, PROFILES, slices)]
