"""Points of architectures: which no other beats, the front under a bound, the best under both limits."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from fleettui.domain.frontier import FrontierAsked, FrontierFound, FrontierPoint, front, unbeaten

BASE = FrontierPoint(
    architecture="apart",
    together=None,
    apart=None,
    layout="",
    rate=10.0,
    tokens=1000.0,
    gpus=16,
    cost=36.0,
    ttft=0.5,
    tpot=0.04,
)
CHEAPER, FASTER = replace(BASE, cost=18.0, tpot=0.05), replace(BASE, tpot=0.02, ttft=0.9)
MORE = replace(BASE, rate=20.0, tokens=2000.0, tpot=0.045, ttft=1.5)


def found(*points: FrontierPoint, tpot: float = 0.05) -> FrontierFound:
    return FrontierFound(
        asked=FrontierAsked(gpu="h100", gpus=16, layouts=()),
        rates=(10.0, 20.0),
        points=points,
        scored=len(points),
        left_out=(),
        bounds=(0.6, 2.0),
        tpot=tpot,
        percentile=0.99,
        proofs=(),
    )


def test_a_points_speed_and_price_are_those_of_its_tokens() -> None:
    assert pytest.approx(25.0) == BASE.speed
    assert pytest.approx(10.0) == BASE.dollars_per_million


def test_only_what_is_beaten_in_everything_goes() -> None:
    worse = replace(BASE, ttft=0.6)
    assert set(unbeaten([BASE, CHEAPER, FASTER, worse])) == {BASE, CHEAPER, FASTER}


def test_a_tight_bound_takes_fast_fleets_from_the_front() -> None:
    assert front([BASE, CHEAPER, FASTER, MORE], 2.0) == (MORE, FASTER)
    assert front([BASE, CHEAPER, FASTER, MORE], 0.6) == (BASE,)
    assert front([MORE], 0.1) == ()


def test_the_best_keeps_both_limits_at_the_highest_rate() -> None:
    points = found(BASE, CHEAPER, FASTER, MORE)
    assert points.best("apart", 2.0) == MORE
    assert points.best("apart", 0.6) == BASE
    assert points.best("afd", 2.0) is None
    assert points.holding("apart", 2.0) == (MORE, FASTER)
    assert found(MORE, tpot=0.04).best("apart", 2.0) is None
    assert found(MORE, tpot=math.inf).best("apart", 2.0) == MORE
