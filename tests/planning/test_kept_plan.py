"""A kept plan that is to be sure, as it is at nominal speed."""

from dataclasses import replace
from pathlib import Path

from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import make_plan
from store import Store
from tests.planning.simulated import Watched, question, trace
from tests.planning.trials import evidence, seen


async def test_at_nominal_speed_a_plan_has_the_fleet_of_one_without_a_wish(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), verify=False)
    plain = KeptPlan.of(store, (await make_plan(asked, store=store, pool=workers)).plan.id)
    wished = replace(asked, confidence=0.9)
    kept = KeptPlan.of(store, (await make_plan(wished, store=store, pool=workers)).plan.id)
    own, nominal = kept.fleet_for(""), kept.at_nominal_speed
    assert plain.at_nominal_speed is plain
    assert nominal.question == replace(wished, confidence=None)
    assert nominal.fleet_for("").fleet == plain.fleet_for("").fleet
    assert nominal.fleet_for("").cost_per_hour < own.cost_per_hour
    assert nominal.answer.confidence is None
    assert kept.source("x").key != nominal.source("x").key


async def test_at_nominal_speed_it_is_one_that_was_simulated_to_hold_if_any_was(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = replace(question(trace(tmp_path), verify=False), confidence=0.9)
    kept = KeptPlan.of(store, (await make_plan(asked, store=store, pool=workers)).plan.id)
    passes = evidence("pass", seen("all", (0.3, 0.4), "pass"))
    fails = evidence("fail", seen("all", (0.6, 0.7), "fail"))
    own = replace(kept.fleet_for(""), evidence=passes)
    dear, cheap = (replace(own, cost_per_hour=share * own.cost_per_hour) for share in (0.9, 0.8))
    formula, failed = replace(cheap, evidence=None), replace(cheap, evidence=fails)
    answer = replace(kept.answer, answer=own, candidates=(failed, formula, dear, cheap, own))
    assert replace(kept, answer=answer).at_nominal_speed.fleet_for("") == cheap
    answer = replace(answer, candidates=(failed, formula, dear, own))
    assert replace(kept, answer=answer).at_nominal_speed.fleet_for("") == dear
