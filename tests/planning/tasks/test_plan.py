import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError, Interrupted
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import at_own_rates, costliest, run
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.simulation_inputs import Scene, read
from fleettui.planning.tasks.supported import check_supported
from fleettui.planning.tasks.sure_fleet import formula_evidence
from fleettui.routing import ROUTERS
from fleettui.routing.router import Router
from tests.evidence import mlperf
from tests.own_fits import FIT, SERVER
from tests.repeated import few

PERCENTILES: dict[str, Any] = {
    "workload": None,
    "prompt": ((0.5, 900.0), (0.99, 8000.0)),
    "output": ((0.5, 200.0), (0.99, 1500.0)),
}
MLPERF = 8
"""Results of MLPerf whose count of GPUs lies in the range, of twelve."""


def _run(question: Question) -> Answer:
    return run(Context(), question=question).answer


def test_the_answer_comes_with_everything_it_rests_on(question: Question) -> None:
    found = run(Context(), question=question)
    answer = found.answer
    assert answer.verdict == "pass"
    assert answer.answer is not None
    assert 40 <= answer.answer.gpus <= 56
    assert 0.2 < answer.answer.pools[0].mfu < 0.6
    assert answer.demand == DerivedDemand(rate=100.0, arithmetic="100 requests/s, as given", pairing="joint")
    assert found.workload.name == "azure-2023-conv"
    assert [profile.tp for profile in found.profiles] == [8]
    assert found.provenance.engine_version == answer.plan.engine_version


@pytest.mark.thorough
def test_it_is_the_same_twice(question: Question) -> None:
    assert _run(question) == _run(question)


READY = """
import sys
from fleettui.domain.demand import Demand
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_wire
from fleettui.domain.slo import Slo
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import call, find

call(find("plan-ready"), {"question": to_wire(Question(slo=Slo()))}, Context())
before = set(sys.modules)
rate = Demand(form="rate", rate=50.0)
asked = Question(workload="azure-2023-conv", demand=rate, slo=Slo(ttft=0.5), gpus=("h100",), tp=(8,), pools=(1,))
call(find("plan"), {"question": to_wire(asked)}, Context())
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""


def test_what_is_ready_loads_nothing_more_for_the_first_plan() -> None:
    found = subprocess.run((sys.executable, "-P", "-c", READY), capture_output=True, text=True, check=True, timeout=60)
    assert set(found.stdout.split()) <= {"email"}, "parsed for the versions that a plan keeps"


def test_it_tells_what_it_does_and_stops_when_asked(question: Question) -> None:
    told: list[Progress] = []
    run(Context(report=told.append), question=question)
    assert [step.message for step in told] == ["reading azure-2023-conv", "searching fleets"]
    with pytest.raises(Interrupted):
        run(Context(cancelled=lambda: True), question=question)


def test_the_context_is_printed_in_the_last_pool(question: Question) -> None:
    answer = _run(question).answer
    assert answer is not None
    assert answer.fleet.pools[-1].up_to % 256 == 0


def test_percentiles_give_the_costliest_pairing_and_the_range(question: Question) -> None:
    asked = replace(question, **PERCENTILES, demand=Demand(form="rate", rate=60.0), slo=Slo(tpot=0.04))
    answer = _run(asked)
    assert answer.answer is not None
    (sentence,) = (warning for warning in answer.warnings if "pair" in warning)
    sizes = {int(number) for number in re.findall(r"~(\d+)", sentence)}
    assert answer.answer.gpus == max(sizes)


@pytest.mark.thorough
def test_a_closed_loop_settles(question: Question) -> None:
    answer = _run(replace(question, demand=Demand(form="concurrency", concurrency=400, think=20.0)))
    assert answer.answer is not None
    figures, fleet = answer.answer.pools[0], answer.answer.fleet.pools[0]
    inside = figures.batch * fleet.replicas
    assert inside + answer.demand.rate * 20.0 == pytest.approx(400, rel=0.02)


def test_an_infeasible_question_has_an_answer(question: Question) -> None:
    answer = _run(replace(question, slo=Slo(ttft=0.001)))
    assert answer.verdict == "infeasible"
    assert answer.answer is None
    assert answer.why


def test_a_question_without_a_limit_is_refused(question: Question) -> None:
    with pytest.raises(InputError, match=r"(?s)no service level objective.*--limit ttft.p50=200ms"):
        _run(replace(question, slo=Slo()))


def test_what_does_not_exist_yet_is_refused(question: Question) -> None:
    for arrivals in ("replay", "waves", "gamma"):
        with pytest.raises(InputError, match="--arrivals"):
            _run(replace(question, arrivals=arrivals))
    with pytest.raises(InputError, match="--admission"):
        _run(replace(question, admission="greedy"))
    with pytest.raises(InputError, match="--router"):
        _run(replace(question, router="fastest"))


@pytest.mark.thorough
@pytest.mark.parametrize("whole_nodes", few([True, False], 1, more=1))
def test_bursts_take_what_a_plan_at_their_rate_takes(question: Question, whole_nodes: bool) -> None:
    asked = replace(question, gpus=("h100",), tp=(), pools=(1, 2), whole_nodes=whole_nodes, verify=False)
    plain = _run(asked)
    said = next(one for one in plain.warnings if one.startswith("bursts: "))
    rate, more = re.search(r"--rate ([\d.]+)/s", said), re.search(r"(\d+) (?:more like these|GPUs more)", said)
    assert rate is not None
    assert more is not None
    peak = _run(replace(asked, demand=Demand(form="rate", rate=float(rate[1]))))
    assert plain.answer is not None
    assert peak.answer is not None
    node = 8 if whole_nodes else 1
    paid = [-(-one.answer.gpus // node) * node for one in (plain, peak) if one.answer is not None]
    assert int(more[1]) == paid[1] - paid[0]
    assert int(more[1]) % node == 0


@pytest.mark.evidence
def test_bursts_take_more_and_the_plan_says_how_they_were_fitted_and_what_poisson_takes(question: Question) -> None:
    plain, bursty = (_run(replace(question, arrivals=one, verify=False)) for one in ("poisson", "gamma:cv=4"))
    assert any(re.match(r"bursts: busiest of 58 minutes at ", one) for one in plain.warnings)
    assert plain.answer is not None
    assert bursty.answer is not None
    assert bursty.answer.gpus > plain.answer.gpus
    more = bursty.answer.gpus - plain.answer.gpus
    assert f"these arrivals: as Poisson's ~{more} GPUs fewer, --arrivals poisson" in bursty.warnings
    fitted = _run(replace(question, arrivals="bursty"))
    assert any("(recorded 16.4)" in one for one in fitted.why)
    assert not any(one.startswith("arrivals: ") for one in fitted.warnings)


@pytest.mark.parametrize(  # this workload says nothing of the others
    "router",
    few([one for one in ROUTERS if not one.remembers and not one.of_sessions], 1, more=1),
    ids=lambda router: router.name,
)
def test_every_router_is_planned_for_and_what_the_formulas_assume_of_it_is_said(
    question: Question, router: Router
) -> None:
    pools = (2,) if router.meets else question.pools
    gamma = (1.0, 1.5) if router.compresses else question.gamma
    batch = 0.3 if router.of_classes else question.batch_share
    asked = replace(question, router=router.name, pools=pools, gamma=gamma, batch_share=batch, verify=False)
    answer = _run(asked)
    assert answer.answer is not None
    assert answer.answer.fleet.router == router.name
    assert any("must know outputs" in one for one in answer.warnings) == (pools == (2,))
    assert (router.caution in answer.warnings) == bool(router.caution)
    if not router.one_queue:
        common = _run(question).answer
        assert common is not None
        assert answer.answer.gpus >= common.gpus
        assert answer.answer.pools[0].ttft > common.pools[0].ttft or answer.answer.gpus > common.gpus


@pytest.mark.thorough
def test_outputs_that_are_guessed_are_said_to_be(question: Question) -> None:
    warnings = _run(replace(question, pools=(2,), length_error=0.4)).warnings
    assert any("router length guesses outputs 40% off" in one for one in warnings)
    assert not any("must know outputs" in one for one in warnings)


def test_a_router_between_pools_wants_several(question: Question) -> None:
    with pytest.raises(InputError, match="--pools 1,2"):
        _run(replace(question, router="spillover", pools=(1,)))
    with pytest.raises(InputError, match=r"--gamma 1\.0:2\.0"):
        _run(replace(question, router="compress", pools=(2,)))
    with pytest.raises(InputError, match="--batch-share 30%"):
        _run(replace(question, router="class", pools=(2,)))
    one = _run(replace(question, router="least-loaded"))
    assert one.answer is not None
    assert len(one.answer.fleet.pools) == 1
    assert "in one pool router least-loaded does what length does" in one.warnings


def test_the_papers_preset_answers_with_its_warning(question: Question) -> None:
    asked = replace(question, workload="azure-paper", preset="paper", gpus=("a100",), tp=(), pools=(1,))
    answer = _run(replace(asked, demand=Demand(form="rate", rate=1000.0)))
    assert answer.answer is not None
    assert answer.answer.fleet.admission == "reserved"
    assert answer.answer.gpus == 284
    assert any("price of one GPU" in warning for warning in answer.warnings)


def test_finding_no_fleet_costs_more_than_any(question: Question) -> None:
    found = _run(question)
    none = replace(found, verdict="infeasible", answer=None)
    assert costliest([found, none, found]) is none


@pytest.mark.evidence
def test_a_closed_loop_is_answered_at_the_rate_at_which_its_clients_drive_the_answer(question: Question) -> None:
    """N clients that think for Z seconds: X·(R + Z) = N for the very fleet that is shown, and its own figures."""
    clients, think = 300, 10.0
    asked = replace(question, demand=Demand(form="concurrency", concurrency=clients, think=think), slo=Slo(tpot=0.05))
    answer = _run(asked)
    assert answer.answer is not None
    inside = sum(
        pool.replicas * figures.batch
        for pool, figures in zip(answer.answer.fleet.pools, answer.answer.pools, strict=True)
    )
    assert sum(pool.arrival_rate for pool in answer.answer.pools) == pytest.approx(answer.demand.rate)
    assert inside + answer.demand.rate * think == pytest.approx(clients, rel=1e-3)
    assert answer.answer in answer.candidates


LOOP = Demand(form="concurrency", concurrency=290, think=1.0)


def _loop(question: Question, **changes: Any) -> Question:
    return replace(question, demand=LOOP, slo=Slo(ttft=1.5), pools=(1,), verify=False, **changes)


def _scene(question: Question, rate: float) -> Scene:
    (case,), context = read(question, workload_of(question, longest=131_072))
    return Scene(question=question, case=case, rate=rate, context=context)


@pytest.mark.thorough
def test_the_papers_fleet_has_the_rate_of_its_own_clients(question: Question) -> None:
    """Their engines are hand-set, so that no catalogue's hardware may be asked for them: none of it would fit."""
    asked = replace(question, workload="azure-paper", preset="paper", gpus=("a100",), tp=(), pools=(1, 2))
    clients, think = 20_000, 1.0
    answer = _run(replace(asked, demand=Demand(form="concurrency", concurrency=clients, think=think)))
    assert (answer.verdict, answer.answer in answer.candidates) == ("pass", True)
    assert answer.answer is not None
    pairs = zip(answer.answer.fleet.pools, answer.answer.pools, strict=True)
    inside = sum(pool.replicas * figures.batch for pool, figures in pairs)
    assert sum(pool.arrival_rate for pool in answer.answer.pools) == pytest.approx(answer.demand.rate)
    assert inside + answer.demand.rate * think == pytest.approx(clients, rel=0.005)
    assert answer.answer == _run(replace(asked, demand=Demand(form="rate", rate=answer.demand.rate))).answer


@pytest.mark.parametrize("pools", few([(1,), (2,)], 1, whole=True))
def test_a_closed_loops_evidence_is_at_the_rate_of_its_figures(question: Question, pools: tuple[int, ...]) -> None:
    answer = _run(replace(_loop(question), pools=pools))
    assert answer.answer is not None
    assert answer.answer.evidence is not None
    assert (answer.verdict, answer.answer.evidence.verdict) == ("pass", "pass")
    for seen, figures in zip(answer.answer.evidence.pools, answer.answer.pools, strict=True):
        assert seen.name == figures.name
        for name in ("utilization", "batch"):
            assert getattr(seen, name) == pytest.approx(getattr(figures, name), rel=1e-9)
        for name in ("ttft", "tpot"):
            assert getattr(seen, name).value == pytest.approx(getattr(figures, name), rel=1e-6)
    if pools == (1,):
        assert answer.answer.evidence.ttft.value == pytest.approx(answer.answer.pools[0].ttft, rel=1e-6)


def test_the_evidence_is_the_searchs_own(question: Question) -> None:
    """At the rate that was searched for, the fleet that was found has the evidence that it was found with."""
    for pools in ((1,), (2,)):
        asked = replace(question, pools=pools)
        found = _run(asked).answer
        assert found is not None
        assert formula_evidence(found, _scene(asked, 100.0)) == found.evidence


@pytest.mark.evidence
def test_a_fleet_that_its_own_clients_keep_too_busy_is_no_answer(question: Question) -> None:
    """One replica is .769 busy at the rate that the search settles at, and .772 at its own clients'."""
    slow = Demand(form="concurrency", concurrency=400, think=20.0)
    small, answer = (_run(replace(_loop(question, max_utilization=most), demand=slow)) for most in (0.85, 0.77))
    assert small.answer is not None
    assert answer.answer is not None
    assert 0.771 < small.answer.pools[0].utilization < 0.772
    assert (small.answer.gpus, answer.answer.gpus, answer.verdict) == (8, 16, "pass")
    assert answer.answer.pools[0].utilization <= 0.77
    assert "one replica fewer" in answer.why[0]
    inside = answer.answer.pools[0].batch * answer.answer.fleet.pools[0].replicas
    assert inside + answer.demand.rate * 20.0 == pytest.approx(400, rel=1e-3)


@pytest.mark.parametrize(
    "changes",
    few([{"max_utilization": 0.8362}, {"slo": Slo(ttft=0.4021)}, {"slo": Slo(tpot=0.0443)}, {"budget": 47.0}], 1),
)
def test_whatever_a_fleet_breaks_at_its_own_rate_fails(question: Question, changes: dict[str, Any]) -> None:
    searched = _run(_loop(question))
    tight = replace(_loop(question), **changes)
    found = at_own_rates(searched, _scene(tight, searched.demand.rate))
    assert found.answer is not None
    assert found.answer.evidence is not None
    assert (found.verdict, found.answer.evidence.verdict) == ("fail", "fail")
    again = at_own_rates(searched, _scene(_loop(question), searched.demand.rate))
    assert again.verdict == "pass"
    assert again.answer == searched.answer


def test_more_clients_than_can_be_simulated_are_refused_unless_nothing_is(question: Question) -> None:
    crowd = replace(question, demand=Demand(form="concurrency", concurrency=1_000_001, think=100.0))
    with pytest.raises(InputError, match=r"--concurrency: .* too many requests to simulate"):
        check_supported(crowd)
    check_supported(replace(crowd, verify=False))
    check_supported(replace(crowd, preset="paper"))
    check_supported(replace(crowd, demand=replace(crowd.demand, concurrency=1_000_000)))
    check_supported(replace(crowd, demand=replace(crowd.demand, form="rate", rate=5.0)))


@pytest.mark.evidence
def test_a_fit_decides_between_hardware_that_was_measured_and_cheaper_that_was_not() -> None:
    """No kernel of an MI300X was measured; a fit that changes no step, but narrows its band, makes it the answer."""
    asked = Question(
        workload="azure-2023-conv",
        demand=Demand(form="rate", rate=100.0),
        slo=Slo(ttft=0.5),
        dtype="fp8",
        gpus=("b200", "mi300x"),
        tp=(2,),
        pools=(1,),
        step_law="kernels",
        max_num_seqs=1024,
        token_budget=8192,
    )
    plain = _run(asked)
    assert plain.answer is not None
    assert {pool.gpu for pool in plain.answer.fleet.pools} == {"b200"}
    assert any(one.startswith("mi300x may be cheaper") for one in plain.why)
    server = replace(SERVER, gpu="mi300x", tp=2, factor=1.0, constant=0.0, front_end=None, band=0.06)
    own = _run(replace(asked, fit=replace(FIT, servers=(server,))))
    assert own.answer is not None
    assert {pool.gpu for pool in own.answer.fleet.pools} == {"mi300x"}
    assert own.answer.cost_per_hour < plain.answer.cost_per_hour
    assert (own.answer.speeds, own.answer.band) == ("own fit prod", (1 / 1.06, 1 / 0.94))
    assert any(one.startswith("steps of mi300x/llama-3.1-70b/fp8/tp2 are by own fit prod") for one in own.why)


def test_a_plan_says_what_is_as_good_as_sure_of_gpus_that_nobody_measured_as_one_that_wishes_it_does() -> None:
    """Found: 90 % with B200 for $32/h, and with MI300X for $24/h where that was asked for."""
    asked = Question(
        workload="azure-2023-conv",
        demand=Demand(form="rate", rate=25.0),
        slo=Slo(ttft=0.8),
        model="llama-3.1-70b",
        dtype="fp8",
        gpus=("b200", "mi300x"),
        tp=(2,),
        pools=(1,),
        step_law="kernels",
        verify=False,
    )
    nominal, surer = _run(asked), _run(replace(asked, confidence=0.9))
    assert nominal.answer is not None
    assert nominal.answer.fleet.pools[0].gpu == "mi300x", "which costs less to be as sure, too"
    assert nominal.confidence is not None
    assert surer.answer is not None
    assert surer.answer.speeds == "kernels not measured"
    sure = nominal.confidence.replicas if nominal.confidence.instead is None else None
    assert sure == tuple(pool.replicas for pool in surer.answer.fleet.pools)
    assert nominal.confidence.best_cost == surer.answer.cost_per_hour
    assert "; mi300x ~$23.88/h to be 90% sure (kernels not measured)" in " ".join(nominal.why)
    assert not any(one.startswith("kernels not measured: to be") for one in nominal.why)
    assert any(one.startswith("kernels not measured: to be 90% sure its size pays for that") for one in surer.why)
    larger = _run(replace(asked, gpus=("b200",), confidence=0.9)).answer
    assert larger is not None
    assert [pool.limited_by for pool in larger.pools] == ["the wished confidence"], "as --confidence is called"


def test_a_nominal_plan_costs_no_more_than_one_that_is_90_percent_sure() -> None:
    """Found: 1 B200, $5.25/h, of a question that 2 MI300X, $3.98/h, answer with 90 %."""
    asked = Question(
        workload="azure-2023-conv",
        demand=Demand(form="rate", rate=8.0),
        slo=Slo(ttft=1.0, tpot=0.05),
        model="qwen3-32b",
        dtype="fp8",
        gpus=("b200", "mi300x"),
        tp=(1,),
        pools=(1,),
        step_law="kernels",
        verify=False,
    )
    nominal, surer = _run(asked).answer, _run(replace(asked, confidence=0.9)).answer
    assert nominal is not None
    assert surer is not None
    assert [(one.cost_per_hour, one.gpus) for one in (nominal, surer)] == [(1.99, 1), (3.98, 2)]


@pytest.mark.evidence
def test_ranges_have_as_many_counts_of_mlperf_as_at_the_last_release() -> None:
    assert sum(mlperf.holds(mlperf.answer(one, "benchmark"), one.gpus) for one in mlperf.RESULTS) >= MLPERF


def test_a_profile_takes_what_poisson_takes_in_its_busiest_slice_and_names_it(
    question: Question, tmp_path: Path
) -> None:
    file = tmp_path / "day.csv"
    file.write_text("start,rate\n00:00,1\n01:00,6\n", encoding="utf-8")
    asked = replace(question, demand=Demand(form="trace"))
    profile = _run(replace(asked, arrivals=f"profile:{file}"))
    poisson = _run(replace(asked, demand=Demand(form="rate", rate=6.0)))
    assert profile.answer == poisson.answer
    assert profile.demand.arithmetic == "the profile's busiest slice: 6 requests/s"
    assert any("sized by 01:00-02:00, 6/s" in one for one in profile.why)
    assert not any(one.startswith("these arrivals") for one in profile.warnings)


def test_a_profile_whose_lengths_change_is_sized_by_the_slice_that_asks_most_of_a_pool_not_by_the_busiest(
    question: Question, tmp_path: Path
) -> None:
    file = tmp_path / "day.csv"
    file.write_text("start,rate,workload\n00:00,20,\n01:00,15,azure-2023-code\n", encoding="utf-8")
    asked = replace(question, demand=Demand(form="trace"), slo=Slo(ttft=0.4), pools=(1,))
    found = _run(replace(asked, arrivals=f"profile:{file}"))
    code = _run(replace(asked, workload="azure-2023-code", demand=Demand(form="rate", rate=15.0)))
    own = _run(replace(asked, demand=Demand(form="rate", rate=20.0)))
    assert found.answer is not None
    assert code.answer is not None
    assert own.answer is not None
    assert found.answer.gpus == code.answer.gpus > own.answer.gpus
    assert found.demand.rate == 20.0
    assert "pool all is sized by 01:00-02:00 (azure-2023-code), 15/s" in found.warnings
