"""Replicas down as a study: what its sentences say of figures made up here."""

from dataclasses import replace

import pytest

from fleettui.domain.failing import NODE_DOWN, AsTheyCome, Case, Odds, Outage, Steady
from fleettui.domain.failures import Failures, Rack
from fleettui.domain.plan import Estimate, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.stretch import Burst
from fleettui.domain.study import Study
from fleettui.planning.failure_trials import settled
from fleettui.reports.studies.failures import Asked, failures_study
from fleettui.reports.study_text import study_text
from tests.reports.studies.test_burst import QUESTION, about
from tests.reports.studies.test_sweep import PLAN

WINDOW = Burst(factor=1.0, seconds=1800.0, start=300.0, end=3000.0)
CASES = tuple(Case(name=name, down=(down,)) for down, name in enumerate(("none down", "1 down", "2 down")))


def steady(verdict: Verdict, met: float) -> Steady:
    return Steady(verdict=verdict, simulated=True, ttft=about(0.4), met=about(met, 0.001))


OUTAGE = Outage(
    met=about(0.99),
    inside=about(0.98),
    worst=about(0.97),
    change=about(-0.01, 0.002),
    ttft=about(0.5),
    waiting=about(12.0),
    recovered=about(8.0),
    unrecovered=0,
    offered=1000,
    completed=960,
    rejected=0,
    lost=40,
)


def failed(
    spares: int = 1,
    outage: Outage = OUTAGE,
    come: AsTheyCome | None = None,
    *,
    cases: tuple[Case, ...] = CASES,
    last: Outage | None = None,
    assumed: tuple[str, ...] = (),
    question: Question = QUESTION,
    racks: tuple[float, ...] = (),
) -> Study:
    best = PLAN.answer
    assert best is not None
    pool = replace(best.fleet.pools[0], spares=spares)
    asked = Asked(
        plan=PLAN,
        question=question,
        best=replace(best, fleet=replace(best.fleet, pools=(pool,))),
        failures=Failures(per_day=0.02, of="node"),
        repair=4 * 3600.0,
        load=200.0,
        window=WINDOW,
        runs=5,
        said="--failures",
        assumed=assumed,
    )
    known = (steady("pass", 0.999), steady("pass", 0.995), steady("fail", 0.9))
    odds = Odds(no_more=(0.95, 0.99, 1.0), all_up=(0.95,), per_year=(40.0,), racks=racks)
    return failures_study(asked, cases, known, (OUTAGE, outage, last or outage), odds=odds, come=come)


def test_it_says_what_holds_what_the_spares_cover_and_what_an_outage_costs() -> None:
    found = failed(outage=replace(OUTAGE, recovered=about(12.0)))
    said = " | ".join(found.sentences)
    assert found.question == f"whatif {PLAN.plan.handle} --failures --runs 5"
    assert found.sentences[:2] == (
        "1 down: holds; 2 down: fails",
        "1 spare replica serves, too; with as many down it holds",
    )
    assert (
        "1 replica fails and is back after 30 min, as played of the 4.06 h that it takes: of 200 requests in 50 min "
        "2 are not served within every limit (2 without a failure): 0 refused, 8 lost"
    ) in said
    assert "; 98.00% (97.00% to 99.00%) within every limit meanwhile; the backlog" in said
    assert "the backlog is gone 12 s after that" in said
    as_without = " | ".join(failed().sentences)
    assert "; no backlog is left when it is back" in as_without, "8 s, as with nothing down"
    kept = 0.95 * 0.998 + 0.04 * 0.994 + 0.01 * 0.899  # at the lower ends of what was met
    assert kept == pytest.approx(0.99685)
    assert "all up 95% of the time; over the years at least 99.68%" in said, "what is promised is not rounded up"
    assert max(map(len, study_text(found).splitlines())) <= 80
    assert [row["change"] for row in found.tables[1].records()] == [None, -1.0, -1.0]
    assert any("outages are played for 30 min of 4.06 h" in one for one in found.warnings)


def test_how_often_more_are_down_says_that_nodes_are_taken_to_fail_alone() -> None:
    caveat = "nodes are taken to fail alone: plan with --rack for shared causes"
    assert caveat in failed().warnings
    assert (
        caveat
        not in failed(
            question=replace(QUESTION, availability=0.98, availability_of="node", rack=Rack(nodes=4, up=0.999))
        ).warnings
    )


def test_racks_fail_beside_nodes() -> None:
    assert "40 failures a year and 4.38 of whole racks, all up 95% of the time" in failed(racks=(4.38,)).sentences[3]
    assert "40 failures a year, all up" in failed().sentences[3]


def test_the_time_that_loading_takes_counts_as_down_and_is_told() -> None:
    assert failed().tables[0].note.endswith("these are down; 3.33 min of loading count, in a plan's spares they do not")


def test_where_nodes_fail_it_is_a_node_whose_outage_is_told() -> None:
    cases = (*CASES[:2], replace(CASES[2], name=NODE_DOWN, node=True))
    refused = replace(OUTAGE, met=about(0.3), inside=about(0.0), recovered=about(0.0), completed=340, rejected=620)
    said = failed(cases=cases, last=refused).sentences
    assert said[0] == "1 down: holds; a node down: fails"
    assert said[2].startswith("1 node, with 2 replicas, fails and is back after 30 min, as played of the 4.06 h")
    assert (
        "of 200 requests in 50 min 140 are not served within every limit (2 without a failure): 124 refused, 8 lost at "
        "what fails, 8 late; 0.00%"
    ) in said[2]
    assert said[2].endswith("; no backlog is left when it is back")
    assert failed().sentences[2].startswith("1 replica fails and is back")


def test_what_runs_leave_open_fails_where_its_outage_breaks_the_limits_plainly() -> None:
    slo = Slo(ttft=0.5)
    nothing = Estimate(value=None)
    left = Steady(verdict="unproven", simulated=True, ttft=nothing, met=nothing)
    late = replace(OUTAGE, inside=about(0.112), ttft=about(43.7))
    found = settled(left, late, slo)
    assert (found.verdict, found.ttft.value, found.met.value) == ("fail", 43.7, 0.112)
    assert settled(left, OUTAGE, slo) == left, "a replica's requests that are lost decide nothing"
    assert settled(replace(left, verdict="pass"), late, slo).verdict == "pass"


def test_what_nobody_said_is_marked_where_it_is_told_and_warned_of() -> None:
    told = failed(assumed=("fails", "repair"))
    assert any(
        one.startswith("each node fails 0.02/node-day (assumed) and is back after 4.06 h (assumed): ")
        for one in told.sentences
    )
    assert told.warnings[:2] == (
        "how often nodes fail is assumed: --fails gives yours",
        "how long a repair takes is assumed: --repair gives yours",
    )
    assert failed(assumed=("repair",)).warnings[0] == "how long a repair takes is assumed: --repair gives yours"
    said = failed()
    assert not any("(assumed)" in one for one in said.sentences)
    assert not any(" is assumed" in one for one in said.warnings)


def test_a_plan_without_spares_and_a_backlog_that_stays() -> None:
    assert failed(0).sentences[1] == "the plan has no spare replicas; it holds all the same: 1 down"
    stays = replace(OUTAGE, recovered=Estimate(value=None), unrecovered=3)
    assert "the backlog is not gone 15 min after that in 3 of 5 runs" in " ".join(failed(1, stays).sentences)


def test_failures_that_were_played_are_told_beside_runs_without_one() -> None:
    come = AsTheyCome(
        seconds=86_400.0,
        met=about(0.98, 0.005),
        worst=about(0.4),
        without=about(0.998, 0.001),
        without_worst=about(0.99, 0.001),
        change=about(-0.018, 0.005),
        failures=about(2.0),
        full=about(0.9),
        expected=0.91,
        offered=1000,
        completed=970,
        rejected=20,
        lost=10,
    )
    found = failed(come=come)
    assert (
        "played as they come over 24 h: 2 failures a run, all up 90% of the time (91% expected); 98.00% (97.50% to "
        "98.50%) within every limit, 99.80% without; worst 5 minutes 40.00%, 99.00% without"
    ) in found.sentences
    played, plain = found.tables[3].records()
    assert [played[name] for name in ("offered", "completed", "lost", "rejected")] == [1000, 970, 10, 20]
    assert (plain["run"], plain["lost"]) == ("without", 0)
    assert len(failed().tables) == 3
