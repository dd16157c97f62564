"""Prefill and decode apart or together as a study: what its sentences and tables say of figures made up here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.disagg import CacheSize, DisaggFigures, DisaggFleet, Disaggregated, Flip, Links, Lost, Proof
from fleettui.domain.plan import Estimate
from fleettui.domain.study import Study
from fleettui.reports.link_units import LINK
from fleettui.reports.studies.disagg import MEASURED, disagg_study, flip_words
from fleettui.reports.study_text import study_text
from tests.cli.conftest import BEST, POOL
from tests.reports.studies.test_sweep import ASKED, PLAN

LINKS = Links(prefill=400e9, decode=400e9, latency=0.4e-3)
FLEET = DisaggFleet(
    prefill=replace(POOL, name="prefill", tp=4, replicas=10),
    decode=replace(POOL, name="decode", tp=4, replicas=4),
    links=LINKS,
    cache=CacheSize(per_token=327_680.0),
    router="length",
)
ROW = DisaggFigures(
    fleet=FLEET,
    cost=165.2,
    ttft=0.42,
    tpot=0.03,
    e2e=17.0,
    wait=0.12,
    transfer=0.0024,
    prefill_busy=0.78,
    decode_busy=0.67,
    link_busy=0.047,
    batch=148.2,
)
TPOT = Flip(axis="tpot", asked=0.05, low=0.0125, high=0.2, pays=False, below=None, above=0.06)
LOST = Lost(idle_prefill=9.9, idle_decode=1.0, transfer=0.0)
PROOF = Proof(
    pools=(replace(FLEET.prefill, replicas=11), FLEET.decode),
    gpus=60,
    cost=177.0,
    ttft=Estimate(value=0.45, low=0.44, high=0.46),
    tpot=Estimate(value=0.03, low=0.03, high=0.031),
    verdict="pass",
    runs=10,
    requests=400_000,
    tried=3,
)
FOUND = Disaggregated(rows=(ROW,), colocated=BEST, flips=(TPOT,), lost=LOST, left_out=())


def study(found: Disaggregated = FOUND) -> Study:
    return disagg_study(PLAN, ASKED, found, None)


def test_the_dearer_way_says_what_it_loses_and_where_it_pays() -> None:
    found = study()
    assert found.warnings == ()
    assert found.sentences == (
        "co-located is cheaper: $142/h, H100 tp8 x6, against $165/h, H100 tp4 x10 > H100 tp4 x4 (by formula)",
        "what it pays for and does not use: prefill .78 busy of .85 ($9.90/h)",
        "disaggregation pays from a TPOT limit of 60 ms on",
    )
    fleets, flips, parts, _ = (one.records() for one in found.tables)
    assert [row["way"] for row in fleets] == ["together", "apart"]
    assert [row["proof"] for row in fleets] == ["formula", "formula"]
    assert parts[0]["transfer"] == 0.0024
    assert flips[0]["changes_at_more"] == "60 ms"
    assert parts[0]["link"] == 400.0
    assert max(map(len, study_text(found).splitlines())) <= 80


def test_a_saving_is_told_and_so_is_where_it_ends() -> None:
    flip = replace(TPOT, pays=True, below=0.03, above=None)
    found = study(replace(FOUND, colocated=replace(BEST, cost_per_hour=200.0, gpus=64), flips=(flip,)))
    assert found.sentences[0].startswith("disaggregation pays: $165/h, H100 tp4 x10")
    assert found.sentences[1] == "co-located is cheaper up to a TPOT limit of 30 ms"
    assert found.warnings == (MEASURED,)
    assert [row["way"] for row in found.tables[0].records()] == ["apart", "together"]


def test_without_a_colocated_fleet_and_at_equal_cost() -> None:
    assert "no fleet whose replicas do both does" in study(replace(FOUND, colocated=None)).sentences[0]
    same = study(replace(FOUND, colocated=replace(BEST, cost_per_hour=165.2)))
    assert same.sentences[0].startswith("both ways cost the same")
    nothing = study(replace(FOUND, lost=Lost(idle_prefill=0.0, idle_decode=0.0, transfer=0.0)))
    assert nothing.sentences[1].startswith("it loses nothing to idle pools or links")


def test_what_is_simulated_is_what_is_compared() -> None:
    found = study(replace(FOUND, apart=PROOF, together=replace(PROOF, pools=(POOL,), cost=141.6, gpus=48)))
    assert found.sentences[0].endswith("(as simulated)")
    assert "$177/h, H100 tp4 x11 > H100 tp4 x4" in found.sentences[0]
    rows = found.tables[3].records()
    assert [row["pools"] for row in rows] == ["H100 tp4 x11 > H100 tp4 x4", "H100 tp8 x6"]
    assert max(map(len, study_text(found).splitlines())) <= 80
    failed = study(replace(FOUND, apart=replace(PROOF, verdict="fail"), together=PROOF))
    assert failed.sentences[0].endswith("(by formula)")
    assert "not proven: of the fleets apart" in failed.sentences[1]


def test_formulas_that_have_it_the_other_way_than_simulations_are_told() -> None:
    dear = replace(PROOF, pools=(POOL,), cost=206.0, gpus=70)
    found = study(replace(FOUND, apart=PROOF, together=dear))
    assert found.sentences[0].startswith("disaggregation pays: $177/h")
    other = "by formula $165/h apart against $142/h together, the other way round than simulated: where the cheaper way"
    assert any(one.startswith(other) for one in found.sentences)
    alike = study(replace(FOUND, apart=PROOF, together=replace(dear, cost=141.6)))
    assert not any("the other way round" in one for one in (*alike.sentences, *study().sentences))


@pytest.mark.parametrize(
    ("tried", "words"),
    [
        (None, "it was not simulated, which would take minutes"),
        (replace(PROOF, verdict="fail"), "no size of it that was simulated holds every limit"),
        (
            replace(PROOF, pools=(replace(POOL, replicas=8),), cost=190.0),
            "as simulated it takes H100 tp8 x8, $190/h",
        ),
    ],
)
def test_a_colocated_fleet_that_is_cheaper_by_formula_than_the_one_compared_with_is_told(
    tried: Proof | None, words: str
) -> None:
    """Seen: against the plan's own fleet it paid, and nothing was said of the cheaper one that the formula knows."""
    own = replace(PROOF, pools=(POOL,), cost=185.0, gpus=63)
    found = study(replace(FOUND, apart=PROOF, together=own, tried_together=tried))
    assert found.sentences[0].startswith("disaggregation pays: $177/h")
    assert f"by formula H100 tp8 x6 together costs $142/h: {words}" in found.sentences
    best = study(replace(FOUND, apart=PROOF, together=replace(own, cost=141.6), tried_together=tried))
    assert not any("together costs" in one for one in best.sentences)
    other = study(replace(FOUND, apart=PROOF, together=replace(own, pools=(replace(POOL, token_budget=512),))))
    assert any("by formula H100 tp8 x6, 2,048 tokens a step, together costs $142/h" in one for one in other.sentences)


@pytest.mark.parametrize("both", [FOUND, replace(FOUND, apart=PROOF, together=replace(PROOF, pools=(POOL,)))])
def test_beside_a_plan_that_is_to_be_sure_both_ways_are_told_to_be_at_nominal_speed(both: Disaggregated) -> None:
    found = disagg_study(PLAN, replace(ASKED, confidence=0.9), both, None)
    nominal = ", at nominal speed, where the plan is to be 90% sure"
    assert found.sentences[0].endswith(f"{nominal})")
    tables = [table for table in found.tables if table.title in ("both ways, cheapest first", "as simulated")]
    assert [nominal in table.note for table in tables] == [True] * (2 if both.proven else 1)
    plain = study(both)
    assert not any("nominal" in one for one in (*plain.sentences, *(table.note for table in plain.tables)))


def test_a_steps_tokens_are_a_number_unless_pools_differ_in_them() -> None:
    apart = replace(POOL, token_budget=512)
    for pools, tokens in (((POOL, POOL), POOL.token_budget), ((POOL, apart), None)):
        found = study(replace(FOUND, apart=PROOF, together=replace(PROOF, pools=pools, cost=118.0)))
        (column,) = (one for one in found.tables[0].columns if one.name == "tokens_a_step")
        assert (column.quantity, found.tables[0].records()[0]["tokens_a_step"]) == ("count", tokens)


def test_the_colocated_fleet_says_its_token_budget_where_the_plans_is_another() -> None:
    small = replace(POOL, token_budget=512, replicas=5)
    found = study(replace(FOUND, apart=PROOF, together=replace(PROOF, pools=(small,), cost=118.0, gpus=40)))
    own = PLAN.answer
    assert own is not None
    asked = f"{own.fleet.pools[0].token_budget:,}: {own.gpus} GPUs, $142/h"
    assert f"$118/h, H100 tp8 x5 (a token budget of 512; the plan's {asked})" in found.sentences[0]
    rows = found.tables[0].records()
    assert [(row["fleet"], row["proof"]) for row in rows] == [
        ("H100 tp8 x5", "simulated"),
        ("H100 tp8 x6", "formula"),
        ("H100 tp4 x11 > H100 tp4 x4", "simulated"),
    ]
    assert rows[0]["tokens_a_step"] == 512
    assert "token budget" not in study().sentences[0], "the plan's own is no other"


def test_unlike_gpus_and_what_is_left_out_are_warned_of() -> None:
    unlike = replace(FLEET, decode=replace(FLEET.decode, gpu="a100"))
    found = study(replace(FOUND, rows=(replace(ROW, fleet=unlike),), left_out=("mi300x",)))
    assert "mi300x" in found.warnings[0]
    assert "unlike GPUs" in found.warnings[1]


@pytest.mark.parametrize(
    ("below", "above", "words"),
    [
        (None, None, ""),
        (0.02, None, "disaggregation pays up to a TPOT limit of 20 ms"),
        (0.02, 0.08, "disaggregation pays from a TPOT limit of 80 ms on and up to a TPOT limit of 20 ms"),
    ],
)
def test_flips_in_words(below: float | None, above: float | None, words: str) -> None:
    assert flip_words(replace(TPOT, below=below, above=above)) == words


def test_a_typed_link_is_asked_for_again() -> None:
    assert disagg_study(PLAN, ASKED, FOUND, 25e9).question.endswith("--link 25GB/s")
    assert LINK.parse("400Gbit/s") == LINK.parse("50GB/s") == 50e9
