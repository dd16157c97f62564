"""Work on a stored job until it is done: the one way of `plan`, `simulate`, `verify` and `jobs resume` to evidence.

Everything that the work rests on is in the store, so a job goes on wherever it was left, and ends the same.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.fleet import Pool
from fleettui.domain.job import Job
from fleettui.domain.plan import (
    ENGINE_VERSION,
    OF_ARRIVALS,
    Answer,
    Candidate,
    Look,
    PlanIdentity,
    cheaper_gpus,
    compares_gpus,
    compares_settings,
)
from fleettui.domain.survival_words import survival, with_survival
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.planning import busy_minutes, confidence_reasons, proof_reasons, utilization
from fleettui.planning.backtest_notes import with_badges
from fleettui.planning.beside_unseen import with_seen_alone
from fleettui.planning.candidate_warnings import of_another, of_inputs
from fleettui.planning.fewer_pools import in_fewer_pools
from fleettui.planning.fleet_count import FleetCount
from fleettui.planning.fleet_limits import MOST_LOOKS, FleetLimits, can_be_told
from fleettui.planning.instead_of_given import with_instead
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.measured_of_equals import measured_of_equals
from fleettui.planning.other_divisions import with_division
from fleettui.planning.paid_nodes import in_all_paid, reasons_in_paid
from fleettui.planning.plan_search import kept_by_looks, search, search_among, set_aside, shapes_of
from fleettui.planning.plan_trials import Trials
from fleettui.planning.prove import Prover
from fleettui.planning.proven_others import with_others
from fleettui.planning.running_job import at_work
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import Shape
from fleettui.planning.trial import Trial
from fleettui.planning.wished_confidence import (
    as_sure_as_wished,
    as_wished,
    surer_of_equals,
    with_any_gpus,
    with_better,
    with_division_of_types,
    with_others_of_plan,
)
from fleettui.planning.without_survival import without_survival
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store


LastWords = Callable[[Answer], Awaitable[Answer]]
"""Takes an answer that is found, with all that was simulated as its candidates; returns it with more said of it."""


def another_engine(plan: PlanIdentity) -> InputError:
    """Return the refusal to go on with what another engine began."""
    return InputError(
        f"it was begun by engine {plan.engine_version}, and this program has engine {ENGINE_VERSION}: "
        "their runs do not mix",
        value=plan.handle,
        remedy=f"plan again; fleettui show {plan.handle} shows what is kept",
    )


async def work_on(
    store: Store,
    job: Job,
    *,
    report: Report | None = None,
    pool: WorkerPool | None = None,
    last: LastWords | None = None,
    prices: bool = False,
) -> Answer:
    """Do what a claimed job is for and return its answer, stored; raises Interrupted when somebody cancels it.

    `last` has the last word on the answer of a search before it is finished. With `prices` what posted ones turn to is
    simulated, too, for a plan that is to advise nobody, unless that wishes how sure a fleet is.
    """
    kept = KeptPlan.of(store, job.plan)
    async with borrowed(pool) as workers, at_work(store, job) as pulse:
        count = None if report is None else FleetCount(report)
        prover = Prover(
            store=store,
            workers=workers,
            source=kept.source(kept.id, kept.profiles),
            question=kept.question,
            seed=job.seed,
            precision=job.precision,
            note=pulse.note,
            report=None if count is None else count.tell,
        )
        begun = replace(kept.answer, so_far="", advises=True)
        trials = Trials(store=store, plan=begun, question=kept.question, prover=prover, count=count)
        if job.kind != "verify" and store.is_finished(job.plan):
            return kept.answer  # whoever finished it died before it could say so
        if job.kind == "plan":
            priced = prices and kept.question.confidence is None
            return await _plan(trials, kept, job, last, advise=kept.answer.advises, prices=priced)
        return await _look(trials, job, kept.workload)


async def _plan(
    trials: Trials, kept: KeptPlan, job: Job, last: LastWords | None, *, advise: bool, prices: bool
) -> Answer:
    """Walk from the formula's fleets to the smallest that holds, and finish the plan with it.

    Of the formula's reasons the first, one per pool, give way to what the simulation found; the others say how the
    formula's choice compares, and stay where that is the answer. Where no fleet holds that keeps the constraints by
    formula, one is searched for past them; where there is none still, the plan is infeasible, unless what is simulated
    of looser limits shows one that keeps them all, or some fleet within them was not shown to fail: then that is the
    answer, not proven. One that was chosen together with others, for which nothing is to be advised, stays and fails.
    """
    question, plan = trials.question, as_wished(trials.plan, trials.question)
    found = [candidate for candidate in plan.candidates if not candidate.shortfalls]
    searched = [one for one in plan.candidates if one.candidate < job.id]
    shapes = shapes_of(searched, plan, question)
    pairs, settled = await search(trials, kept, shapes, set_aside(searched, plan, question))
    lacking: Answer | None = None
    if settled is None or (settled.answer is None and (advise or plan.answer is None)):
        lacking = await _lacking(trials, kept, settled, advise=advise)
        again, other = await search_among(trials, kept_by_looks(lacking, question))
        if other is not None and other.answer is not None:
            pairs, settled, lacking = again, other, None
        elif settled is None or settled.unrefuted is None:
            return await _infeasible(trials, kept, lacking, settled, last, advise=advise)
    trial, verdict, reasons, more, looks = await as_sure_as_wished(trials, pairs, settled)
    whole = await in_all_paid(trials, trial)
    if whole is not None:
        reasons, more = reasons_in_paid(trial.candidate, reasons), (*more, whole.candidate)
        trial, verdict = whole, whole.verdict
    if lacking is not None:
        reasons = tuple(dict.fromkeys((*reasons[:1], *lacking.why)))
    tried = *settled.simulated, *more
    measured = await measured_of_equals(trials, pairs, trial, tried)
    if measured is not None:
        reasons, tried = (confidence_reasons.unmeasured(trial.candidate, question),), (*tried, measured.candidate)
        trial, verdict = measured, measured.verdict
    answer = replace(_came_to(plan, shapes[0], trial, reasons), verdict=verdict)
    sure = await _sure(trials, pairs, replace(answer, candidates=(*tried, trial.candidate)), trial.candidate, looks)
    for instead in (surer_of_equals, in_fewer_pools):
        equal = await instead(trials, pairs, sure)
        if equal is not None:
            tried = *tried, equal.candidate
            answer = replace(_came_to(plan, shapes[0], equal, reasons if question.confidence else ()), candidates=tried)
            sure = confidence_reasons.of_equals(sure, await _sure(trials, pairs, answer, equal.candidate, looks))
    sure = await with_division_of_types(trials, pairs, await with_any_gpus(trials, pairs, found, sure))
    sure = await trials.prover.with_redundancy(await _surviving(trials, pairs, settled, sure))
    if lacking is not None and advise:
        from fleettui.planning.proven_settings import with_settings

        sure = await with_settings(trials.prover, sure, settled.simulated, trial.candidate)
        sure = replace(sure, looks=(*dict.fromkeys((*sure.looks, *lacking.looks)),))
    sure = await with_others(trials.prover, sure, found, simulate=advise, prices=prices, before=looks)
    if advise:
        sure = await with_seen_alone(trials.prover, sure)
    sure = await trials.prover.with_warnings(sure, advise=advise)
    told = sure if last is None else await last(sure)
    kept_whole = replace(told, candidates=plan.candidates)
    return trials.store.finish_plan(plan.plan.id, with_badges(trials.store, kept_whole, question))


async def _lacking(trials: Trials, kept: KeptPlan, settled: Settled | None, *, advise: bool) -> Answer:
    """Return an answer without a fleet, as none within the limits was shown to hold, with what limits would do.

    Where the formulas had a fleet it says what was seen of the nearest.
    """
    from fleettui.planning.proven_remedies import with_least_remedy, with_proven_remedies

    plan: Answer = replace(trials.plan, verdict="infeasible")
    least = None if settled is None or settled.least is None else settled.least.candidate
    if settled is not None and plan.answer is not None:
        near = replace(
            plan,
            demand=settled.nearest.demand or plan.demand,
            answer=settled.nearest.candidate,
            why=proof_reasons.reasons(settled, trials.question),
            warnings=tuple(filter(of_inputs, plan.warnings)),
        )
        told = await with_least_remedy(kept, trials.prover, near, least) if advise else near
        return replace(told, answer=None)
    return await with_proven_remedies(replace(kept, answer=plan), trials.prover, least) if advise else plan


async def _infeasible(
    trials: Trials, kept: KeptPlan, answer: Answer, settled: Settled | None, last: LastWords | None, *, advise: bool
) -> Answer:
    """Finish a plan with an answer without a fleet; what other settings or the usual GPUs would do is simulated."""
    from fleettui.planning.proven_settings import with_settings
    from fleettui.planning.shown_usual_gpus import with_usual_gpus

    if advise:
        prover = trials.prover
        answer = await with_usual_gpus(
            answer, kept.question, kept.workload, store=prover.store, workers=prover.workers, report=prover.report
        )
        seen = () if settled is None else settled.simulated
        nearest = answer.candidates[0] if settled is None else settled.nearest.candidate
        answer = await with_settings(prover, answer, seen, nearest)
    told = answer if last is None else await last(answer)
    return trials.store.finish_plan(kept.id, with_badges(trials.store, told, trials.question))


def _came_to(plan: Answer, asked: Candidate, trial: Trial, reasons: Sequence[str]) -> Answer:
    """Return the answer with the fleet that a search came to, beside the formula's choice, which was `asked` for."""
    same = trial.candidate.candidate == asked.candidate
    left = plan.why[len(asked.fleet.pools) :] if same else (*reasons_left(trial.candidate, plan), *trial.reasons)
    return replace(
        plan,
        demand=trial.demand or plan.demand,
        verdict=trial.verdict,
        answer=trial.candidate,
        why=(*reasons, *left),
        warnings=plan.warnings if same else (*trial.warnings, *filter(of_inputs, plan.warnings)),
    )


async def _surviving(trials: Trials, shapes: Sequence[Shape], settled: Settled, answer: Answer) -> Answer:
    """Return an answer that says what it takes to survive replicas where the question asks for that."""
    best, question = answer.answer, trials.question
    if best is None or not question.survive:
        return answer
    plain = await without_survival(trials, shapes, settled)
    told = survival(question, best, plain, "as simulated")
    return replace(answer, why=with_survival(answer.why, told, question, len(best.fleet.pools)))


async def _sure(
    trials: Trials, shapes: Sequence[Shape], shown: Answer, fleet: Candidate, looks: Sequence[Look]
) -> Answer:
    """Return an answer with how sure it is, and with what would be as good as sure for less."""
    sure = await trials.prover.with_confidence(shown, trials.prover.limits(shown, fleet, looks))
    return await with_better(trials, shapes, sure)


def reasons_left(found: Candidate, plan: Answer) -> tuple[str, ...]:
    """Return the formula's reasons that hold for all fleets of its GPU types or settings, where `found` is of those.

    What may be cheaper than the formula's answer may be cheaper than any dearer fleet without one of its GPU types, and
    than a cheaper one where a fleet of such GPUs costs less than that, too.
    """
    if plan.answer is None:
        return ()
    of_gpus, of_settings = (
        {*map(kind, plan.answer.fleet.pools)} == {*map(kind, found.fleet.pools)} for kind in (_gpu, _searched)
    )
    own, dearer = {pool.gpu for pool in found.fleet.pools}, found.cost_per_hour >= plan.answer.cost_per_hour
    saving = [one for one in plan.candidates if not one.shortfalls and one.cost_per_hour < found.cost_per_hour]
    cheaper = {gpu for one in saving for gpu in one.fleet.gpus_by_type}

    def holds(reason: str) -> bool:
        others = {*cheaper_gpus(reason)} - own
        if others and (dearer or others & cheaper):
            return True
        if reason.startswith(OF_ARRIVALS):
            return True
        return (of_gpus and compares_gpus(reason)) or (of_settings and compares_settings(reason))

    return tuple(reason for reason in plan.why if holds(reason))


def _gpu(pool: Pool) -> str:
    return pool.gpu


def _searched(pool: Pool) -> tuple[object, ...]:
    """Return what a search may choose of how a pool is set."""
    return pool.gpu, pool.token_budget, pool.expert_parallel, pool.pp, pool.attention_dp, pool.layout, pool.speculative


async def _look(trials: Trials, job: Job, workload: Workload) -> Answer:
    """Give one candidate its evidence; a simulated fleet's plan is finished with that, and with what bursts do."""
    candidate = trials.store.candidate(job.candidate) if job.candidate else _only(trials.plan.candidates)
    best = trials.plan.answer
    is_answer = best is not None and best.candidate == candidate.candidate
    stage = await trials.prover.stage(candidate.fleet, [pool.replicas for pool in candidate.fleet.pools])
    simulated = job.kind == "simulate"
    if simulated and can_be_told(trials.question):
        trials.begin(1, MOST_LOOKS)
    evidence, is_open = await trials.prover.begin_proof(candidate, stage)
    if is_open:
        words = proof_reasons.not_proven_yet(replace(candidate, evidence=evidence))
        if simulated:
            trials.store.tell_so_far(trials.plan.plan.id, words)
        trials.prover.say(words)
        evidence = await trials.prover.prove(candidate, stage)
    found = replace(
        trials.plan,
        demand=stage.demand or trials.plan.demand,
        verdict=evidence.verdict,
        answer=replace(candidate, evidence=evidence),
        why=(*([evidence.reason] if evidence.reason else []), *(stage.reasons if simulated else ())),
        confidence=trials.plan.confidence if is_answer else None,
        warnings=trials.plan.warnings if is_answer or simulated else of_another(trials.plan, stage.warnings),
        redundancy=trials.plan.redundancy if is_answer else None,
        decides=trials.plan.decides if is_answer else None,
    )
    if simulated:
        sure = await with_division(trials, await trials.prover.with_confidence(*await _with_stock(trials, found)))
        sure = await with_instead(trials, sure, workload)
        warned = *utilization.warned(sure, trials.question), *busy_minutes.of_given(sure, trials.question, workload)
        told = replace(sure, warnings=(*sure.warnings, *warned))
        return trials.store.finish_plan(trials.plan.plan.id, with_badges(trials.store, told, trials.question))
    verified = replace(found, candidates=(replace(candidate, evidence=evidence),), excluded=())
    if is_answer or evidence.verdict != "pass":
        return verified
    return await with_others_of_plan(trials, await trials.prover.with_confidence(verified))


async def _with_stock(trials: Trials, answer: Answer) -> tuple[Answer, FleetLimits | None]:
    """Return the answer of a fleet that is given with what of it is spare or short, and the limits that showed it.

    The answer stays as it is, without limits, where that cannot be told.
    """
    best, prover = answer.answer, trials.prover
    if best is None or not can_be_told(trials.question):
        return answer, None

    def tell(words: str, done: int, wanted: int) -> None:
        trials.begin(len(limits.looks) + 1, MOST_LOOKS)
        prover.tell(words, done, wanted)

    limits = FleetLimits.of(prover.workers, prover.source, answer, best, tell)
    try:
        return replace(answer, stock=await limits.stock()), limits
    except InputError:  # a fleet that was given need not be one that the formulas can size
        return answer, None


def _only(candidates: Sequence[Candidate]) -> Candidate:
    assert len(candidates) == 1, f"a simulated fleet is its plan's one candidate, found {len(candidates)}"
    return candidates[0]
