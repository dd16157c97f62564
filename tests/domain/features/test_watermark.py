"""Blocks that stay free when a prompt joins: what runs beside it is preempted less, and every request finds room."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.features import Features
from fleettui.domain.features.watermark import kept_free, written
from fleettui.domain.fleet import WATERMARK
from fleettui.errors import InputError
from fleettui.simulation.layout import Engine
from tests.simulation.samples import WAYS, engine, pool, requests, story

POOL = pool("all")
OWN = Engine.of(POOL, "paged")


def test_it_is_a_share_of_the_blocks_in_place_of_the_engines_own() -> None:
    assert OWN.watermark == int(OWN.blocks * WATERMARK)
    assert Features(watermark="5%").engine(OWN, POOL) == replace(OWN, watermark=int(0.05 * OWN.blocks))
    assert Features(watermark="0%").engine(OWN, POOL).watermark == 0
    assert Features().engine(OWN, POOL) == OWN


def test_the_longest_request_finds_room_whatever_is_said() -> None:
    few = replace(OWN, blocks=POOL.context // 16 + 10, watermark=2)
    assert kept_free(few, "50%", POOL).longest() >= POOL.context
    assert kept_free(few, "50%", POOL).watermark == 10


@pytest.mark.parametrize("way", WAYS)
def test_what_runs_is_preempted_less_where_more_stays_free(way: str) -> None:
    draws = requests(*((60, 60),) * 12, arrivals=[0.05 * place for place in range(12)])
    lost = [story(way, [engine(places=8, blocks=24, watermark=few, budget=128)], draws).preempted for few in (0, 8)]
    assert lost[1] < lost[0]


@pytest.mark.parametrize("text", ["60%", "-1%", "5", "five", "nan", "1/0", ""])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="cache"):
        written(text, None)
