"""The tasks of a joint plan: what one question may choose from, the choice, and the plan of what was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.hardware import Profile
from fleettui.domain.joint import Joint, JointObjective, Kind, Offered, Option, SharedLimits
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, PlanIdentity
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import dumps
from fleettui.domain.workload import Workload
from fleettui.hardware import catalog
from fleettui.optimize import explain
from fleettui.optimize.budgets import with_budgets
from fleettui.optimize.evaluate import Scorer
from fleettui.optimize.joint import Front, front
from fleettui.optimize.joint_choice import Table, choose
from fleettui.optimize.joint_choice import nearest as nearest_of
from fleettui.optimize.offers import offers_of
from fleettui.optimize.plan import ranges_for
from fleettui.optimize.terms import Terms
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.confidence import known_by
from fleettui.planning.tasks.demand import rate_of
from fleettui.planning.tasks.input_warnings import caveats, with_arrivals
from fleettui.planning.tasks.joint_wish import as_wished, none_as_sure, with_surer
from fleettui.planning.tasks.plan import (
    answer_case,
    at_own_rates,
    costliest,
    sure_by_formula,
    tried_of,
)
from fleettui.planning.tasks.provenance import provenance
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.recorded_arrivals import with_record
from fleettui.planning.tasks.serving_profiles import profiles_of
from fleettui.planning.tasks.simulation_inputs import Scene, read
from fleettui.planning.tasks.supported import check_compression, check_supported
from fleettui.planning.tasks.task_cache import Recent
from fleettui.planning.tasks.workload_slices import Case, longest_allowed

KEPT = 32
"""Questions that a worker remembers; one that it has forgotten is worked out again, to the same."""
MOST_RANKED = 64
"""Fleets of a front, cheapest first, among which one of one pool and a ranking by unlike prices are looked for."""
MOST_CUTS = 24
"""Splits at which fleets of more than two pools may divide, so that a question's front is found within seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """One question with all that its fleets are made of. `infeasible` is its answer where it has no fleet."""

    question: Question
    workload: Workload
    profiles: tuple[Profile, ...]
    scene: Scene
    demand: DerivedDemand
    scorer: Scorer
    front: Front
    caveats: tuple[str, ...]
    infeasible: Answer | None

    def kept(self, answer: Answer) -> NewPlan:
        """Return an answer with what the store keeps beside it, as the task `plan` does."""
        answer = with_arrivals(answer, self.scene.question, self.workload)
        named = replace(answer, plan=PlanIdentity(name=self.question.name, seed=self.question.seed))
        return NewPlan.of(
            self.question,
            replace(named, warnings=named.warnings + self.caveats),
            workload=self.workload,
            profiles=self.profiles,
            provenance=provenance(),
        )


_recent = Recent[Prepared](KEPT)


def options(
    context: Context, *, question: Question, format: str | None, by_power: bool, stocks: tuple[str, ...]
) -> Offered:
    """Return what `question` may choose from; with `by_power` watts count as a resource.

    `stocks` names the GPU types of the shared stock. A question that no fleet answers has no options.
    """
    for name in stocks:
        catalog.gpu(name)
    found = _prepared(context, question, format, by_power)
    kinds = {
        one.gpu: Kind(name=one.gpu, price=one.price_per_hour, per_node=one.gpus_per_node) for one in found.profiles
    }
    rows = zip(found.front.gpus.tolist(), found.front.watts.tolist(), strict=True)
    return Offered(
        kinds=tuple(kinds[name] for name in found.front.kinds),
        options=tuple(Option(gpus=tuple(gpus), watts=watts) for gpus, watts in rows),
        rate=found.demand.rate,
        infeasible=None if found.infeasible is None else found.kept(found.infeasible),
    )


def choice(
    context: Context,
    *,
    tables: tuple[tuple[Option, ...], ...],
    kinds: tuple[Kind, ...],
    limits: SharedLimits,
    objective: JointObjective,
) -> Joint:
    """Choose one fleet of each of `tables` within `limits` for least `objective`."""
    context.progress(f"choosing among {sum(map(len, tables))} fleets")
    return choose(_arrays(tables, kinds), kinds, limits, objective)


def nearest(
    context: Context,
    *,
    tables: tuple[tuple[Option, ...], ...],
    kinds: tuple[Kind, ...],
    limits: SharedLimits,
    without: tuple[tuple[int, ...], ...],
) -> tuple[int, ...]:
    """Return the place of one fleet of each of `tables` that together break `limits` by the least.

    They are none of the combinations in `without`; empty where there is no other.
    """
    context.progress(f"choosing among {sum(map(len, tables))} fleets what breaks the limits least")
    return nearest_of(_arrays(tables, kinds), kinds, limits, without)


def _arrays(tables: Sequence[Sequence[Option]], kinds: Sequence[Kind]) -> list[Table]:
    return [
        Table(
            gpus=np.array([one.gpus for one in table], np.int64).reshape(-1, len(kinds)),
            watts=np.array([one.watts for one in table], float),
        )
        for table in tables
    ]


def opened(context: Context, *, question: Question, format: str | None, by_power: bool, option: int) -> NewPlan:
    """Return the plan of `question` with the fleet in the place `option` of its options, as the task `plan` does.

    What other questions would take, and how prices rank it, depends on the other fleets: the joint plan tells of these.
    """
    found = _prepared(context, question, format, by_power)
    chosen, scorer = found.front.choices[option], found.scorer
    (scored,) = scorer.candidates([chosen])
    candidate = replace(scored, evidence=scorer.evidence(chosen, "pass"))
    answer = Answer(
        verdict="pass",
        demand=found.demand,
        answer=candidate,
        why=explain.reasons(candidate, chosen, [candidate], scorer),
        candidates=(candidate,),
        warnings=explain.warnings(candidate, question, scorer.profiles(chosen)),
    )
    if question.demand.form == "concurrency":
        answer = at_own_rates(answer, found.scene)
    elif not question.verify and question.preset != "paper":
        answer = sure_by_formula(answer, found.scene, known_by({}))
    answer, others = found.scene.with_warnings(answer), scorer.candidates(found.front.choices[:MOST_RANKED])
    tried = tried_of(answer, replace(found.scene, profiles=found.profiles), others)
    return found.kept(replace(answer, warnings=tried.told(answer.warnings)))


def _prepared(context: Context, question: Question, format: str | None, by_power: bool) -> Prepared:
    """Return a question's fleets, worked out unless this worker still has them."""
    key = dumps([question, format, by_power])
    return _recent.get(key, lambda: _prepare(question, context, format=format, by_power=by_power))


def _prepare(question: Question, context: Context, *, format: str | None, by_power: bool) -> Prepared:
    question.slo.require_a_limit()
    check_supported(question)
    check_compression(question)
    model = catalog.model(question.model)
    profiles = profiles_of(question, model)
    context.progress(f"reading {question.workload or 'the percentiles'}")
    workload = workload_of(question, longest=longest_allowed(question, model), format=format)
    asked, question = question, with_record(question, workload)
    cases, longest = read(question, workload)
    context.progress(f"searching fleets for {question.name}")
    answers = _answers(question, cases, profiles, longest)
    case, demand = _worst(question, cases, answers)
    scene = Scene(question=question, case=case, rate=demand.rate, context=longest)
    scorer, found = _fleets(scene, profiles, by_power=by_power)
    infeasible = None
    if not found.choices:
        alone = costliest(answers or [answer_case(question, case, profiles, longest)])
        if alone.answer is None:
            infeasible = alone
        else:  # it divides where no fleet of a joint plan may
            splits = tuple(pool.up_to for pool in alone.answer.fleet.pools[:-1])
            scorer, found = _fleets(
                replace(scene, question=replace(question, splits=splits)), profiles, by_power=by_power
            )
    if question.confidence is not None and found.choices:
        priced = replace(scene, profiles=profiles)
        found = with_surer(found, scorer, priced, question.confidence, by_power=by_power)
        fleets = scorer.candidates(found.choices)
        found = as_wished(found, fleets, priced, question.confidence)
        infeasible = None if found.choices else none_as_sure(fleets, demand, priced)
    return Prepared(
        question=asked,
        workload=workload,
        profiles=profiles,
        scene=scene,
        demand=demand,
        scorer=scorer,
        front=found,
        caveats=caveats(question, workload, cases, answers),
        infeasible=infeasible,
    )


def _answers(question: Question, cases: Sequence[Case], profiles: Sequence[Profile], context: int) -> list[Answer]:
    """Return the question's own answers per pairing, as a plan of its own has them, where the demand needs them."""
    if len(cases) == 1 and question.demand.form != "concurrency":
        return []
    return [answer_case(question, case, profiles, context) for case in cases]


def _worst(question: Question, cases: Sequence[Case], answers: Sequence[Answer]) -> tuple[Case, DerivedDemand]:
    """Return the pairing whose own plan costs most and its rate; a closed loop's is that of its own plan."""
    if not answers:
        return cases[0], replace(rate_of(question.demand, cases[0]), pairing=cases[0].pairing)
    demand = costliest(answers).demand
    return next(case for case in cases if case.pairing == demand.pairing), demand


def _fleets(scene: Scene, profiles: Sequence[Profile], *, by_power: bool) -> tuple[Scorer, Front]:
    """Return the fleets of one question that nothing undercuts, and what scores them."""
    question, terms = scene.question, Terms.of(scene.question)
    ordered = with_budgets(profiles, question, scene.case.at(scene.rate))
    ranges = ranges_for(question, scene.case.grid(), scene.context, ordered, most_cuts=MOST_CUTS)
    offers = offers_of(ordered, scene.case.at(scene.rate), ranges, question, terms, rivals=True)
    found = front(
        offers,
        ranges,
        pools=question.pools,
        kinds=sorted({one.gpu for one in profiles}),
        by_power=by_power,
        least_gamma=question.gamma[0],
    )
    return Scorer(offers=offers, ranges=ranges, question=question, terms=terms), found
