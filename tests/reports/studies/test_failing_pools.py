"""A failure of a fleet of two pools: it is of one of them, and the other goes on serving."""

from dataclasses import replace

import pytest

from fleettui.domain.failing import Case, Odds, Outage, Steady
from fleettui.domain.failures import Failures
from fleettui.domain.plan import Estimate
from fleettui.domain.study import Study
from fleettui.reports.studies.failing_pools import Row, at_least
from fleettui.reports.studies.failures import Asked, failures_study
from fleettui.reports.study_text import study_text
from tests.reports.studies.test_burst import QUESTION, about
from tests.reports.studies.test_failures import OUTAGE, WINDOW, steady
from tests.reports.studies.test_sweep import PLAN

CASES = (
    Case(name="none down", down=(0, 0)),
    Case(name="short's node", down=(1, 0), node=True),
    Case(name="1 of long", down=(0, 1)),
    Case(name="long's node", down=(0, 4), node=True),
)
NOTHING = Steady(verdict="fail", simulated=False, ttft=Estimate(value=None), met=Estimate(value=None))
LEFT = (steady("pass", 0.999), NOTHING, steady("fail", 0.9), NOTHING)
INSIDE = (0.999, 0.68, 0.9, 0.32)
ODDS = Odds(no_more=(0.98, 1.0, 0.995, 1.0), all_up=(0.99, 0.99), per_year=(2.0, 6.0))
SHARES = (0.32, 0.68)


def outage(inside: float) -> Outage:
    return replace(OUTAGE, inside=about(inside, 0.001), met=about(inside))


def failed(left: tuple[Steady, ...] = LEFT, spares: int = 0) -> Study:
    best = PLAN.answer
    assert best is not None
    figures, pool = best.pools[0], best.fleet.pools[0]
    short = replace(pool, name="short", replicas=1, up_to=1024)
    long = replace(pool, name="long", replicas=4 - spares, spares=spares, above=1024)
    loads = [
        replace(figures, name=name, arrival_rate=100.0 * share)
        for name, share in zip(("short", "long"), SHARES, strict=True)
    ]
    asked = Asked(
        plan=PLAN,
        question=QUESTION,
        best=replace(best, fleet=replace(best.fleet, pools=(short, long)), pools=tuple(loads)),
        failures=Failures(per_day=0.02, of="node"),
        repair=4 * 3600.0,
        load=200.0,
        window=WINDOW,
        runs=5,
        said="--failures",
    )
    return failures_study(asked, CASES, left, [outage(one) for one in INSIDE], odds=ODDS)


def test_the_worst_failure_is_told_how_often_each_is_and_the_mean() -> None:
    found = failed()
    assert found.sentences[0] == "short's node: fails; 1 of long: fails; long's node: fails"
    assert found.sentences[2].startswith(
        "at worst 1 node of pool long, with 4 replicas, fails and is back after 30 min"
    )
    assert "; 32.00% (31.90% to 32.10%) within every limit meanwhile" in found.sentences[2]
    assert found.sentences[3] == (
        "of 8 failures a year 2 of pool short, 68.00% (67.90% to 68.10%); 6 of pool long, 32.00% (31.90% to 32.10%) "
        "within every limit meanwhile; on average over the failures 41.00%"
    )
    assert "no more: share of the time in which no more than these are down, of that pool" in found.tables[0].note
    assert [row["left"] for row in found.tables[0].records()] == ["1 + 4", "0 + 4", "1 + 3", "1 + 0"]
    assert max(map(len, study_text(found).splitlines())) <= 80


def test_in_the_long_run_a_pool_that_is_down_costs_its_own_requests_only() -> None:
    rows = [
        Row(case=case, steady=left, outage=outage(one), no_more=share)
        for case, left, one, share in zip(CASES, LEFT, INSIDE, ODDS.no_more, strict=True)
    ]
    lost = 0.01 * 0.32 + 0.005 * (0.998 - 0.899) + 0.005 * 0.68
    assert at_least(rows, ODDS, SHARES) == pytest.approx(0.998 - lost)
    assert f"over the years at least {100 * (0.998 - lost):.2f}% within" in " ".join(failed().sentences)


def test_spares_are_of_one_pool_at_a_time() -> None:
    said = "0 + 1 spare replica serves, too; with as many down of one pool it "
    assert failed(spares=1).sentences[1] == f"{said}fails"
    short, long = NOTHING, steady("pass", 0.995)
    assert failed((LEFT[0], short, long, NOTHING), spares=1).sentences[1] == f"{said}holds"
    unproven = failed((LEFT[0], short, steady("unproven", 0.99), NOTHING), spares=1)
    assert unproven.sentences[1] == f"{said}is not proven to hold", "found: it not proven"
    assert failed((LEFT[0], short, long, NOTHING)).sentences[1].endswith("; it holds all the same: 1 of long")
