"""Causes of real plans: what each input adds is what planning with it alone comes to."""

import asyncio
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import TTFT
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.whatif import Outcome
from fleettui.errors import InputError
from fleettui.planning.causes import Side, differing, mixed
from fleettui.planning.compare import compare_plans, compared
from fleettui.planning.make_plan import make_plan
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import make
from fleettui.planning.worker_pool import WorkerPool
from fleettui.reports import fleet_text
from fleettui.reports.studies.causes import CATALOGUE, GPUS, LENGTHS, TYPED, parts_of
from store import Store
from tests.own_fits import FIT, SERVER
from tests.planning.simulated import SHIPPED, Watched, question, sketch, trace
from tests.repeated import few
from tests.store import samples

OLD = SHIPPED
NEW = replace(OLD, demand=Demand(form="rate", rate=130.0), prices=(("h100", 2.0),), tp=())


async def planned(store: Store, workers: WorkerPool, *questions: Question) -> list[Answer]:
    return [await make_plan(question, store=store, pool=workers) for question in questions]


def cost(answer: Answer) -> float:
    assert answer.answer is not None
    return answer.answer.cost_per_hour


def gpus(answer: Answer) -> int:
    assert answer.answer is not None
    return answer.answer.gpus


def ttft(answer: Answer) -> float:
    assert answer.answer is not None
    found = fleet_text.worst(answer.answer, TTFT.latency)
    assert found is not None
    assert found.value is not None
    return found.value


@pytest.mark.evidence
async def test_each_cause_is_what_planning_with_it_alone_comes_to(store: Store, workers: WorkerPool) -> None:
    parts = ({"demand": NEW.demand}, {"prices": NEW.prices}, {"tp": NEW.tp})
    alone = [replace(OLD, **part) for part in parts]
    old, new, *others = await planned(store, workers, OLD, NEW, *alone)
    study = await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)
    rows = {row[0]: row for row in study.tables[0].rows}
    for name, answer in zip(("demand", "prices", "tp"), others, strict=True):
        assert rows[name][3] == pytest.approx(cost(answer) - cost(old))
    assert rows["proof"][3] == pytest.approx(0.0, abs=1e-9)
    assert rows["total"][3] == pytest.approx(cost(new) - cost(old))
    added = [row[3] for name, row in rows.items() if name != "total"]
    assert sum(added) == pytest.approx(rows["total"][3])  # type: ignore[arg-type]


@pytest.mark.thorough
async def test_they_are_worked_out_once(store: Store, workers: WorkerPool) -> None:
    old, new = await planned(store, workers, OLD, replace(OLD, slo=Slo(ttft=0.6)))
    first = await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)
    assert await make("causes", store, pool=workers, old=old.plan.handle, new="last") == first
    assert len(store.studies(plan=new.plan.id)) == 1
    back = await make("causes", store, pool=workers, old=new.plan.id, new=old.plan.id)
    assert back.id != first.id


@pytest.mark.evidence
async def test_a_catalogue_and_lengths_that_changed_are_causes(store: Store, workers: WorkerPool) -> None:
    (old,) = await planned(store, workers, OLD)
    dearer = _again(store, old, price=4.0)
    study = await make("causes", store, pool=workers, old=old.plan.id, new=dearer.plan.id)
    rows = {row[0]: row for row in study.tables[0].rows}
    gpus = old.answer.gpus if old.answer else 0
    price = store.profile(store.scenario(old.plan.id).profiles[0]).price_per_hour
    assert rows[CATALOGUE][3] == pytest.approx(gpus * (4.0 - price))
    sides = Side.of(store, old.plan.id), Side.of(store, dearer.plan.id)
    assert differing(*sides) == [CATALOGUE]
    assert differing(sides[0], replace(sides[0], scenario=replace(sides[0].scenario, workload="ab"))) == [LENGTHS]


def _again(store: Store, plan: Answer, price: float) -> Answer:
    """Keep the plan once more as with a catalogue in which its GPUs cost `price` an hour."""
    scenario = store.scenario(plan.plan.id)
    profiles: tuple[Profile, ...] = tuple(
        replace(store.profile(key), price_per_hour=price) for key in scenario.profiles
    )
    assert plan.answer is not None
    dear = replace(plan.answer, cost_per_hour=price * plan.answer.gpus)
    return store.add_plan(
        NewPlan(
            answer=replace(plan, answer=dear, candidates=(dear,)),
            scenario=replace(scenario, profiles=tuple(store.put_profile(one) for one in profiles)),
            provenance=samples.provenance(),
            workload=store.workload(scenario.workload),
            profiles=profiles,
        )
    )


async def test_between_proven_plans_the_formulas_choose_no_gpu_that_neither_answers_with(
    store: Store, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found: H100 at $2.60 for $2.95 was told to cost $7.11/h more, from a fleet of MI300X that no plan had."""
    old, new, cheap = await planned(store, workers, OLD, NEW, replace(OLD, gpus=("h200",), prices=(("h200", 0.2),)))
    assert cost(cheap) < cost(old), "the formulas choose these where they may"
    scenario = store.scenario(old.plan.id)
    profiles = tuple(store.profile(key) for one in (old, cheap) for key in store.scenario(one.plan.id).profiles)
    wide = NewPlan.of(
        replace(OLD, gpus=("h100", "h200"), prices=(("h200", 0.2),)),
        old,
        workload=store.workload(scenario.workload),
        profiles=profiles,
        provenance=samples.provenance(),
    )
    kept = store.add_plan(wide)
    proven = Outcome.of(old), Outcome.of(new)
    monkeypatch.setattr("fleettui.planning.causes._proven", lambda _sides: proven)
    study = await make("causes", store, pool=workers, old=kept.plan.id, new=new.plan.id, verify=False)
    rows = {row[0]: row[2:4] for row in study.tables[0].rows}
    assert rows["gpus"] == (0, pytest.approx(0.0, abs=1e-9))
    assert rows["proof"] == (0, pytest.approx(0.0, abs=1e-9))
    assert float(rows["prices"][1] or 0.0) < 0.0, "a lower price of what both have"
    assert study.sentences[-1].endswith("on the GPUs of their answers")


async def test_parts_that_do_not_fit_together_are_refused_before_any_work() -> None:
    split = replace(OLD, pools=(2,), splits=(4096,))
    assert mixed(OLD, split, frozenset({"pools"}), parts_of()).splits == (4096,)
    narrow = replace(OLD, gamma=(1.0, 1.0))
    assert mixed(narrow, split, frozenset(), parts_of()) == replace(narrow, name="")


async def test_gpus_and_the_prices_typed_of_them_alone_are_one_cause(store: Store, workers: WorkerPool) -> None:
    dear = replace(OLD, verify=False, prices=(("h100", 6.0),))
    questions = dear, replace(dear, gpus=("a100",), prices=(("a100", 1.0),)), replace(dear, prices=(("h100", 1.0),))
    old, others, cheaper = await planned(store, workers, *questions)
    sides = [Side.of(store, one.plan.id) for one in (old, others, cheaper)]
    assert differing(sides[0], sides[2]) == ["prices"]
    assert differing(sides[0], sides[1]) == [GPUS]
    study = await make("causes", store, pool=workers, old=old.plan.id, new=others.plan.id)
    (cause, change, *added), _, total = study.tables[0].rows
    assert (cause, change) == (GPUS, "gpu h100 -> a100, price h100 $6.00/h typed -> a100 $1.00/h typed")
    for row in (added[:2], total[2:4]):
        assert row == pytest.approx((gpus(others) - gpus(old), cost(others) - cost(old)))


async def test_what_the_old_gpus_cost_at_new_prices_is_told_before_what_a_new_gpu_saves(
    store: Store, workers: WorkerPool
) -> None:
    old = replace(OLD, verify=False, gpus=("h100",), prices=(("h100", 6.0),))
    between = replace(old, prices=(("h100", 5.0),))
    new = replace(between, gpus=("h100", "h200"), prices=(("h100", 5.0), ("h200", 3.0)))
    first, second, third = await planned(store, workers, old, between, new)
    sides = Side.of(store, first.plan.id), Side.of(store, third.plan.id)
    assert differing(*sides) == [TYPED, GPUS]
    study = await make("causes", store, pool=workers, old=first.plan.id, new=third.plan.id)
    added = {row[0]: row[3] for row in study.tables[-1].rows}
    assert added[TYPED] == pytest.approx(cost(second) - cost(first))
    assert added[GPUS] == pytest.approx(cost(third) - cost(second))
    back = await make("causes", store, pool=workers, old=third.plan.id, new=second.plan.id)
    (cause, change, *_), *_ = back.tables[0].rows
    assert (cause, change) == (GPUS, "gpu h100,h200 -> h100, price h200 $3.00/h typed -> none of h200")


@pytest.mark.parametrize("verify", [False, pytest.param(True, marks=pytest.mark.thorough)])
async def test_inputs_one_after_the_other_come_to_what_plans_with_them_do(
    store: Store, workers: WorkerPool, verify: bool
) -> None:
    asked = replace(SHIPPED, verify=verify)
    faster = replace(asked, demand=NEW.demand)
    both = replace(faster, slo=Slo(ttft=0.3))
    old, one, two, new = await planned(store, workers, asked, faster, both, replace(both, prices=NEW.prices))
    study = await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)
    rows = {row[0]: row for row in study.tables[1].rows}
    steps = zip(("demand", "slo", "prices"), (old, one, two), (one, two, new), strict=True)
    for name, before, after in steps:
        assert rows[name][2:4] == (gpus(after) - gpus(before), pytest.approx(cost(after) - cost(before)))
    assert rows["proof"][3] == pytest.approx(0.0, abs=1e-9)
    assert sum(rows[name][3] for name in ("demand", "slo", "prices", "proof")) == pytest.approx(rows["total"][3])  # type: ignore[misc]


async def test_a_plan_that_is_not_finished_is_refused(store: Store, workers: WorkerPool) -> None:
    (old,) = await planned(store, workers, OLD)
    begun, _ = samples.begin(store)
    with pytest.raises(InputError, match="it is not finished"):
        await make("causes", store, pool=workers, old=old.plan.id, new=begun.plan.id)


async def test_a_plan_that_is_made_meanwhile_is_not_mixed_in(
    store: Store, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (plan,) = await planned(store, workers, OLD)
    read = Store.plan

    def read_and_add(self: Store, ref: str, *, most: int | None = None) -> Answer:
        found = read(self, ref, most=most)
        samples.add(self)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Store, "plan", read_and_add)
        sides = Side.of(store, "last"), compared(store, plan.plan.id), compared(store, "last~2")
    assert [one.question.workload for one in sides] == [OLD.workload] * 3


@pytest.mark.evidence
async def test_a_fleet_that_was_given_is_a_cause_and_what_a_search_would_try_is_none(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), max_num_seqs=None, token_budget=None)
    searched = await make_plan(replace(asked, verify=False), store=store, pool=workers)
    one = await simulate(sketch(4), asked, store=store, pool=workers)
    two = await simulate(sketch(2, 5), replace(asked, prices=(("h100", 4.0),)), store=store, pool=workers)
    price = cost(one) / 32
    for old, new, expected in (
        (searched, one, {"fleet": cost(one) - cost(searched)}),
        (one, searched, {"fleet": cost(searched) - cost(one)}),
        (one, two, {"prices": 32 * (4.0 - price), "fleet": 24 * price, "together": 24 * (4.0 - price)}),
    ):
        rows = {
            row[0]: row
            for row in (await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)).tables[0].rows
        }
        found = {name: row[3] for name, row in rows.items() if name not in ("proof", "total")}
        assert found == pytest.approx(expected)
        assert rows["proof"][3] == pytest.approx(0.0, abs=1e-9)
    labels = [row.label for row in compare_plans(store, [searched.plan.id, one.plan.id]).rows if row.differs]
    assert labels[0] == "fleet is"
    assert not {"objective", "max-num-seqs", "whole-nodes"} & set(labels)


@pytest.mark.evidence
async def test_the_one_input_in_which_simulated_plans_differ_made_all_that_they_are_proven_to_differ_by(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path))
    old, new = await planned(store, workers, asked, replace(asked, demand=Demand(form="rate", rate=60.0)))
    study = await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)
    demand, proof, total = study.tables[0].rows
    assert demand[2:5] == total[2:5] == (gpus(new) - gpus(old), cost(new) - cost(old), ttft(new) - ttft(old))
    assert proof[2:5] == (0, 0.0, 0.0)


@pytest.mark.evidence
async def test_several_inputs_that_are_not_to_be_proven_are_told_as_the_plans_correct_the_formulas(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path))
    stricter = replace(asked, slo=Slo(ttft=0.15))
    both = replace(stricter, demand=Demand(form="rate", rate=60.0))
    old, new, other = await planned(store, workers, asked, both, stricter)
    study = await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id, verify=False)
    rows = {row[0]: row for row in study.tables[0].rows}
    assert rows["slo"][2] == gpus(other) - gpus(old) == 16, "the formulas alone say 8"
    assert rows["proof"][2:4] == (0, pytest.approx(0.0, abs=1e-9))
    assert rows["total"][2] == gpus(new) - gpus(old)


@pytest.mark.evidence
async def test_each_of_several_inputs_of_simulated_plans_is_proven_to_do_what_it_does_alone(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path))
    faster, stricter = replace(asked, demand=Demand(form="rate", rate=30.0)), replace(asked, slo=Slo(ttft=0.15))
    old, new, other = await planned(store, workers, asked, replace(faster, slo=stricter.slo), stricter)
    workers.asked.clear()
    study = await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)
    assert workers.replications(), "nobody planned the rate alone"
    (alone,) = await planned(store, workers, faster)
    rows = {row[0]: row for row in study.tables[0].rows}
    for name, plan in (("demand", alone), ("slo", other), ("total", new)):
        assert rows[name][2:5] == (gpus(plan) - gpus(old), cost(plan) - cost(old), ttft(plan) - ttft(old))
    assert rows["together"][2] == gpus(new) - gpus(alone) - gpus(other) + gpus(old)
    assert rows["proof"][2:5] == (0, 0.0, 0.0)
    assert study.tables[0].title.startswith("what each input adds alone, as simulated")
    workers.asked.clear()
    back = await make("causes", store, pool=workers, old=new.plan.id, new=old.plan.id)
    assert not workers.replications(), "plans of the same inputs are kept"
    assert [row[2] for row in back.tables[0].rows][-1] == gpus(old) - gpus(new)


@pytest.mark.evidence
async def test_beyond_the_most_that_are_proven_inputs_are_told_by_formula_and_marked(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fleettui.planning.causes.MOST_PROVEN", 1)
    asked = question(trace(tmp_path))
    both = replace(asked, demand=Demand(form="rate", rate=60.0), headroom=0.001)
    old, new = await planned(store, workers, asked, both)
    study = await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)
    seen = {row[0]: row[-1] for row in study.tables[0].rows}
    assert (seen["demand"], seen["headroom"]) == ("simulated", "~by formula")
    assert study.sentences[-1].endswith("by formula as the plans' simulations correct it: headroom")


@pytest.mark.evidence
async def test_an_input_that_was_simulated_before_a_stop_is_not_simulated_again(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = question(trace(tmp_path))
    both = replace(asked, demand=Demand(form="rate", rate=22.0), slo=Slo(ttft=0.19))
    old, new = await planned(store, workers, asked, both)
    told: list[str] = []

    async def found(_desk: object, _inputs: object, _typed: object, words: str) -> Outcome:
        told.append(words)
        if len(told) == 2:
            raise asyncio.CancelledError
        return Outcome(verdict="pass", gpus=24, cost=60.0, ttft=0.1, simulated=True)

    monkeypatch.setattr("fleettui.planning.causes.proven_outcome", found)
    with pytest.raises(asyncio.CancelledError):
        await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)
    await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)
    assert told == ["demand alone (1 of 2)", "slo alone (2 of 2)", "slo alone (2 of 2)"]


@pytest.mark.evidence
async def test_a_front_end_that_is_typed_no_more_is_the_engines_own_again(store: Store, workers: WorkerPool) -> None:
    old, new = await planned(store, workers, replace(OLD, front_end=0.25), OLD)
    rows = (await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)).tables[0].rows
    saved = cost(new) - cost(old)
    assert saved < 0.0
    assert {row[0]: row[3] for row in rows} == pytest.approx({"front_end": saved, "proof": 0.0, "total": saved})


@pytest.mark.evidence
async def test_an_api_process_that_is_typed_no_more_is_the_engines_own_again(store: Store, workers: WorkerPool) -> None:
    old, new = await planned(store, workers, replace(OLD, api_token=2e-3), OLD)
    rows = (await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)).tables[0].rows
    saved = cost(new) - cost(old)
    assert saved < 0.0
    assert {row[0]: row[3] for row in rows} == pytest.approx({"api_token": saved, "proof": 0.0, "total": saved})


@pytest.mark.evidence
async def test_a_fit_is_one_cause_with_its_law(store: Store, workers: WorkerPool) -> None:
    fit = replace(FIT, servers=(replace(SERVER, dtype="bf16", tp=8, front_end=None),))
    typed = replace(OLD, front_end=0.25)
    old, new = await planned(store, workers, typed, replace(typed, fit=fit, step_law="kernels"))
    rows = (await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)).tables[0].rows
    added = cost(new) - cost(old)
    assert {row[0]: row[3] for row in rows} == pytest.approx({"step_law": added, "proof": 0.0, "total": added})
    assert rows[0][1] == "step-law roofline -> kernels, profile none -> prod"


KINDS: dict[str, tuple[dict[str, Any], bool]] = {
    "price": ({"prices": (("h100", 2.0),)}, False),
    "rate": ({"demand": Demand(form="rate", rate=137.0)}, False),
    "slo": ({"slo": Slo(ttft=0.4, tpot=0.03)}, False),
    "model": ({"model": "qwen3-32b"}, False),
    "gpus": ({"gpus": ("h200",)}, False),
    "two at once": ({"demand": Demand(form="rate", rate=60.0), "prices": (("h100", 3.7),)}, True),
    "tp": ({"tp": (4,)}, False),
    "front end": ({"front_end": 0.25}, False),
    "API process": ({"api_token": 2e-3}, False),
}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", few(KINDS, 1, more=1))
async def test_causes_add_up_to_the_total_to_the_last_digit_and_an_interaction_is_named(
    kind: str, store: Store, workers: WorkerPool
) -> None:
    changes, interact = KINDS[kind]
    old, new = await planned(store, workers, OLD, replace(OLD, **changes))
    study = await make("causes", store, pool=workers, old=old.plan.id, new=new.plan.id)
    *parts, total = study.tables[0].rows
    assert (total[0], total[3]) == ("total", cost(new) - cost(old))
    gpus, costs = ([one for row in parts if isinstance(one := row[place], int | float)] for place in (2, 3))
    assert len(gpus) == len(costs) == len(parts)
    assert sum(gpus) == total[2]
    assert math.fsum(costs) == pytest.approx(cost(new) - cost(old), abs=1e-12, rel=1e-15)
    assert ("together" in [row[0] for row in parts]) == interact
    assert total[3], f"{kind} moves the cost"
