from dataclasses import dataclass, replace

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.plan import Estimate, Evidence, PoolEvidence, Verdict
from fleettui.domain.stock import Greatest
from fleettui.reports.confidence_text import told
from fleettui.reports.studies.capacity import Surer, capacity_study
from fleettui.reports.study_text import study_text
from tests.store import samples

SURE = Confidence(holds=0.6, replicas=(2,), gpus=16, cost=40.0, span=(8, 24))


@dataclass(frozen=True, slots=True)
class Seen:
    rate: float
    evidence: Evidence


def seen(rate: float, verdict: Verdict, ttft: float) -> Seen:
    one = Estimate(value=ttft)
    pool = PoolEvidence(name="all", ttft=one, tpot=Estimate(value=0.03), utilization=0.7, batch=9.0)
    proof = Evidence(
        method="simulation", verdict=verdict, replications=10, ttft=one, attainment=Estimate(value=0.99), pools=(pool,)
    )
    return Seen(rate, proof)


def test_the_greatest_rates_and_what_was_simulated_are_told() -> None:
    plan = samples.answer(1, name="chat")
    assert plan.answer is not None
    now = plan.demand.rate
    looks = (seen(1.3 * now, "fail", 0.52), seen(1.25 * now, "pass", 0.48), seen(1.28 * now, "unproven", 0.5))
    found = capacity_study(
        plan,
        plan.answer,
        Greatest(rate=1.25 * now, simulated=True),
        Surer(rate=now / 2, confidence=0.9, now=SURE),
        looks,
    )
    assert (found.kind, found.question) == ("capacity", f"capacity {plan.plan.handle} --confidence 90%")
    said = "hold up to at least 104.1/s as simulated (106.6/s is not proven), +25% on the 83.3/s of plan"
    assert said in found.sentences[0], "found: 27.1/s held where 26.77/s was told"
    assert found.sentences[1].startswith("90% sure that they hold up to 41.64/s, by")
    assert found.sentences[2] == f"at the 83.3/s of the plan {told(SURE, plan.answer)}"
    rates, runs = found.tables
    assert [row[2] for row in rates.rows] == [0.25, pytest.approx(-0.5, abs=1e-3)]
    assert [row[1] for row in runs.rows] == ["holds", "not proven", "fails"]
    assert "the whole mix grows by one factor" in study_text(found)


def test_a_rate_has_one_row_however_often_it_was_simulated() -> None:
    """Found: eleven rows of 29.05/s with eleven latencies, as rates below the digits shown were simulated in turn."""
    plan = samples.answer(1)
    assert plan.answer is not None
    looks = (seen(29.0562, "unproven", 0.53), seen(29.0517, "unproven", 0.52), seen(28.98, "pass", 0.48))
    greatest = Greatest(rate=28.98, simulated=True)
    (_, runs) = capacity_study(plan, plan.answer, greatest, Surer(rate=None, confidence=0.9), looks).tables
    assert [row[:3] for row in runs.rows] == [(28.98, "holds", 0.48), (29.05, "not proven", 0.52)]


def test_why_it_is_sure_of_no_rate_is_told() -> None:
    plan = samples.answer(1)
    assert plan.answer is not None
    found = capacity_study(plan, plan.answer, Greatest(rate=9.0, simulated=True), Surer(rate=0.0, confidence=0.9), ())
    assert "90% sure that they hold no rate, as at step times that long some limit breaks" in found.sentences[1]


def test_a_stretch_that_is_not_proven_is_told_up_to_where_it_fails() -> None:
    plan = samples.answer(1)
    assert plan.answer is not None
    greatest = Greatest(rate=8.49, simulated=True, fails_from=17.32)
    found = capacity_study(plan, plan.answer, greatest, Surer(rate=4.0, confidence=0.9), ())
    assert found.sentences[1].startswith("90% sure that they hold up to "), "the second of two that joint plans tell"
    assert found.sentences[2].startswith("from 8.49/s to 17.32/s, where they fail, it is not proven: ")


def test_a_fleet_that_holds_nothing_and_speeds_that_were_given_say_so() -> None:
    plan = samples.answer(1)
    assert plan.answer is not None
    given = Surer(rate=None, confidence=0.9)
    none = capacity_study(plan, plan.answer, Greatest(rate=None, simulated=False), given, ())
    assert none.sentences[0].endswith("hold no rate within every limit")
    assert (len(none.sentences), len(none.tables), len(none.tables[0].rows)) == (1, 1, 1)
    first, *others = plan.answer.fleet.pools
    pools = (replace(first, spares=2), *others)
    spare = replace(plan.answer, fleet=replace(plan.answer.fleet, pools=pools))
    down = capacity_study(plan, spare, Greatest(rate=90.0, simulated=True), given, ()).sentences[0]
    assert f", {2 * first.gpus_per_replica} of them down, hold up to at least 90/s as simulated" in down
    formula = capacity_study(plan, plan.answer, Greatest(rate=90.0, simulated=False), given, ())
    assert "hold up to 90/s by formula corrected by its simulations" in formula.sentences[0]


def test_what_would_be_too_busy_is_a_sentence_and_no_simulated_row() -> None:
    plan = samples.answer(1)
    assert plan.answer is not None
    look = seen(100.0, "fail", 0.4)
    busy = Seen(100.0, replace(look.evidence, method="formula", reason="pool all would be 0.90 busy, above 0.85"))
    given = Surer(rate=None, confidence=0.9)
    found = capacity_study(
        plan, plan.answer, Greatest(rate=90.0, simulated=True), given, (busy, seen(90.0, "pass", 0.4))
    )
    assert found.sentences[1] == "at 100/s pool all would be 0.90 busy, above 0.85"
    both = capacity_study(
        plan, plan.answer, Greatest(rate=90.0, simulated=True), Surer(rate=50.0, confidence=0.9), (busy,)
    )
    assert [one.partition(" ")[0] for one in both.sentences[1:]] == ["90%", "at"], (
        "found: none of one workload of three"
    )
    assert [row[0] for row in found.tables[1].rows] == [90.0]
