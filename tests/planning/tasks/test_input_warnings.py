from collections.abc import Callable
from dataclasses import replace

from fleettui.domain.bounds import Bounds
from fleettui.domain.demand import DerivedDemand
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.workload import Workload
from fleettui.planning.tasks.input_warnings import caveats
from fleettui.planning.tasks.workload_slices import Case, cases_of
from fleettui.workloads.library import load

Timed = Callable[..., Workload]
ATOMS = ((1.0, 100.0, 20.0),)
ASKED = Question(slo=Slo(ttft=1.0))
INFEASIBLE = Answer(verdict="infeasible", demand=DerivedDemand(rate=1.0, arithmetic=""), answer=None)


def _said(workload: Workload, dropped: float = 0.0) -> tuple[str, ...]:
    cases = [replace(case, dropped=dropped) for case in cases_of(workload)]
    return caveats(ASKED, workload, cases, [INFEASIBLE] * len(cases), INFEASIBLE.demand.rate)


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
    (sentence,) = caveats(ASKED, workload, cases, [INFEASIBLE, INFEASIBLE], INFEASIBLE.demand.rate)
    assert sentence.endswith("same order, opposite order")


def test_bounds_of_a_requests_stay_are_told_since_no_formula_has_them(timed: Timed) -> None:
    asked, (case,) = replace(ASKED, bounds=Bounds(queue=9)), cases_of(timed((0.0, 60.0, 2.0, ATOMS)))
    assert caveats(asked, timed((0.0, 60.0, 2.0, ATOMS)), [case], [INFEASIBLE], 1.0) == (), "the simulation has them"
    by_formula = replace(asked, verify=False)
    (sentence,) = caveats(by_formula, timed((0.0, 60.0, 2.0, ATOMS)), [case], [INFEASIBLE], 1.0)
    assert sentence.startswith("the formulas let every request wait")


def test_a_class_behind_the_others_without_a_limit_is_told(timed: Timed) -> None:
    workload = timed((0.0, 60.0, 2.0, ATOMS))
    for slo, told in ((Slo(ttft=1.0), 1), (Slo(ttft=1.0, further=(("batch.ttft", 60.0),)), 0)):
        asked = Question(slo=slo, batch_share=0.3)
        found = caveats(asked, workload, cases_of(workload), [INFEASIBLE], INFEASIBLE.demand.rate)
        assert len(found) == told
        assert all("class batch has no limit" in one for one in found)
