"""Our method on the papers' questions: the same as asking the planner, honest where no fleet would do."""

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.hardware.paper_profiles import SETTINGS
from fleettui.optimize.plan import find_plan
from fleettui.optimize.published.cell_questions import (
    A100,
    AGENT,
    AZURE,
    H100,
    LMSYS,
    Curtailed,
    Disaggregated,
    FleetAsked,
    OfFleet,
    OfLengths,
    OneReplica,
    Repaired,
)
from fleettui.optimize.published.recommended import Recommended
from fleettui.planning.tasks.serving_profiles import profiles_of
from fleettui.workloads.atoms import pairings
from fleettui.workloads.named import read_workload


def test_a_split_fleet_is_what_the_planner_finds_for_the_same_question(ours: Recommended) -> None:
    asked = FleetAsked(workload=AZURE, rate=100.0, gpus=(H100,), cut=4096, context=65_536)
    atoms = pairings(read_workload("azure-paper").slices[0].lengths)[0][1]
    question = Question(
        demand=Demand(form="rate", rate=100.0),
        slo=Slo(ttft=0.5),
        gpus=(H100,),
        prices=((H100, 4.02),),
        pools=(2,),
        splits=(4096,),
        front_end=0.0,
        max_num_seqs=SETTINGS.max_num_seqs,
        token_budget=SETTINGS.token_budget,
        verify=False,
        step_law="roofline",
    )
    profiles = profiles_of(question, catalog.model(question.model))
    plan = find_plan(question, slices=[(100.0, atoms)], profiles=profiles, grid=(), context=16_384)
    assert plan.answer is not None
    for place, pool in enumerate(plan.answer.fleet.pools):
        assert ours.answer(OfFleet(fleet=asked, figure="replicas", pool=place)).value == pool.gpus
    cost = ours.answer(OfFleet(fleet=asked, figure="cost")).value
    assert cost == pytest.approx(plan.answer.cost_per_hour * 8760)


def test_a_limit_below_an_idle_replica_is_said_and_the_load_alone_counted(ours: Recommended) -> None:
    asked = FleetAsked(workload=AGENT, rate=1000.0)
    found = ours.answer(OfFleet(fleet=asked, figure="replicas"))
    assert "out of reach" in found.note
    alone = ours.answer(OfFleet(fleet=FleetAsked(workload=AGENT, rate=1000.0, slo=None), figure="replicas"))
    assert found.value == alone.value
    assert "out of reach" not in alone.note


def test_a_split_saves_next_to_nothing_once_prompts_count(ours: Recommended) -> None:
    """model.md §8: paged with prefill −0.6 to +2 %, before replicas are rounded up."""
    for workload, cut in ((AZURE, 4096), (LMSYS, 1536)):
        split, whole = (FleetAsked(workload=workload, rate=1000.0, cut=place) for place in (cut, None))
        found = ours.answer(OfFleet(fleet=split, figure="saving", against=whole)).value
        assert found is not None
        assert -0.03 < found < 0.03


def test_compression_counts_the_work_that_it_moves(ours: Recommended) -> None:
    plain, compressed = (
        FleetAsked(workload=AZURE, rate=1000.0, cut=4096, gamma=gamma, slo=None) for gamma in (1.0, 2.0)
    )
    before, after = ([pool.rate for pool in ours.planned(asked)] for asked in (plain, compressed))
    assert sum(before) == pytest.approx(sum(after))
    assert after[0] > before[0]
    tokens = [sum(w * p for w, p, _ in ours.planned(asked)[0].atoms) for asked in (plain, compressed)]
    assert tokens[1] > tokens[0]


def test_places_by_real_blocks_hardly_differ(ours: Recommended) -> None:
    found = ours.answer(OfLengths(workload=AGENT, cut=8192, gamma=1.5, figure="cliff")).value
    assert found is not None
    assert 1.0 <= found < 2.0


def test_a_power_cap_is_the_largest_batch_or_does_not_exist(ours: Recommended) -> None:
    caps = [ours.answer(Curtailed(shed=shed, figure="cap")).value for shed in (0.1, 0.2, 0.3, 0.4, 0.5)]
    assert caps == [48, 24, 13, 7, None]
    drowned = ours.answer(Curtailed(shed=0.0, figure="ttft"))
    assert drowned.value is None
    assert "times full" in drowned.note


def test_a_power_capped_fleet_that_serves_has_a_latency(ours: Recommended) -> None:
    found = ours.answer(Curtailed(shed=0.0, figure="ttft", rate=20.0)).value
    assert found is not None
    assert 0.1 < found < 2.0


def test_prefill_and_decode_hold_their_limits_and_their_load(ours: Recommended) -> None:
    asked = Disaggregated(prefill=H100, decode=A100, figure="prefill")
    prefill, decode, both, ttft, tpot = (
        ours.answer(Disaggregated(prefill=H100, decode=A100, figure=figure)).value
        for figure in ("prefill", "decode", "replicas", "ttft", "tpot")
    )
    assert prefill is not None
    assert decode is not None
    assert both == prefill + decode
    assert ttft is not None
    assert tpot is not None
    assert ttft <= asked.slo_ttft
    assert tpot <= asked.slo_tpot
    peak = catalog.gpu(H100).peak_bf16
    arithmetic = 2.0 * catalog.model("llama-3.1-70b").active_parameters * asked.prompt * asked.rate
    assert prefill * peak > arithmetic  # an implied MFU above 100 % would be a bug


def test_the_note_on_availability_compares_the_two_rules(ours: Recommended) -> None:
    found = ours.answer(Repaired(failures_per_day=0.0065, repair=48 * 3600.0))
    assert found.value == pytest.approx(0.98717, abs=1e-4)
    assert "99% takes 22" in found.note
    assert A100 not in found.note


def test_by_the_blocks_that_a_request_holds_there_is_no_cliff(ours: Recommended) -> None:
    """FleetOpt, Table 1: one token more takes one block more, not eight times a place."""
    ratios = [
        ours.answer(OneReplica(context=65_536, tokens=tokens, beside=8192, figure="ratio")).value
        for tokens in (8193, 65_536)
    ]
    assert ratios == [pytest.approx(513 / 512), 8.0]


def test_a_replica_serves_fewer_requests_the_longer_they_are(ours: Recommended) -> None:
    rates = [
        ours.answer(OneReplica(context=8192, tokens=tokens, figure="rate")).value or 0.0 for tokens in (800, 1600, 5000)
    ]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] / rates[1] == pytest.approx(2.0, rel=0.1)
