"""Hold what a running fleet shows to what was predicted of it, and find the constant that explains the gap."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.backtest import CONSTANTS, Constant, Expected, Figure, Fit, Seen
from fleettui.domain.calibration import OperatingPoint
from fleettui.domain.fleet import Fleet, FleetSketch, Pool
from fleettui.domain.hardware import Profile, StepTable
from fleettui.domain.limit import ALWAYS
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Candidate
from fleettui.domain.simulation import Replication
from fleettui.domain.study import Study
from fleettui.errors import Gathered, InputError
from fleettui.hardware import catalog
from fleettui.planning import calibrations, settings
from fleettui.planning.corrected_stock import with_stock
from fleettui.planning.corrections import corrected, hindrance
from fleettui.planning.fleet_files import fleet_in, is_given, text_of
from fleettui.planning.given_again import simulated, values_of
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.prepared_fleet import PreparedFleet
from fleettui.planning.prove import Simulator
from fleettui.planning.simulate import with_warnings
from fleettui.planning.store_meanwhile import opened_meanwhile
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import together
from fleettui.reports import fleet_file, units
from fleettui.reports.backtest.finding import Backtest
from fleettui.reports.backtest.kept import backtest_of
from fleettui.reports.backtest.study import backtest_study
from fleettui.reports.question import conversion, left_keys
from fleettui.reports.question.conversion import Texts
from fleettui.reports.question.keys import GIVEN_FLEET_KEYS

KEEP = "--keep"
"""The option that names the fit of a correction."""
ROUNDING = 1e-6
RUNS = 8
"""Replications that a prediction rests on."""
EARLIER = 50
"""Tests of a plan that are shown with a new one."""
PROBES: tuple[Figure, ...] = (
    *(Figure(metric=metric.name, share=share) for metric in ALWAYS for share in (0.5, 0.99)),
    Figure(metric="running"),
)
"""Figures that could tell explanations apart."""


async def backtest(
    desk: StudyContext, ref: str, seen: tuple[Seen, ...], *, window: float, keep: str | None = None
) -> Study:
    """Return what `seen` in production over `window` seconds says of the plan that `ref` names.

    The plan's answer is simulated under the plan's own question; replications that are kept already count. The
    correction, where there is one, is kept as the fit called `keep`. Raises InputError when there is no such plan, it
    is not finished, has no answer, or serves nobody a figure that was seen; and where that name is another fit's.
    """
    kept = FinishedPlan.get(desk.store, ref)
    plan, best = kept.answer, kept.answer.answer
    if best is None:
        raise InputError("it has no fleet that could run", where=f"plan {plan.plan.handle}")
    if kept.question.preset == "paper":
        raise InputError("a plan with the papers' constants cannot be simulated", where=f"plan {plan.plan.handle}")
    question = kept.question
    items = ",".join(one.text for one in seen)
    asked = f"backtest {plan.plan.handle} --observed {items} --over {units.DURATION.write(window)}"
    if keep is not None:
        calibrations.check_name(keep, KEEP, asked)
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
    found = Backtest(
        plan=plan,
        fleet=best,
        engine_overhead=_engine_overhead(kept, best.fleet.pools[0]),
        asked=asked,
        rows=expected.rows,
        probes=expected.probes,
        fits=fits,
        earlier=tuple(desk.store.studies(EARLIER, plan.plan.id, kind="backtest")),
        slices=len(kept.workload.slices),
        slo=question.slo,
    )
    study = backtest_study(await with_stock(desk, kept, replace(found, takes=_is_taken(kept, found))))
    return study if keep is None else await _with_fit(desk, study, kept, found, keep)


async def _with_fit(desk: StudyContext, study: Study, kept: FinishedPlan, found: Backtest, name: str) -> Study:
    """Return a study that says that its correction is kept as the fit called `name`, or why it is not.

    It is kept as the study tells it, so that who takes it from there plans with the same.
    """
    why = hindrance(found)
    if not why:
        told = found if found.agrees else backtest_of(study, kept.answer)
        why = await keep_fit(desk, kept, told, name, KEEP)
    if why:
        return replace(study, warnings=(*study.warnings, f"no fit {name} is kept: {why}"))
    kept_as = f"{'what was seen' if found.agrees else 'the correction'} is kept as the fit {name}"
    return replace(study, sentences=(*study.sentences, f"{kept_as}: plan with --profile {name}"))


async def keep_fit(desk: StudyContext, kept: FinishedPlan, found: Backtest, name: str, option: str) -> str:
    """Keep the correction of a backtest as the fit called `name`, by `option`; return why not, empty where it is."""
    why = _refusal(kept, found)
    if not why:
        source = kept.source(kept.id, kept.profiles)
        points = await desk.run("operating_points", tuple[OperatingPoint, ...], source=source, fleet=found.fleet.fleet)
        slices = len(kept.workload.slices)
        fit = corrected(found, kept.question, points, name, kept.profiles, slices=slices)
        why = await desk.run("calibration-refusal", str, fit=fit)
        if not why:
            calibrations.keep(fit, option)
    return why


def _is_taken(kept: FinishedPlan, found: Backtest) -> bool:
    """Return whether another question can take in what a backtest corrects."""
    fit = found.chosen
    return fit is not None and (fit.constant == "arrival rate" or not _refusal(kept, found))


def _refusal(kept: FinishedPlan, found: Backtest) -> str:
    """Return why nothing of a backtest is kept as a fit, empty where something can be."""
    written = not all(_is_by_law(kept, pool) for pool in found.fleet.fleet.pools)
    return hindrance(found) or ("the fleet's step times were written down, by no law" if written else "")


async def subject(desk: StudyContext, fleet: str, given: Texts, *, trace_format: str | None = None) -> str:
    """Return the id of the plan to test: the kept one that `fleet` names, or that of a fleet in words or its file.

    What is `given` of the question makes a fleet's plan, or one of the kept plan's fleet at another demand. Raises
    InputError as `simulate` does.
    """
    if is_given(fleet):
        file, errors = text_of(fleet), Gathered()
        filed = fleet_file.read_question(file.text, file.where, errors)
        errors.check()
        own = settings.question_texts(settings.settings())
        left = {key.name for key in GIVEN_FLEET_KEYS}
        values = conversion.parse(conversion.merge([given, filed, {name: own[name] for name in own.keys() & left}]))
        sketch = fleet_in(file.text, file.where, values)
    elif not given:
        return desk.store.plan(fleet, most=1).plan.id
    else:
        candidate = desk.store.candidate(fleet)
        asked = desk.store.question(desk.store.plan_of(candidate.candidate))
        sketch, values = FleetSketch.of(candidate.fleet), values_of(asked, given, f"plan {fleet}")
    left_keys.check(sketch, values, given)
    question = conversion.to_question(values, sketch)
    if desk.store.is_taken(question.name):
        question = replace(question, name="")  # the name stays with the plan that people know by it
    work = desk.run("simulate", NewPlan, sketch=sketch, question=question, format=trace_format)
    _, new = await opened_meanwhile(lambda: desk.store, work)
    return (await simulated(desk, with_warnings(new, left_keys.differences(sketch, values)))).plan.id


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


def _hardware(kept: FinishedPlan, pool: Pool) -> Profile:
    """Return the hardware of a pool as the plan has it."""
    return next(one for one in kept.profiles if one.replica_key == pool.replica_key)


def _is_by_law(kept: FinishedPlan, pool: Pool) -> bool:
    """Return whether a pool's step times are those of its hardware, and nobody wrote them down."""
    least, most = _hardware(kept, pool).step.base_range
    return pool.profile.by_kernels or least * (1 - ROUNDING) <= pool.profile.base_step_time <= most * (1 + ROUNDING)


def _engine_overhead(kept: FinishedPlan, pool: Pool) -> float | None:
    """Return the seconds a step that the serving engine is taken to need.

    None where the pool's speeds were given, or are by a fit, which has the engine's overhead in it.
    """
    if kept.question.fit is not None or not _is_by_law(kept, pool):
        return None
    profile = _hardware(kept, pool)
    if isinstance(profile.step, StepTable):
        return profile.step.overhead
    own = kept.question.engine_overhead
    return catalog.engine(kept.question.engine).overhead if own is None else own
