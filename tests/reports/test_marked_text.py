import dataclasses

import pytest

from fleettui.domain.plan import ENGINE_VERSION, Answer, Candidate, Estimate, Verdict
from fleettui.domain.scenario import Question, Slo
from fleettui.reports.marked_text import Marked, marked_table, marked_text, sentence, warnings
from tests.reports.conftest import simulated, two_pools


def plan(answer: Answer, question: Question, handle: str, fleet: Candidate | None, *, name: str = "") -> Marked:
    identity = dataclasses.replace(answer.plan, handle=handle, name=name)
    verdict: Verdict = "infeasible" if fleet is None else "pass"
    return Marked(answer=dataclasses.replace(answer, plan=identity, answer=fleet, verdict=verdict), question=question)


def at(fleet: Candidate, ttft: float, half: float) -> Candidate:
    """Return the fleet, simulated, with `ttft` in each pool."""
    assert fleet.evidence is not None
    seen = Estimate(value=ttft, low=ttft - half, high=ttft + half)
    pools = tuple(dataclasses.replace(pool, ttft=seen) for pool in fleet.evidence.pools)
    return dataclasses.replace(fleet, evidence=dataclasses.replace(fleet.evidence, pools=pools))


@pytest.fixture
def base(answer: Answer, question: Question) -> Marked:
    return plan(answer, question, "41a7", at(simulated(two_pools(cost=41.88)), 0.443, 0.006), name="chat")


@pytest.fixture
def other(answer: Answer, question: Question) -> Marked:
    return plan(answer, question, "40f2", at(simulated(two_pools(cost=48.86)), 0.391, 0.005))


def cells(plans: list[Marked]) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in marked_table(plans).rows}


def test_the_sentence_says_cost_and_latency(base: Marked, other: Marked) -> None:
    assert sentence(base, other) == ("40f2 costs $6.98/h more than 41a7 (+16.7%); its P99 TTFT is 12% shorter.")
    assert sentence(other, base).startswith("41a7 costs $6.98/h less than 40f2 (-14.3%)")


def test_only_what_differs_has_a_row(base: Marked, other: Marked) -> None:
    table = marked_table([base, other])
    assert [column.title for column in table.columns] == ["", "41a7 chat baseline", "40f2"]
    assert dict.fromkeys(cells([base, other])) == dict.fromkeys(["$/h", "P99 TTFT"])
    assert table.note == "same in all: workload, model, rate, SLO, GPUs, fleet, P99 TPOT, power, verdict, proof"


def test_a_difference_has_its_sign_and_its_judgement(base: Marked, other: Marked) -> None:
    found = cells([base, other])
    assert found["$/h"] == ("$41.88", "$48.86  +$6.98 worse")
    assert found["P99 TTFT"] == ("0.44 s +-1%", "0.39 s +-1%  -12% better")
    assert cells([other, base])["P99 TTFT"][1] == "0.44 s +-1%  +13% worse"


def test_overlapping_intervals_prove_nothing(base: Marked, answer: Answer, question: Question) -> None:
    near = plan(answer, question, "40e9", at(simulated(two_pools(cost=41.88)), 0.45, 0.02))
    assert cells([base, near])["P99 TTFT"][1] == "0.45 s +-4%  not proven"
    assert sentence(base, near) == "40e9 costs what 41a7 costs; that its P99 TTFT differs is not proven."


def test_an_interval_without_ends_proves_nothing(base: Marked, other: Marked) -> None:
    assert other.fleet is not None
    assert other.fleet.evidence is not None
    bare = tuple(dataclasses.replace(pool, ttft=Estimate(value=0.2)) for pool in other.fleet.evidence.pools)
    fleet = dataclasses.replace(other.fleet, evidence=dataclasses.replace(other.fleet.evidence, pools=bare))
    open_ended = dataclasses.replace(other, answer=dataclasses.replace(other.answer, answer=fleet))
    assert cells([base, open_ended])["P99 TTFT"][1] == "0.20 s  not proven"


def test_formula_values_are_told_apart(base: Marked, answer: Answer, question: Question) -> None:
    estimate = plan(answer, question, "41b3", two_pools(cost=34.9))
    found = cells([base, estimate])
    assert found["P99 TTFT"][1] == "~0.44 s  -0.7% formula"
    assert found["proof"] == ("simulated, 12 runs", "formula")
    assert "0.7% shorter by formula, not simulated" in sentence(base, estimate)
    assert any(words.startswith("~ is by formula") for words in warnings([base, estimate]))
    assert not warnings([base, base])


def test_other_questions_and_sizes_have_their_rows(base: Marked, other: Marked) -> None:
    asked = dataclasses.replace(
        other.question, workload="mooncake", model="qwen-2.5-72b", slo=Slo(ttft=1.0, percentile=0.95)
    )
    demand = dataclasses.replace(other.answer.demand, rate=120.0)
    assert other.fleet is not None
    fleet = dataclasses.replace(other.fleet, power=16_000.0, gpus=28)
    elsewhere = Marked(answer=dataclasses.replace(other.answer, demand=demand, answer=fleet), question=asked)
    found = cells([base, elsewhere])
    assert found["workload"] == ("azure-2023-conv", "mooncake")
    assert found["model"][1] == "qwen-2.5-72b fp8"
    assert found["rate"] == ("100/s", "120/s  +20%")
    assert found["SLO"] == ("P99 TTFT<500ms TPOT<50ms", "P95 TTFT<1s")
    assert found["GPUs"][1].endswith("  +4")
    assert found["power"] == ("14.0 kW", "16.0 kW  +14% worse")
    assert {"SLO's TTFT", "SLO's TPOT"} & set(found)


def test_where_no_fleet_holds_nothing_is_compared(base: Marked, answer: Answer, question: Question) -> None:
    none = plan(answer, question, "2d3f", None)
    for pair in ((base, none), (none, base)):
        assert sentence(*pair) == "2d3f has no fleet that holds every limit: there is nothing to compare with."
    found = cells([base, none])
    assert (found["$/h"][1], found["P99 TTFT"][1], found["power"][1], found["fleet"][1]) == ("-", "-", "-", "-")
    assert found["verdict"] == ("PASS", "INFEASIBLE")
    assert cells([none, base])["$/h"] == ("-", "$41.88")


def test_another_verdict_stands_in_the_sentence(base: Marked, other: Marked) -> None:
    failed = dataclasses.replace(other, answer=dataclasses.replace(other.answer, verdict="fail"))
    assert sentence(base, failed).endswith("; FAIL where 41a7 is PASS.")


def test_another_engine_is_warned_of(base: Marked, other: Marked) -> None:
    old = dataclasses.replace(other.answer.plan, engine_version=1)
    aged = dataclasses.replace(other, answer=dataclasses.replace(other.answer, plan=old))
    assert warnings([base, aged]) == [f"made by engines 1 and {ENGINE_VERSION}: figures may differ for that alone"]


@pytest.mark.parametrize(("width", "tables"), [(80, 4), (118, 2), (198, 1)])
def test_all_plans_are_shown_at_every_width(
    width: int, tables: int, base: Marked, answer: Answer, question: Question
) -> None:
    others = [plan(answer, question, f"400{n}", simulated(two_pools(cost=50.0 + n))) for n in range(4)]
    text = marked_text([base, *others], width)
    assert max(map(len, text.splitlines())) <= width
    heads = [line for line in text.splitlines() if "baseline" in line]
    assert len(heads) == tables
    assert all(f"400{n}" in " ".join(heads) for n in range(4))
