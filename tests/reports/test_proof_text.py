import dataclasses

from fleettui.domain.plan import Candidate, Estimate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.proof_text import FORMULA_ONLY, proof_text


def test_a_formula_is_no_simulation(best: Candidate, question: Question) -> None:
    assert proof_text(best, question) == (FORMULA_ONLY, "")


def test_a_fleet_that_takes_no_simulation_says_why(best: Candidate, proven: Candidate, question: Question) -> None:
    assert proven.evidence is not None
    drowned = dataclasses.replace(proven.evidence, method="formula", verdict="fail", reason="its queue grows")
    assert proof_text(dataclasses.replace(best, evidence=drowned), question) == (FORMULA_ONLY, "its queue grows")


def test_every_limited_metric_has_its_interval(proven: Candidate, question: Question) -> None:
    said, reason = proof_text(proven, question)
    assert said == "12 runs, 400,000 requests, worst pool's P99 TTFT 0.44 s +-0.9%, P99 TPOT 34 ms +-3%"
    assert reason == "every limit holds in every pool"
    only = dataclasses.replace(question, slo=Slo(e2e=10.0, percentile=0.95))
    assert proof_text(proven, only)[0] == "12 runs, 400,000 requests, worst pool's P95 E2E 9.3 s +-1%"


def test_without_an_interval_or_a_value_it_says_so(proven: Candidate, question: Question) -> None:
    assert proven.evidence is not None
    pools = tuple(
        dataclasses.replace(one, ttft=Estimate(value=0.6), tpot=Estimate(value=None)) for one in proven.evidence.pools
    )
    unstable = dataclasses.replace(proven.evidence, replications=1, pools=pools)
    said, _ = proof_text(dataclasses.replace(proven, evidence=unstable), question)
    assert said == "1 run, 400,000 requests, worst pool's P99 TTFT 0.60 s without interval, P99 TPOT undefined"


def test_in_brief_it_is_the_limit_that_is_nearest_and_round_numbers(proven: Candidate, question: Question) -> None:
    said, reason = proof_text(proven, question, brief=True)
    assert said == "12 runs, 400K requests, P99 TTFT 0.44 s +-0.9%"
    assert reason == "every limit holds in every pool"
    tight = dataclasses.replace(question, slo=Slo(ttft=5.0, tpot=0.036))
    assert proof_text(proven, tight, brief=True)[0] == "12 runs, 400K requests, P99 TPOT 34 ms +-3%"
    assert proof_text(dataclasses.replace(proven, evidence=None), question, brief=True) == (FORMULA_ONLY, "")


def test_a_fleet_that_is_only_looked_at_is_told_by_its_ttft(proven: Candidate, question: Question) -> None:
    without = dataclasses.replace(question, slo=Slo())
    assert proof_text(proven, without)[0] == "12 runs, 400,000 requests, worst pool's P99 TTFT 0.44 s +-0.9%"


def test_of_one_pool_nothing_is_said_of_a_worst_one(proven: Candidate, question: Question) -> None:
    """Found: a worst pool's P99 TTFT that readers held against a backtest's, which is of all requests."""
    assert proven.evidence is not None
    pool = dataclasses.replace(proven.fleet.pools[0], above=0)
    alone = dataclasses.replace(
        proven,
        fleet=dataclasses.replace(proven.fleet, pools=(pool,)),
        pools=proven.pools[:1],
        evidence=dataclasses.replace(proven.evidence, pools=proven.evidence.pools[:1]),
    )
    assert "worst pool's" in proof_text(proven, question)[0]
    assert "worst pool" not in proof_text(alone, question)[0]
