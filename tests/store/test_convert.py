"""Columns summarise what the body holds whole."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate, PlanRow
from store import convert
from store.tables import CANDIDATE, PLAN
from tests.store import samples


def test_a_candidates_columns_are_its_worst_pools() -> None:
    row = convert.from_candidate(samples.candidate(), plan="p", rank=1)
    assert set(row) == set(CANDIDATE.c.keys())
    assert (row["ttft"], row["tpot"], row["feasible"], row["topology"]) == (0.48, 0.034, 1, "h100 tp4 + a100 tp4")


def test_one_undefined_pool_makes_the_worst_undefined() -> None:
    odd = replace(samples.candidate(), pools=(samples.figures("a"), samples.figures("b", ttft=math.nan)))
    assert convert.worst(odd, "ttft") is None
    assert convert.worst(odd, "e2e") == 9.1
    assert convert.worst(replace(odd, pools=()), "e2e") is None


def test_shortfalls_make_a_candidate_infeasible() -> None:
    row = convert.from_candidate(samples.candidate(shortfalls=("TTFT by 31 ms",)), plan="p", rank=1)
    assert row["feasible"] == 0


def test_a_fleet_is_described_with_its_gpus_first() -> None:
    pools = (samples.pool("one", "h100", 0, 4096, 6),)
    assert convert.describe_fleet(Fleet(pools=pools)) == "24 h100 tp4x6"


def test_a_candidate_passes_the_door_unchanged() -> None:
    given = replace(samples.candidate(), candidate="id", handle="41a7", evidence=samples.evidence())
    assert convert.to_candidate(convert.from_candidate(given, plan="p", rank=1)) == given


def test_undefined_figures_of_evidence_pass_too() -> None:
    pools = tuple(replace(one, batch=math.nan) for one in samples.evidence().pools)
    given = replace(samples.candidate(), evidence=replace(samples.evidence(), pools=pools))
    read = convert.to_candidate(convert.from_candidate(given, plan="p", rank=1))
    assert read.evidence
    assert math.isnan(read.evidence.pools[0].batch)
    assert read.evidence.pools[0].utilization == 0.8


def test_every_number_of_a_candidate_may_be_undefined() -> None:
    names = [one.name for one in fields(Candidate) if one.type == "float"]
    undefined: dict[str, Any] = dict.fromkeys(names, math.nan)
    given = replace(samples.candidate(), **undefined)
    row = convert.from_candidate(given, plan="p", rank=1) | {"id": "i", "handle": "h"}
    assert all(math.isnan(getattr(convert.to_candidate(row), name)) for name in names)


def test_a_list_row_has_a_column_for_each_field() -> None:
    assert {field.name for field in fields(PlanRow)} <= set(PLAN.c.keys())
