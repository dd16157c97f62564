"""A fleet in a line reads back as it is, or nothing is written of it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from fleettui.errors import InputError
from fleettui.reports.fleet_file import read as read_fleet
from fleettui.reports.question.fleet_phrase import fleet_text, phrase_of
from tests.store import samples


def test_a_fleet_reads_back() -> None:
    fleet = samples.candidate().fleet
    read = json.loads(fleet_text(phrase_of(fleet)))["pools"]
    assert [(one["gpu"], one["tp"], one["replicas"]) for one in read] == [
        (pool.gpu, pool.tp, pool.replicas) for pool in fleet.pools
    ]
    assert [one.get("up_to") for one in read] == [*(str(pool.up_to) for pool in fleet.pools[:-1]), None]


def test_what_a_report_prints_of_a_fleet_is_read() -> None:
    assert fleet_text("48 H100 tp4 x12") == fleet_text("h100 tp4 x12")
    assert fleet_text("12 H100 tp4 x3 to 4096 + 8 tp8 x1") == fleet_text("h100 tp4 x3 to 4096 + tp8 x1")
    with pytest.raises(InputError, match="40 GPUs stand before replicas that have 48"):
        fleet_text("40 H100 tp4 x12")


@pytest.mark.parametrize(
    ("division", "changes"),
    [
        ("tp2dp4/ep8", {"layout": "tp2dp4/ep8", "attention_dp": True, "expert_parallel": True}),
        ("dp8/tp2ep4", {"layout": "dp8/tp2ep4", "attention_dp": True, "expert_parallel": True}),
        ("tp8/tp2ep4pp2", {"layout": "tp8/tp2ep4", "expert_parallel": True, "pp": 2}),
        ("dp8", {"attention_dp": True}),
    ],
)
def test_a_fleet_whose_replicas_are_laid_out_reads_back(division: str, changes: dict[str, Any]) -> None:
    fleet = samples.candidate().fleet
    laid_out = replace(fleet, pools=(replace(fleet.pools[0], tp=8, replicas=3, **changes),))
    assert phrase_of(laid_out) == f"{fleet.pools[0].gpu} {division} x3"
    (read,) = read_fleet(fleet_text(phrase_of(laid_out)), "fleet").pools
    for name in ("tp", "pp", "replicas", "attention_dp", "layout", *({"expert_parallel"} & changes.keys())):
        assert getattr(read, name) == getattr(laid_out.pools[0], name), name
    each = 16 if "pp" in changes else 8
    assert fleet_text(f"{3 * each} {phrase_of(laid_out).removesuffix(' x3')}") == fleet_text(phrase_of(laid_out))


def test_a_layout_that_does_not_multiply_out_is_refused() -> None:
    with pytest.raises(InputError, match="both have the same"):
        fleet_text("h100 tp2dp4/ep4 x3")


def test_what_a_line_cannot_say_is_not_written() -> None:
    fleet = samples.candidate().fleet
    first, *others = fleet.pools
    assert phrase_of(replace(fleet, gamma=1.5)) == ""
    assert phrase_of(replace(fleet, pools=(replace(first, dtype="int8"), *others))) == ""
    assert phrase_of(replace(fleet, pools=(replace(first, spares=1),))) == ""


def test_gpus_stand_for_replicas_where_they_divide() -> None:
    assert fleet_text("12 h100 tp4") == fleet_text("h100 tp4 x3")
    assert fleet_text("12 h100 tp2 pp2 to 4096 + 8 tp8") == fleet_text("h100 tp2 pp2 x3 to 4096 + tp8 x1")
    assert fleet_text("3 h100") == fleet_text("h100 x3")
    with pytest.raises(InputError, match="10 GPUs are no whole number of replicas of 4") as refused:
        fleet_text("10 h100 tp4")
    assert "write 8 GPUs or 12" in str(refused.value)
    with pytest.raises(InputError, match="the number of replicas is missing"):
        fleet_text("h100 tp4")
