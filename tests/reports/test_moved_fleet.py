"""What became of an earlier plan's fleet where the answer is another."""

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from fleettui.domain.plan import Candidate, Estimate, Verdict
from fleettui.domain.plan_inputs import Size
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.check_text import Checked, Pair
from fleettui.reports.findings import junit
from fleettui.reports.moved_fleet import moved_fleet
from tests.cli.conftest import ANSWER, BEST, POOL, PROVEN

QUESTION = Question(workload="x", slo=Slo(ttft=0.5))
DIVIDED = replace(BEST.fleet, pools=(replace(POOL, tp=4, replicas=12),))
FAILS = "the fleet is now H100 tp8 x6; H100 tp4 x12 of chat fails (P99 TTFT 0.61 s)"


def seen(verdict: Verdict, ttft: float = 0.61, **changes: Any) -> Candidate:
    """Return the divided fleet as a simulation saw it."""
    evidence = PROVEN.evidence
    assert evidence is not None
    pools = tuple(replace(one, ttft=Estimate(value=ttft, low=ttft, high=ttft)) for one in evidence.pools)
    pool = replace(DIVIDED.pools[0], **changes)
    fleet = replace(DIVIDED, pools=(pool,))
    return replace(PROVEN, fleet=fleet, evidence=replace(evidence, verdict=verdict, pools=pools))


def checked(*others: Candidate) -> Checked:
    """Return a check whose answer holds beside other fleets, held to a plan of the divided one."""
    answer = replace(ANSWER, answer=PROVEN, candidates=(PROVEN, *others))
    size = Size.of(PROVEN)
    plan = replace(ANSWER.plan, handle="40f2", name="chat")
    return Checked(answer=answer, question=QUESTION, against=Pair(plan=plan, before=size, after=size, fleet=DIVIDED))


def test_a_baseline_whose_fleet_fails_no_longer_holds_though_another_of_the_same_gpus_does() -> None:
    """Found: a check held by GPUs divided otherwise, without a word that those of the baseline fail."""
    found = checked(seen("fail"))
    assert not found.holds
    assert found.text().startswith(f"NO LONGER HOLDS against 40f2 chat\n- {FAILS}\n")
    assert f"| fleet, as before | H100 tp4 x12 | H100 tp8 x6 | no: {FAILS} |" in found.markdown()
    told = found.json()
    assert (told["holds"], told["broken"], told["findings"][0]["code"]) == (False, [FAILS], "baseline_fleet_fails")
    assert told["against"]["moved"]["verdict"] == "fail"
    failures = ElementTree.fromstring(junit("q", found.findings)).findall(".//failure")
    assert [one.get("type") for one in failures] == ["baseline_fleet_fails"]


@pytest.mark.parametrize(
    ("others", "fate"),
    [
        ([], "was not simulated here"),
        ([replace(seen("fail"), evidence=None)], "was not simulated here"),
        ([seen("fail", token_budget=512)], "was not simulated here"),
        ([seen("pass", 0.3)], "holds, too"),
        ([seen("unproven", 0.5)], "is not proven here"),
    ],
)
def test_what_is_not_shown_to_fail_is_told_beside_what_holds(others: list[Candidate], fate: str) -> None:
    found = checked(*others)
    words = f"the fleet is now H100 tp8 x6; H100 tp4 x12 of chat {fate}"
    assert found.holds
    assert words in found.notes
    assert f"\n> {words}\n" in found.markdown()


@pytest.mark.parametrize(
    ("verdict", "cost", "broken"), [("pass", 0.9, ()), ("pass", 1.1, ("it ",)), ("unproven", 0.9, ("it needs more",))]
)
def test_more_gpus_for_less_are_no_need_where_those_of_the_baseline_hold(
    verdict: Verdict, cost: float, broken: tuple[str, ...]
) -> None:
    """Found: "no longer holds, it needs more GPUs: 4 -> 5" of 4 H200 that hold, as 5 others cost less."""
    found = checked(seen(verdict, 0.3))
    assert found.against is not None
    assert found.against.after is not None
    more = replace(found.against.after, gpus=64, cost_per_hour=cost * found.against.after.cost_per_hour)
    found = replace(found, against=replace(found.against, after=more))
    assert found.holds == (not broken)
    assert all(told.startswith(broken) for told in found.broken)


def test_the_context_and_the_step_times_of_a_deployed_fleet_are_no_other_fleet() -> None:
    steps = replace(POOL.profile, base_step_time=0.02)
    same = replace(BEST.fleet, pools=(replace(POOL, context=8_192, up_to=8_192, concurrency=90, profile=steps),))
    assert moved_fleet(same, ANSWER, QUESTION, "chat") is None
    longer = seen("fail", context=8_192, up_to=8_192, concurrency=90, profile=steps)
    moved = moved_fleet(DIVIDED, replace(ANSWER, candidates=(longer,)), QUESTION, "chat")
    assert moved is not None
    assert moved.text == FAILS
    assert moved_fleet(None, ANSWER, QUESTION, "chat") is None
