"""What a table says would do is what simulations showed, where the plan's own remedy is simulated."""

from dataclasses import replace

from fleettui.domain.plan import Candidate
from fleettui.domain.remedy import SIMULATED, remedy
from fleettui.optimize.reasons.inputs import Ground, words
from fleettui.optimize.reasons.relaxations import Relaxation, relaxations, sentences, tables
from fleettui.optimize.reasons.seen_relaxations import as_simulated
from tests.optimize.reasons.grounds import answer_of, ground, knowing, simulated
from tests.optimize.samples import atoms, profile, question

PROFILES = [profile("fast"), profile("slow", speed=0.5, price=1.2)]
BUDGET = 21.0


def base_and_fleets() -> tuple[Ground, Candidate, Candidate]:
    """Return a question that nothing answers, the formulas' fleet past its budget, and one with a replica more."""
    asked = question(ttft=0.8, budget=BUDGET, pools=(1,))
    base = ground(asked, 300.0, atoms(5), PROFILES)
    assert base.kept.answer is None
    least = answer_of(ground(replace(asked, budget=None), 300.0, atoms(5), PROFILES))
    larger = base.fix(least.fleet, [pool.replicas + 1 for pool in least.fleet.pools]).candidate
    return base, least, larger


def budget(base: Ground) -> Relaxation:
    return next(one for one in as_simulated(base, relaxations(base)) if one.name == "budget")


def test_a_budget_that_the_plan_tells_as_simulated_stands_in_the_table() -> None:
    base, least, larger = base_and_fleets()
    cost = larger.cost_per_hour
    told = replace(base, kept=replace(base.kept, why=(remedy("budget", cost, larger, SIMULATED),)))
    seen = knowing(told, simulated(least, "fail"), simulated(larger, "pass"))
    (table,) = (one for one in tables([budget(seen)]))
    row = dict(zip([column.name for column in table.columns], table.rows[0], strict=True))
    assert row["would_do"] == row["cost_per_hour"] == cost
    assert row["would_not"] == round(cost - 0.01, 2)
    assert row["verdict"] == "pass"


def test_what_is_by_formula_alone_is_marked() -> None:
    base, least, _ = base_and_fleets()
    found = budget(base)
    assert (found.candidate, found.proof) == (least, "~pass")


def test_a_fleet_that_holds_as_simulated_stands_where_that_of_the_formulas_does_not() -> None:
    base, least, larger = base_and_fleets()
    found = budget(knowing(base, simulated(least, "fail"), simulated(larger, "pass")))
    assert found.candidate is not None
    assert (found.candidate.fleet, found.proof) == (larger.fleet, "pass")
    assert found.least == larger.cost_per_hour
    assert found.tighter == round(larger.cost_per_hour - 0.01, 2), "what costs less was refuted"
    cheaper = budget(knowing(base, simulated(larger, "pass")))
    assert (cheaper.candidate, cheaper.proof) == (least, "~pass"), "which nothing refuted"


def test_a_fleet_that_was_refuted_is_named_by_no_line() -> None:
    """Found: "a budget of $26.25/h alone would do, by formula, but fails as simulated: B200 tp1 x5"."""
    base, least, larger = base_and_fleets()
    seen = knowing(base, simulated(least, "fail"))
    found = budget(seen)
    assert found.candidate is not None
    assert (found.candidate.fleet, found.proof, found.least) == (larger.fleet, "~pass", larger.cost_per_hour)
    (said,) = [one for one in sentences(as_simulated(seen, relaxations(seen))) if one.startswith("budget of")]
    assert said.endswith(f"alone would do, by formula: {words(larger)}, ${larger.cost_per_hour:.2f}/h")
    smaller = base.fix(least.fleet, [pool.replicas - 1 for pool in least.fleet.pools]).candidate
    assert seen.refuted(smaller, seen.question), "which is no larger than what was refuted"
    assert not seen.refuted(larger, seen.question)


def test_whether_a_fleet_was_refuted_is_told_by_the_limit_that_is_asked() -> None:
    base, least, _ = base_and_fleets()
    seen = knowing(base, simulated(least, "fail", ttft=1.5))
    for limit, refuted in ((0.8, True), (1.4, True), (1.6, False)):
        assert bool(seen.refuted(least, question(ttft=limit, pools=(1,)))) == refuted


def test_whole_nodes_are_as_the_formulas_have_them() -> None:
    base, least, larger = base_and_fleets()
    nodes = replace(base, question=replace(base.question, whole_nodes=True))
    found = relaxations(base)
    assert as_simulated(knowing(nodes, simulated(least, "fail"), simulated(larger, "pass")), found) == found
