import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.workload import Workload
from fleettui.hardware import catalog
from fleettui.planning.candidate_warnings import of_inputs
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.input_warnings import caveats
from fleettui.planning.tasks.plan import run
from fleettui.planning.tasks.workload_slices import Case, cases_of
from fleettui.reports.table import WIDTH
from fleettui.routing import ROUTERS
from fleettui.scheduling import SCHEDULERS
from fleettui.workloads.library import load
from tests.repeated import few

Timed = Callable[..., Workload]
ATOMS = ((1.0, 100.0, 20.0),)
ASKED = Question(slo=Slo(ttft=1.0))
BY_FORMULA = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=30.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    verify=False,
)
ROOM = WIDTH - len("! ")
INFEASIBLE = Answer(verdict="infeasible", demand=DerivedDemand(rate=1.0, arithmetic=""), answer=None)


def _said(workload: Workload, dropped: float = 0.0) -> tuple[str, ...]:
    cases = [replace(case, dropped=dropped) for case in cases_of(workload)]
    return caveats(ASKED, workload, cases, [INFEASIBLE] * len(cases))


def test_nothing_to_say_of_a_plain_workload(timed: Timed) -> None:
    assert _said(timed((0.0, 60.0, 2.0, ATOMS))) == ()


def test_the_readers_notes_come_first() -> None:
    workload = load("mooncake-conversation")
    assert workload.notes, "the trace's times are ticks"
    assert _said(workload)[: len(workload.notes)] == workload.notes


def test_what_was_left_out_is_told(timed: Timed) -> None:
    (sentence,) = _said(timed((0.0, 60.0, 2.0, ATOMS)), dropped=0.031)
    assert sentence.startswith("up to 3.10% of the requests")


def test_pairings_without_a_fleet_are_named(timed: Timed) -> None:
    workload = timed((0.0, 60.0, 2.0, ATOMS))
    (case,) = cases_of(workload)
    cases = [Case(pairing=name, slices=case.slices) for name in ("same order", "opposite order")]
    (sentence,) = caveats(ASKED, workload, cases, [INFEASIBLE, INFEASIBLE])
    assert sentence == "how lengths pair is unknown: no fleet holds if same order or opposite order; a trace tells"


def test_a_router_that_does_not_keep_together_what_begins_alike_is_told_beside_caches() -> None:
    asked = replace(BY_FORMULA, workload="agent-sessions", sessions=True, prefix_cache=True, slo=Slo(ttft=8.0))
    answer = run(Context(), question=asked).answer
    best, workload = answer.answer, load("agent-sessions")
    assert best is not None
    asked, cases = replace(asked, verify=True), cases_of(workload)
    for router in ROUTERS:
        own = replace(answer, answer=replace(best, fleet=replace(best.fleet, router=router.name)))
        said = [one for one in caveats(asked, workload, cases, [own]) if router.name in one]
        assert bool(said) is not router.together
        assert all("fleettui routers" in one and len(one) <= ROOM for one in said)
        assert all(map(of_inputs, said)), "they stay when another fleet is proven"
        assert caveats(replace(asked, prefix_cache=False), workload, cases, [own]) == workload.notes


def test_bounds_of_a_requests_stay_are_told_since_no_formula_has_them(timed: Timed) -> None:
    asked, (case,) = replace(ASKED, bounds=Bounds(queue=9)), cases_of(timed((0.0, 60.0, 2.0, ATOMS)))
    assert caveats(asked, timed((0.0, 60.0, 2.0, ATOMS)), [case], [INFEASIBLE]) == (), "the simulation has them"
    by_formula = replace(asked, verify=False)
    (sentence,) = caveats(by_formula, timed((0.0, 60.0, 2.0, ATOMS)), [case], [INFEASIBLE])
    assert sentence.startswith("by formula every request waits")


def test_a_class_behind_the_others_without_a_limit_is_told(timed: Timed) -> None:
    workload = timed((0.0, 60.0, 2.0, ATOMS))
    for slo, told in ((Slo(ttft=1.0), 1), (Slo(ttft=1.0, further=(("batch.ttft", 60.0),)), 0)):
        asked = Question(slo=slo, batch_share=0.3)
        found = caveats(asked, workload, cases_of(workload), [INFEASIBLE])
        assert len(found) == told
        assert all("class batch has no limit" in one for one in found)


def test_what_a_models_file_does_not_say_is_told(timed: Timed, tmp_path: Path) -> None:
    config = tomllib.loads(catalog.folder("models").joinpath("llama-3.1-8b.toml").read_text("utf-8"))["config"]
    del config["num_key_value_heads"]
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config), "utf-8")
    workload = timed((0.0, 60.0, 2.0, ATOMS))
    (sentence,) = caveats(replace(ASKED, model=str(file)), workload, cases_of(workload), [INFEASIBLE])
    assert sentence.startswith("no num_key_value_heads in config.json: all 32 heads are cached")
    assert len(sentence) <= ROOM


@pytest.mark.parametrize(
    "changed",
    few(
        [
            {"arrivals": "bursty"},
            {"gpus": ()},
            {"gpus": ("all",)},
            {"router_refresh": 2.0},
            {"bounds": Bounds(queue=50)},
            {"batch_share": 0.3},
            {"pools": (2,), "length_error": 0.4},
            {"pools": (2,), "gamma": (1.5, 1.5)},
            {"workload": "mooncake-conversation", "slo": Slo(ttft=20.0)},
            {"workload": "azure-2023-code", "slo": Slo(ttft=0.4), "demand": Demand(form="rate", rate=50.0)},
            {"demand": Demand(form="rate", rate=5000.0), "model": "llama-3.1-8b"},
        ],
        1,
        more=10,
    ),
    ids=str,
)
def test_warnings_of_answers_by_formula_take_one_line(changed: dict[str, object]) -> None:
    answer = run(Context(), question=replace(BY_FORMULA, **changed)).answer  # type: ignore[arg-type]
    assert answer.answer is not None
    assert [one for one in answer.warnings if len(one) > ROOM or "\n" in one] == []


def test_what_routers_and_schedulers_differ_in_takes_one_line() -> None:
    cautions = [*(one.caution for one in ROUTERS), *(one.caution for one in SCHEDULERS)]
    assert any(cautions)
    assert [one for one in cautions if len(one) > ROOM] == []


def test_a_price_and_a_stock_of_gpus_that_are_not_searched_are_told() -> None:
    asked = replace(BY_FORMULA, prices=(("b300", 3.0),), max_gpus=(("h100", 400), ("l40s", 4)))
    told = [one for one in run(Context(), question=asked).answer.warnings if "no effect" in one]
    assert [one.partition(":")[0] for one in told] == ["--price b300", "--max-gpus l40s"]
    assert all(map(of_inputs, told)), "they stay when another fleet is proven"
