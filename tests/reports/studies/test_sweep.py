from dataclasses import replace

import pytest

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.plan import Answer, PlanIdentity
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study
from fleettui.domain.whatif import Axis, Outcome, Point, Sweep
from fleettui.reports.studies.sweep import column_name, elasticity, sweep_study, value
from fleettui.reports.study_text import study_text
from tests.cli.conftest import BEST

PLAN = Answer(
    verdict="pass",
    plan=PlanIdentity(id="0199", handle="9f3c", name="spring"),
    demand=DerivedDemand(rate=100.0, arithmetic=""),
    answer=BEST,
)
ASKED = Question(workload="x", slo=Slo(ttft=0.5))
H100 = Outcome(
    verdict="pass", rate=100.0, fleet=BEST.fleet, gpus=48, cost=141.6, ttft=0.4, limited_by="prefill compute"
)
A100 = replace(
    H100, fleet=replace(BEST.fleet, pools=(replace(BEST.fleet.pools[0], gpu="a100", replicas=12),)), gpus=96, cost=283.2
)
NONE = Outcome(verdict="infeasible", rate=100.0, limited_by="no number of GPUs helps: alone it takes 1 s")


def study(outcomes: list[Outcome], axis: Axis) -> Study:
    points = tuple(Point(values=(at,), question=ASKED) for at in axis.values)
    return sweep_study(PLAN, "whatif 9f3c", Sweep(axes=(axis,), points=points), H100, outcomes)


def rates(*values: float) -> Axis:
    return Axis(name="rate", quantity="rate", values=values)


def test_sentences_say_where_the_answer_changes_and_how_fast_it_grows() -> None:
    found = study([H100, H100, A100], rates(50.0, 100.0, 200.0))
    assert found.sentences == (
        "as planned: 48 H100 (H100 tp8 x6), $142/h, by formula",
        "rate 100/s to 200/s: the answer changes from H100 tp8 to A100 tp8",
        "from 50/s to 200/s the cost goes from ~$142/h to ~$283/h: per 1% of rate +0.50%, less than in proportion",
    )


def test_what_is_simulated_stands_without_the_mark_of_a_formula() -> None:
    seen = replace(H100, simulated=True)
    assert "goes from $142/h to ~$283/h" in study([seen, A100], rates(50.0, 100.0)).sentences[-1]
    words = study([seen, A100], Axis(name="gpu", quantity="text", values=("h100", "a100"))).sentences
    assert "gpu h100: 48 H100" in words[1]
    assert "gpu a100: ~96 A100" in words[2]


def test_where_nothing_changes_that_is_said() -> None:
    found = study([H100, H100], rates(50.0, 100.0))
    assert "H100 tp8 is the answer throughout" in found.sentences
    assert "moves it not at all" in found.sentences[-1]


def test_ends_that_cost_alike_do_not_hide_what_lies_between() -> None:
    found = study([H100, replace(H100, cost=188.8), H100], rates(50.0, 100.0, 200.0)).sentences[-1]
    assert found == "from 50/s to 200/s the cost goes from ~$142/h to ~$142/h, in between it lies at $142/h to $189/h"


def test_infeasible_points_have_a_row_and_their_reason() -> None:
    found = study([NONE, H100], Axis(name="slo-ttft", quantity="seconds", values=(0.01, 0.5)))
    assert found.tables[0].rows[0] == (0.01, "infeasible", None, "none", None, None, "no number of GPUs helps")
    assert "slo-ttft 10ms to 500ms" in found.sentences[1]
    assert "alone it takes 1 s" in found.sentences[1]
    assert all(len(line) <= 80 for line in study_text(found).splitlines())


def test_words_and_grids_are_told_by_their_ends() -> None:
    found = study([A100, NONE, H100], Axis(name="gpu", quantity="text", values=("a100", "a10g", "h100")))
    assert found.sentences[1:] == (
        "cheapest: gpu h100: ~48 H100 (H100 tp8 x6), $142/h",
        "dearest: gpu a100: ~96 A100 (A100 tp8 x12), $283/h",
        "1 of 3 points have no fleet that holds",
    )
    assert study([NONE], Axis(name="gpu", quantity="text", values=("a10g",))).sentences[1:] == (
        "1 of 1 points have no fleet that holds",
    )


def test_points_that_all_cost_the_same_have_no_cheapest() -> None:
    gpus = Axis(name="gpu", quantity="text", values=("h100", "a100", "a10g"))
    assert study([H100, H100, H100], gpus).sentences[1:] == ("all 3 points cost the same, $142/h",)
    assert study([H100, H100, NONE], gpus).sentences[1:] == (
        "all 2 points that hold cost the same, $142/h",
        "1 of 3 points have no fleet that holds",
    )


def test_a_sweep_of_another_kind_has_a_title_of_its_own() -> None:
    points = (Point(values=(50.0,), question=ASKED),)
    found = sweep_study(
        PLAN, "x", Sweep(axes=(rates(50.0),), points=points), H100, [H100], kind="budget", title="what speed costs"
    )
    assert (found.kind, found.title) == ("budget", "spring: what speed costs")
    assert study([H100], rates(50.0)).title == "spring: what if rate was 50/s"


def test_many_changes_are_counted() -> None:
    found = study([H100, A100] * 5, rates(*(float(at) for at in range(1, 11))))
    assert sum("the answer changes" in one for one in found.sentences) == 4
    assert "and 5 more such changes" in found.sentences


def test_elasticity_is_the_slope_on_logarithmic_scales() -> None:
    assert elasticity([1.0, 3.0, 10.0], [5.0, 7.0, 5000.0]) == pytest.approx(3.0)
    assert elasticity([0.0, 1.0], [1.0, 2.0]) is None
    assert elasticity([1.0], [1.0]) is None


def test_values_are_told_in_their_units() -> None:
    def told(quantity: str, at: float | str) -> str:
        return value(Axis(name="x", quantity=quantity, values=()), at)  # type: ignore[arg-type]

    assert [told("share", 0.255), told("dollars per hour", 2.5), told("number", 1.5), told("text", "h100")] == [
        *("25.5%", "$2.50/h", "1.5", "h100"),
    ]
    assert column_name("max-gpus h100") == "max_gpus_h100"


def test_the_title_holds_what_was_swept() -> None:
    assert study([H100] * 2, rates(50.0, 100.0)).title == "spring: what if rate was 50/s, 100/s"
    assert study([H100] * 4, rates(50.0, 60.0, 70.0, 80.0)).title == "spring: what if rate was 50/s to 80/s"
    gpus = Axis(name="gpu", quantity="text", values=("h100", "a100", "l40s", "b200"))
    assert study([H100] * 4, gpus).title == "spring: what if gpu was h100, a100, l40s, b200"


def test_growth_is_not_averaged_over_steps() -> None:
    dear = replace(H100, cost=1416.0)
    found = study([H100, H100, dear, dear], rates(50.0, 100.0, 101.0, 200.0))
    assert found.sentences[-1] == (
        "from 50/s to 200/s the cost goes from ~$142/h to ~$1,416/h, not evenly: steps at 100/s to 101/s"
    )
    found = study([H100, A100, NONE], rates(50.0, 100.0, 200.0))
    assert found.sentences[-1].endswith("not evenly: steps at 100/s to 200/s (infeasible on one side)")
    assert not any("per 1%" in sentence for sentence in found.sentences)
