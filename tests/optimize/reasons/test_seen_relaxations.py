"""What a table says would do is what simulations showed, where the plan's own remedy is simulated."""

from dataclasses import replace

from fleettui.domain.plan import Candidate
from fleettui.domain.remedy import SIMULATED, remedy
from fleettui.optimize.reasons.inputs import Ground
from fleettui.optimize.reasons.relaxations import Relaxation, relaxations, tables
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
    assert found.tighter is not None
    assert found.tighter < least.cost_per_hour, "nothing between the two was searched"
    refuted = budget(knowing(base, simulated(least, "fail")))
    assert (refuted.candidate, refuted.proof) == (least, "fail")
    cheaper = budget(knowing(base, simulated(larger, "pass")))
    assert (cheaper.candidate, cheaper.proof) == (least, "~pass"), "which nothing refuted"


def test_whole_nodes_are_as_the_formulas_have_them() -> None:
    base, least, larger = base_and_fleets()
    nodes = replace(base, question=replace(base.question, whole_nodes=True))
    found = relaxations(base)
    assert as_simulated(knowing(nodes, simulated(least, "fail"), simulated(larger, "pass")), found) == found
