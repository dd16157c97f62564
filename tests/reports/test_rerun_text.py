from dataclasses import replace

from fleettui.domain.confidence import Confidence
from fleettui.domain.decisive import Decisive
from fleettui.domain.redundancy import Redundancy, Spread
from fleettui.reports.comparison.build import compare
from fleettui.reports.comparison.model import Compared
from fleettui.reports.rerun_text import Rerun, rerun_json, rerun_text
from tests.cli.conftest import ANSWER, BEST, PROVEN
from tests.planning.simulated import question
from tests.reports.test_redundancy_text import KNOWN, POOL

ASKED = question("x")


def rerun(kept=ANSWER, again=ANSWER) -> Rerun:
    plans = [Compared(answer=one, question=ASKED) for one in (kept, again)]
    return Rerun(kept=kept, again=again, comparison=compare(plans))


def test_names_times_and_later_proof_of_others_are_no_difference() -> None:
    named = replace(ANSWER, plan=replace(ANSWER.plan, id="another", name="b", created="2027"))
    proven = replace(ANSWER, candidates=(PROVEN,))
    assert rerun(named, proven).same
    assert rerun_text(rerun(named)).splitlines()[0] == "9f3c b: the same to the byte"
    assert rerun_text(rerun()).count("digest") == 1


def test_what_differs_is_named_and_shown() -> None:
    dear = replace(BEST, cost_per_hour=150.0)
    found = rerun(again=replace(ANSWER, answer=dear, candidates=(dear,)))
    assert found.differs == ("answer", "candidates")
    text = rerun_text(found)
    assert text.count("digest") == 2
    assert "+$8.40/h" in text
    assert rerun_json(found)["rows"]
    assert rerun_json(found)["same"] is False


def test_what_is_told_of_other_divisions_is_no_difference() -> None:
    """What engines others would have may rest on hardware that the plan does not keep."""
    told = "other divisions of 7 H100 were not tried: its engine is one's own"
    assert rerun(again=replace(ANSWER, why=(*ANSWER.why, told))).same
    assert rerun(again=replace(ANSWER, why=(*ANSWER.why, "its queue grows"))).differs == ("why",)


def test_a_proof_counts_as_part_of_the_answer() -> None:
    proven = replace(ANSWER, answer=PROVEN)
    assert rerun(again=proven).differs == ("answer",)
    assert "its proof too: 10 runs" in rerun_text(rerun(proven, proven))


def test_how_a_plan_stands_failures_counts_where_it_was_kept() -> None:
    told = replace(ANSWER, redundancy=Redundancy(of="gpu", up=0.99, target=0.99, pools=()))
    assert rerun(again=told).same, "a plan that was kept before it was told"
    assert rerun(kept=told).differs == ("redundancy",)
    spread = Spread(per_node=1, nodes=3, standing=POOL.choices[1])
    before, now = (replace(KNOWN, pools=(replace(POOL, spread=one),)) for one in (None, spread))
    assert rerun(kept=replace(ANSWER, redundancy=before), again=replace(ANSWER, redundancy=now)).same
    assert rerun(kept=replace(ANSWER, redundancy=now), again=replace(ANSWER, redundancy=before)).differs


def test_how_sure_a_plan_is_counts_where_it_was_kept() -> None:
    sure = Confidence(holds=0.6, replicas=(7,), gpus=56, cost=165.2, span=(40, 64))
    told = replace(ANSWER, confidence=sure)
    assert rerun(again=told).same, "a plan that was kept before it was told"
    assert rerun(kept=told).differs == ("confidence",)
    assert rerun(again=replace(ANSWER, decides=Decisive(name="dtype", now="bf16", other="fp8", gpus=8, cost=1.0))).same
