"""Runs of a stretch put together: means over runs, the slowest pool's recovery, and what never came."""

from dataclasses import replace

import pytest

from fleettui.domain.simulation import Histogram
from fleettui.domain.stretch import Bin, Phase, PoolStretch
from fleettui.simulation.stretch_figures import WHOLE, stretch_figures

EMPTY = Histogram(metric="ttft", cells=())
NOTHING = Phase(seconds=0.0, offered=0, met=0, ttft=EMPTY, tpot=EMPTY)
SOME = replace(NOTHING, seconds=10.0, offered=100, met=90, ttft=replace(EMPTY, cells=((0, 100),)))
ONE = PoolStretch(
    name="short",
    phases=(SOME, replace(SOME, met=50), NOTHING, SOME),
    bins=(Bin(offered=100, met=90, waiting=3, ttft=0.2), Bin(offered=50, met=40, waiting=7, ttft=None)),
    spans=((100, 90), (100, 50)),
    waiting=7,
    recovered=4.0,
)
OTHER = replace(ONE, name="long", recovered=6.0, bins=(replace(ONE.bins[0], ttft=0.4), ONE.bins[1]))


def test_the_pools_of_a_run_are_put_together() -> None:
    found = stretch_figures([[ONE, OTHER], [ONE, replace(OTHER, recovered=8.0)]], share=0.99, step=10.0)
    before, inside, recovering, _ = found.phases
    assert (before.rate.value, before.met.value, inside.met.value) == (20.0, 0.9, 0.5)
    assert before.ttft.value == pytest.approx(1.01**0.99)
    assert (recovering.rate.value, recovering.met.value, recovering.ttft.value) == (None, None, None)
    assert [one.name for one in found.pools] == ["short", "long", WHOLE]
    assert (found.pools[-1].waiting.value, found.pools[-1].recovered.value) == (14.0, 7.0)
    assert found.worst.value == 0.5
    first, second = found.moments
    assert (first.start, first.rate, first.waiting, first.ttft, first.met) == (0.0, 20.0, 6.0, 0.4, 0.9)
    assert (second.start, second.rate, second.waiting, second.ttft, second.met) == (10.0, 10.0, 14.0, None, 0.8)


def test_a_run_that_ends_first_leaves_recovery_undefined() -> None:
    (found,) = stretch_figures([[ONE], [replace(ONE, recovered=None)]], share=0.99, step=10.0).pools
    assert (found.recovered.value, found.unrecovered) == (None, 1)


def test_the_worst_span_is_that_of_all_pools_together_and_one_without_requests_is_none() -> None:
    def worst(*pools: tuple[tuple[int, int], ...]) -> float | None:
        run = [replace(ONE, name=str(place), spans=spans) for place, spans in enumerate(pools)]
        return stretch_figures([run], share=0.99, step=10.0).worst.value

    assert worst(((100, 90), (100, 50)), ((100, 40), (300, 300))) == pytest.approx(130 / 200)
    assert worst(((0, 0), (100, 50)), ((0, 0), (0, 0))) == 0.5
    assert worst(((0, 0),), ((0, 0),)) == 1.0
