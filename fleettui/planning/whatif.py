"""What-if questions about a kept plan, all by formula: sweeps, steps, growth, sensitivity; each is kept as a study."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.domain.study import Study
from fleettui.domain.whatif import AS_RECORDED, Outcome, Point, Sample, Stage, Step, Swing
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.planning.prove import scene_payload
from fleettui.planning.worker_pool import WorkerPool, borrowed, together
from fleettui.planning.worker_process import Report
from fleettui.reports import units
from fleettui.reports.question import sweep as sweep_text
from fleettui.reports.studies.sensitivity import sensitivity_study
from fleettui.reports.studies.steps import growth_study, steps_study
from fleettui.reports.studies.subject import About
from fleettui.reports.studies.sweep import sweep_study

if TYPE_CHECKING:
    from store import Store

SPAN = 0.5, 2.0
"""From and to where a step table reaches unless told, as shares of the plan's rate."""
SAMPLES, MOST_SAMPLES = 400, 100_000
MONTHS, MOST_MONTHS = 24, 600
MOST_LEAD_DAYS = 36_500


async def sweep(
    store: Store,
    ref: str,
    texts: Sequence[str],
    *,
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> Study:
    """Return what the plan that `ref` names would be at every point of the grid of `texts`, kept.

    Raises InputError for what does not read, before any work; a point that cannot be served says so in its row.
    """
    plan, question, workload = _kept(store, ref)
    wanted = sweep_text.read(texts, question)
    here = Point(values=(), question=question, lengths=AS_RECORDED)
    done = 0

    async def answer(point: Point) -> Outcome:
        nonlocal done
        payload = {"question": to_plain(point.question), "lengths": to_plain(point.lengths), "workload": plain}
        found = await workers.run("whatif-point", payload)
        done += 1
        if report is not None:
            report(Progress(message="planning each point by formula", done=done, total=len(wanted.points) + 1))
        return from_plain(Outcome, found["outcome"])

    plain = to_plain(workload)
    async with borrowed(pool) as workers:
        base, *found = await together(answer(point) for point in (here, *wanted.points))
    asked = " ".join([f"whatif {plan.plan.handle}", *(f"--sweep {text}" for text in texts)])
    return store.add_study(sweep_study(plan, asked, wanted, base, found))


async def step_table(
    store: Store,
    ref: str,
    *,
    low: float | None = None,
    high: float | None = None,
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> Study:
    """Return where each fleet of the plan's shape runs out, from `low` to `high` requests/s, kept.

    Half and twice the plan's rate unless given.
    """
    about, payload = _scene(store, ref)
    now = about.plan.demand.rate
    own = (float(f"{now * share:.4g}") for share in SPAN)
    ends = tuple(default if given is None else given for default, given in zip(own, (low, high), strict=True))
    if not ends[0] < ends[1]:
        raise InputError("the range of rates is empty", where="--from, --to", value=f"{ends[0]:g}/s to {ends[1]:g}/s")
    found = await _run(pool, "whatif-steps", payload | {"low": ends[0], "high": ends[1]}, report)
    told = _asked(about, "--steps", f"--from {units.RATE.write(ends[0])} --to {units.RATE.write(ends[1])}")
    return store.add_study(steps_study(told, from_plain(tuple[Step, ...], found["steps"]), found["lasts"]))


async def growth(
    store: Store,
    ref: str,
    *,
    per_month: float,
    lead_days: float,
    start: date,
    months: int = MONTHS,
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> Study:
    """Return when the plan's rate, growing by the share `per_month` from `start` on, needs which fleet, kept.

    GPUs are there `lead_days` after they are ordered. Raises InputError for months beyond 600 and the like.
    """
    if not 1 <= months <= MOST_MONTHS:
        raise InputError("this is no horizon", where="--months", value=months, accepted=f"1 to {MOST_MONTHS}")
    if not 0 <= lead_days <= MOST_LEAD_DAYS:
        raise InputError("this is no lead time", where="--lead-time", value=f"{lead_days:g} days", accepted="12w, 90d")
    if not per_month > 0:
        raise InputError("demand that does not grow needs no order", where="--growth", value=per_month)
    about, payload = _scene(store, ref)
    wanted = {"per_month": per_month, "lead_days": lead_days, "start": start.isoformat(), "months": months}
    found = await _run(pool, "whatif-growth", payload | wanted, report)
    told = _asked(
        about,
        f"--growth {100 * per_month:.6g}%/month --lead-time {lead_days:g}d",
        f"--months {months} --start {start.isoformat()}",
    )
    said = f"growth of {100 * per_month:.3g}% a month for {months} months, GPUs {lead_days:g} days after the order"
    return store.add_study(
        growth_study(told, from_plain(tuple[Stage, ...], found["stages"]), found["lasts"], asked=said)
    )


async def sensitivity(
    store: Store,
    ref: str,
    *,
    samples: int = SAMPLES,
    seed: int | None = None,
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> Study:
    """Return how far each input moves the size of the plan's fleet, and a joint sample of them all, kept.

    `seed` is the plan's unless given; the same seed gives the same study.
    """
    if not 1 <= samples <= MOST_SAMPLES:
        raise InputError(
            "this is no number of samples", where="--samples", value=samples, accepted=f"1 to {MOST_SAMPLES:,}"
        )
    about, payload = _scene(store, ref)
    root = about.plan.plan.seed if seed is None else seed
    found = await _run(pool, "whatif-sensitivity", payload | {"samples": samples, "seed": root}, report)
    told = _asked(about, f"--sensitivity --samples {samples}", f"--seed {root}")
    swings = from_plain(tuple[Swing, ...], found["swings"])
    return store.add_study(sensitivity_study(told, swings, from_plain(Sample, found["sample"]), found["formula"], root))


def _kept(store: Store, ref: str) -> tuple[Answer, Question, Workload]:
    """Return a plan, its question and the workload that it was made for; raises InputError when there is none."""
    plan = store.plan(ref, most=1)
    scenario = store.scenario(plan.plan.id)
    return plan, scenario.question, store.workload(scenario.workload)


def _scene(store: Store, ref: str) -> tuple[About, dict[str, Any]]:
    """Return a plan that has a fleet, and what every task about that fleet's shape is given."""
    plan, question, workload = _kept(store, ref)
    if plan.answer is None:
        raise InputError(
            "the plan found no fleet, so there is no shape to look at",
            value=ref,
            remedy=f"fleettui show {plan.plan.handle} says what would make it feasible",
        )
    if question.preset == "paper":
        raise InputError(
            "a plan with the papers' constants has no step times to size by",
            value=ref,
            accepted="a plan of preset recommended",
        )
    payload = scene_payload(question, workload, plan.demand, key=f"whatif {plan.plan.id}")
    about = About(plan=plan, question=question, fleet=plan.answer, asked="")
    return about, payload | {"fleet": to_plain(plan.answer.fleet)}


def _asked(about: About, *options: str) -> About:
    said = " ".join((f"whatif {about.plan.plan.handle}", *options))
    return About(plan=about.plan, question=about.question, fleet=about.fleet, asked=said)


async def _run(pool: WorkerPool | None, name: str, payload: dict[str, Any], report: Report | None) -> dict[str, Any]:
    async with borrowed(pool) as workers:
        return await workers.run(name, payload, report)
