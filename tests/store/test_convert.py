"""Columns summarise what the body holds whole."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import pytest

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate, Estimate
from fleettui.domain.plan_row import PlanRow
from fleettui.domain.serialization import encode
from store import convert, plan_row
from store.tables import HISTOGRAM, JOB, PLAN, REPLICATION, VERIFICATION
from store.triggers import ANSWER
from tests.store import samples


def stored(candidate: Candidate, evidence: str | None = None, span: str | None = None) -> Candidate:
    names = {"id": candidate.candidate, "handle": candidate.handle}
    return convert.to_candidate(names | {"body": encode(Candidate, candidate), "evidence": evidence, "span": span})


def test_one_undefined_pool_makes_the_worst_undefined() -> None:
    odd = replace(samples.candidate(), pools=(samples.figures("a"), samples.figures("b", ttft=math.nan)))
    assert convert.worst(odd, "ttft") is None
    assert convert.worst(odd, "e2e") == 9.1
    assert convert.worst(replace(odd, pools=()), "e2e") is None


def test_a_fleet_is_described_with_its_gpus_first() -> None:
    pools = (samples.pool("one", "h100", 0, 4096, 6),)
    assert convert.describe_fleet(Fleet(pools=pools)) == "24 h100 tp4x6"
    spared = replace(pools[0], spares=2)
    other = replace(spared, gpu="a100", spares=0, above=4096, up_to=8192)
    described = convert.describe_fleet(Fleet(pools=(spared, other)))
    assert plan_row.spell_spares(described) == "32 h100 tp4x6+2 + 24 a100 tp4x6"
    assert plan_row.spell_spares(described.replace("tp4", "dp4")) == "32 h100 dp4x6+2 + 24 a100 dp4x6"
    assert plan_row.spell_spares("") == ""


@pytest.mark.parametrize(
    ("needed", "spare"),
    [((12, 14, 6), -8), ((16, 8, 4), 0), ((12, 8, 2), 6), ((12, 9, 4), -1)],
    ids=["short", "neither", "spare", "one short"],
)
def test_gpus_of_one_type_that_are_spare_are_nothing_for_another(needed: tuple[int, ...], spare: int) -> None:
    """Found: 6 A100 and 2 H100 short beside 4 L40S to spare were 4 short."""
    assert plan_row.spare_gpus("16 l40s tp2x8 + 8 a100 tp2x4 + 4 h100 tp2x2", needed) == spare


def test_gpus_that_one_pool_has_to_spare_may_serve_another_of_their_type() -> None:
    assert plan_row.spare_gpus("16 h100 tp2x8 + 8 h100 tp2x4", (12, 10)) == 2


def test_a_candidate_passes_the_door_unchanged() -> None:
    given = replace(samples.candidate(), candidate="id", handle="41a7", evidence=samples.evidence())
    assert stored(given) == given


def test_undefined_figures_of_evidence_pass_too() -> None:
    pools = tuple(replace(one, batch=math.nan) for one in samples.evidence().pools)
    given = replace(samples.candidate(), evidence=replace(samples.evidence(), pools=pools))
    read = stored(given)
    assert read.evidence
    assert math.isnan(read.evidence.pools[0].batch)
    assert read.evidence.pools[0].utilization == 0.8


def test_every_number_of_a_candidate_may_be_undefined() -> None:
    names = [one.name for one in fields(Candidate) if one.type == "float"]
    undefined: dict[str, Any] = dict.fromkeys(names, math.nan)
    given = replace(samples.candidate(), **undefined)
    assert all(math.isnan(getattr(stored(given), name)) for name in names)


def test_the_newest_verification_is_a_candidates_evidence() -> None:
    given = replace(samples.candidate(), evidence=samples.evidence())
    newest = samples.simulated("fail")
    assert stored(given, convert.from_evidence(newest)["body"]) == replace(given, evidence=newest)


def test_an_answers_range_is_what_its_plan_keeps_of_it() -> None:
    given = replace(samples.candidate(), gpus_range=(8, 24))
    assert stored(given, None, "[8, null]") == replace(given, gpus_range=(8, None))


def test_what_was_simulated_goes_before_what_a_formula_says() -> None:
    given = replace(samples.candidate(), evidence=samples.simulated())
    assert convert.worst(given, "ttft") == 0.48
    assert convert.worst_known(given, "ttft") == 0.46
    assert convert.worst_known(replace(given, evidence=samples.evidence()), "ttft") == 0.48
    undefined = replace(samples.simulated().pools[0], tpot=Estimate(value=None))
    silent = replace(given, evidence=replace(samples.simulated(), pools=(undefined,)))
    assert convert.worst_known(silent, "tpot") is None


def test_a_row_of_each_noun_has_its_columns() -> None:
    key = {"candidate", "seed", "created"}
    assert {"id", *key, *convert.from_evidence(samples.simulated())} == set(VERIFICATION.c.keys())
    assert key | set(convert.from_replication(samples.replication())) == set(REPLICATION.c.keys())
    (first, *_) = convert.from_histograms(samples.replication())
    assert {"candidate", "seed", "position", *first} == set(HISTOGRAM.c.keys())
    assert set(convert.from_job(samples.job())) == set(JOB.c.keys())


def test_what_a_plan_came_to_is_what_its_triggers_let_change() -> None:
    assert set(convert.from_finding(samples.answer(), rank=1, finished=True)) | {"candidates"} == ANSWER


def test_a_job_passes_the_door_unchanged() -> None:
    for given in (samples.job("p"), replace(samples.job("p"), candidate="c", finished="2026", cancelling=True)):
        assert convert.to_job(convert.from_job(given)) == given


def test_a_replication_passes_the_door_unchanged() -> None:
    given = samples.replication(3)
    row = convert.from_replication(given)
    assert convert.to_replication(row["body"], convert.from_histograms(given)) == given
    assert "cells" not in row["body"]


def test_undefined_figures_of_a_replication_pass_too() -> None:
    idle = replace(samples.run("idle"), ttft=None, utilization=math.nan, throughput=math.inf, histograms=())
    row = convert.from_replication(replace(samples.replication(), ttft=math.nan, attainment=math.nan, pools=(idle,)))
    assert (row["ttft"], row["attainment"]) == (None, None)
    read = convert.to_replication(row["body"])
    assert (read.ttft, read.pools[0].ttft, read.pools[0].batch) == (None, None, 128.5)
    assert all(map(math.isnan, (read.attainment, read.pools[0].utilization, read.pools[0].throughput)))


def test_a_list_row_has_a_column_for_each_field() -> None:
    without = {"slo", "dtype", "holds", "spare", "so_far", "confidence", "unmet", "untold"}
    assert set(PlanRow._fields) - without <= set(PLAN.c.keys())
    assert set(plan_row.PLAN_ROW_COLUMNS) <= set(PLAN.c.keys())
