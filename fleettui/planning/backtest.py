"""Hold what a running fleet shows to what was predicted of it, and find the constant that explains the gap."""

from __future__ import annotations

from fleettui.domain.backtest import CONSTANTS, Constant, Expected, Figure, Fit, Seen
from fleettui.domain.fleet import Fleet, FleetSketch, Pool
from fleettui.domain.hardware import StepTable
from fleettui.domain.limit import METRICS
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Candidate
from fleettui.domain.simulation import Replication
from fleettui.domain.study import Study
from fleettui.errors import Gathered, InputError
from fleettui.hardware import catalog
from fleettui.planning import settings
from fleettui.planning.fleet_files import fleet_in
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.make_plan import begin, loaded
from fleettui.planning.opening import opening_of
from fleettui.planning.prepared_fleet import PreparedFleet
from fleettui.planning.prove import Simulator
from fleettui.planning.run_job import work_on
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.user_files import read_text
from fleettui.planning.worker_pool import together
from fleettui.reports import fleet_file, units
from fleettui.reports.backtest.finding import Backtest
from fleettui.reports.backtest.study import backtest_study
from fleettui.reports.question import conversion
from fleettui.reports.question.conversion import Texts
from fleettui.reports.question.keys import FIXED_FLEET_KEYS, WORKLOAD

FIXED = frozenset(key.name for key in (WORKLOAD, *FIXED_FLEET_KEYS))
"""The keys of a question about a fleet that is given."""
ROUNDING = 1e-6
RUNS = 8
"""Replications that a prediction rests on."""
EARLIER = 50
"""Tests of a plan that are shown with a new one."""
PROBES: tuple[Figure, ...] = (
    *(Figure(metric=metric, share=share) for metric in METRICS.names for share in (0.5, 0.99)),
    Figure(metric="running"),
)
"""Figures that could tell explanations apart."""


async def backtest(desk: StudyContext, ref: str, seen: tuple[Seen, ...], *, window: float) -> Study:
    """Return what `seen` in production over `window` seconds says of the plan that `ref` names.

    The plan's answer is simulated under the plan's own question; replications that are kept already count. Raises
    InputError when there is no such plan, it is not finished, has no answer, or serves nobody a figure that was seen.
    """
    kept = FinishedPlan.get(desk.store, ref)
    plan, best = kept.answer, kept.answer.answer
    if best is None:
        raise InputError("it has no fleet that could run", where=f"plan {plan.plan.handle}")
    if kept.question.preset == "paper":
        raise InputError("a plan with the papers' constants cannot be simulated", where=f"plan {plan.plan.handle}")
    question = kept.question
    simulator = Simulator(
        store=desk.store,
        workers=desk.workers,
        source=kept.source(kept.id, kept.profiles),
        seed=question.seed,
        report=desk.report,
    )
    stage = await simulator.stage(best.fleet, [pool.replicas for pool in best.fleet.pools])
    taken = {one.figure for one in seen}
    expected = await desk.run(
        "backtest-predict",
        Expected,
        fleet=best.fleet,
        replications=await _replications(simulator, best, stage),
        seen=seen,
        probes=[one for one in PROBES if one not in taken],
        window=window,
    )
    fits = await _fits(desk, simulator, best.fleet, stage, expected, closed=question.demand.form == "concurrency")
    items = ",".join(one.text for one in seen)
    return backtest_study(
        Backtest(
            plan=plan,
            fleet=best,
            engine_overhead=_engine_overhead(kept, best.fleet.pools[0]),
            asked=f"backtest {plan.plan.handle} --observed {items} --over {units.DURATION.write(window)}",
            rows=expected.rows,
            probes=expected.probes,
            fits=fits,
            earlier=tuple(desk.store.studies(EARLIER, plan.plan.id, kind="backtest")),
            slices=len(kept.workload.slices),
        )
    )


async def subject(desk: StudyContext, fleet: str, given: Texts, *, trace_format: str | None = None) -> str:
    """Return the id of the plan to test: the kept one that `fleet` names, or that of the fleet in the file `fleet`.

    What is `given` of the question makes a fleet's plan, or one of the kept plan's fleet at another demand. Raises
    InputError as `simulate` does.
    """
    if opening_of(fleet).kind != "plan":
        text, errors = read_text(fleet, "fleet"), Gathered()
        sketch, filed = fleet_in(text, fleet), fleet_file.read_question(text, fleet, errors)
        errors.check()
        own = settings.question_texts(settings.settings())
        kept = conversion.merge([filed, {name: own[name] for name in own.keys() & FIXED}])
    elif not given:
        return desk.store.plan(fleet, most=1).plan.id
    else:
        candidate = desk.store.candidate(fleet)
        asked = desk.store.question(desk.store.plan_of(candidate.candidate))
        texts = conversion.given_at(conversion.to_texts(asked), f"plan {fleet}")
        sketch, kept = FleetSketch.of(candidate.fleet), {name: texts[name] for name in texts.keys() & FIXED}
    question = conversion.to_question(conversion.parse(conversion.merge([given, kept])), sketch)
    work = desk.run("simulate", NewPlan, sketch=sketch, question=question, format=trace_format)
    return await _simulated(desk, await loaded(work))


async def _simulated(desk: StudyContext, new: NewPlan) -> str:
    """Return the id of the plan of a fleet that is given, which is kept unless it was before.

    Thus the tests of one fleet under one question are a series.
    """
    store = desk.store
    assert new.answer.answer is not None, "a fleet that is given is the answer"
    same = (one for one in store.plans_of(new.scenario) if store.candidate(one).fleet == new.answer.answer.fleet)
    plan = next(same, "")
    if plan:
        return plan
    job = begin(store, new, kind="simulate")
    return (await work_on(store, job, report=desk.report, pool=desk.workers)).plan.id


async def _replications(simulator: Simulator, best: Candidate, stage: PreparedFleet) -> tuple[Replication, ...]:
    """Return the first replications of the fleet with their histograms, run and kept where they are missing."""
    done = {one.index: one for one in simulator.store.replications(best.candidate, simulator.seed, histograms=True)}

    async def one(index: int) -> None:
        done[index] = await simulator.replicate(best, stage.lengths, index)

    await together(one(index) for index in range(RUNS) if index not in done)
    return tuple(done[index] for index in range(RUNS))


async def _fits(
    desk: StudyContext, simulator: Simulator, fleet: Fleet, stage: PreparedFleet, expected: Expected, *, closed: bool
) -> tuple[Fit, ...]:
    """Return the fit of every constant that the fleet and its demand have; a `closed` loop has no arrival rate."""

    async def fit(constant: Constant) -> Fit:
        return await desk.run(
            "backtest-fit",
            Fit,
            source=simulator.source,
            fleet=fleet,
            lengths=stage.lengths,
            look=stage.look,
            seed=simulator.seed,
            expected=expected,
            constant=constant,
        )

    constants = [one for one in CONSTANTS if not (closed and one == "arrival rate")]
    return tuple(await desk.each(map(fit, constants), "moving one constant at a time"))


def _engine_overhead(kept: FinishedPlan, pool: Pool) -> float | None:
    """Return the seconds a step that the serving engine is taken to need; None where the pool's speeds were given."""
    profile = next(one for one in kept.profiles if one.replica_key == pool.replica_key)
    least, most = profile.step.base_range
    if not least * (1 - ROUNDING) <= pool.profile.base_step_time <= most * (1 + ROUNDING):
        return None
    if isinstance(profile.step, StepTable):
        return profile.step.overhead
    own = kept.question.engine_overhead
    return catalog.engine(kept.question.engine).overhead if own is None else own
