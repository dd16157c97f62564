"""Fleets in words, as lists and studies write them, are their pools again."""

from dataclasses import replace

import pytest

from fleettui.domain.fleet import Fleet
from fleettui.reports.fleet_text import fleet
from fleettui.reports.fleet_words import fleet_in_words
from store.convert import describe_fleet
from store.plan_row import spell_spares
from tests.store import samples

PLAIN = samples.pool("all", "h100", 0, 4096, 3)
FLEETS = [
    Fleet(pools=pools)
    for pools in (
        (PLAIN,),
        (replace(PLAIN, tp=8, pp=2), replace(PLAIN, name="long", gpu="a10g", above=4096, up_to=8192)),
        (replace(PLAIN, attention_dp=True, spares=2),),
        (replace(PLAIN, dtype="fp8"), replace(PLAIN, name="long", dtype="fp8-block", above=4096, up_to=8192)),
    )
]


@pytest.mark.parametrize("value", FLEETS)
def test_what_is_written_is_read(value: Fleet) -> None:
    for text in (fleet(value), spell_spares(describe_fleet(value))):
        found = fleet_in_words(text)
        assert found is not None
        told = [(one["gpu"], one["tp"], one["pp"], one["replicas"], one["gpus"]) for one in found["pools"]]
        assert told == [(one.gpu, one.tp, one.pp, one.replicas, one.gpus) for one in value.pools]
        assert [one.get("attention_dp", False) for one in found["pools"]] == [one.attention_dp for one in value.pools]


@pytest.mark.parametrize("text", ["none", "", "tp8 x2", None, "H100 x"])
def test_what_is_no_fleet_is_none(text: str | None) -> None:
    assert fleet_in_words(text) is None


def test_the_factor_of_compression_is_read() -> None:
    assert (fleet_in_words("H100 tp4 x2 + tp8 x1 g1.5") or {})["gamma"] == 1.5
