"""Rollouts of reinforcement learning: is it worth switching to wider replicas when few trajectories are left?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.studies.argument import PLAN, Argument
from fleettui.planning.studies.study_type import Command, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.fleet import PoolSketch
    from fleettui.domain.plan import Candidate
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.prepared_fleet import SceneSource
    from fleettui.planning.studies.study_context import StudyContext

PROMPTS, TAIL = 512, "5%x8"
"""Trajectories of a rollout, and which of them are how many times as long, where nobody says."""
THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5)
MOST_THRESHOLDS = 20
MOST_GPUS = 4096


async def work(
    desk: StudyContext,
    plan: str,
    *,
    prompts: int,
    tail: str,
    gpus: int = 0,
    before: int = 0,
    after: int = 0,
    thresholds: tuple[float, ...] = THRESHOLDS,
    link: float | None = None,
    pause: float = 0.0,
    recompute: bool = False,
) -> Study:
    """Return what switching the layout does to rollouts with the model, GPUs and lengths of `plan`, at each threshold.

    0 `gpus` are as many as the plan's; a layout of 0, until the switch or after it, is to be found.
    Raises InputError for a plan of the papers' preset, without a fleet or not finished, for what a rollout does not
    have (sessions, kept prefixes, clients that leave, drafts, caches that are moved out, blocks for whole contexts),
    and where GPUs or layouts do not go together.
    """
    from fleettui.domain.plan import LEAST_RUNS
    from fleettui.domain.rollout import Rolled, RolloutAsked, RolloutRun, Tail
    from fleettui.reports.studies.rollout import rollout_study

    if len(thresholds) > MOST_THRESHOLDS:
        raise InputError("so many thresholds", where="--at", value=len(thresholds), accepted=f"up to {MOST_THRESHOLDS}")
    kept = desk.kept(plan)
    best = _checked(kept)
    source = kept.source(f"rollout {kept.id}", kept.profiles)
    pool = _pool(best)
    before, after, gpus = await _layouts(desk, source, best, pool, before=before, after=after, gpus=gpus)
    asked = RolloutAsked(
        pool=pool,
        admission=best.fleet.admission,
        gpus=gpus,
        before=before,
        after=after,
        trajectories=prompts,
        tail=Tail.read(tail),
        thresholds=thresholds,
        link=link,
        pause=pause,
        recompute=recompute,
    )
    tasks = [
        desk.run("rollout-replicate", RolloutRun, source=source, asked=asked, seed=kept.answer.plan.seed, index=index)
        for index in range(LEAST_RUNS)
    ]
    runs = await desk.each(tasks, f"rolling out {prompts} prompts")
    rows = await desk.run("rollout", tuple[Rolled, ...], asked=asked, runs=runs)
    price = best.cost_per_hour / best.fleet.gpus
    return rollout_study(kept.answer, asked, rows, runs=runs, price=price)


def _checked(kept: KeptPlan) -> Candidate:
    """Return the plan's answer; raises InputError for a plan whose engine does what a rollout has not."""
    best = kept.finished_fleet("to roll out on", paper="has no engine to run a rollout on")
    kept.check_no_prefix_cache()
    kept.check_no_features()
    kept.check_unbounded("no client leaves a rollout")
    kept.check_one_class()
    kept.check_no_drafts()
    kept.check_paged("long outputs pass them")
    return best


def _pool(best: Candidate) -> PoolSketch:
    """Return a pool like the plan's first, whose GPUs are divided by tensor parallelism alone, for all lengths."""
    from fleettui.domain.fleet import FleetSketch

    return replace(
        FleetSketch.of(best.fleet).pools[0],
        name=None,
        above=None,
        up_to=None,
        context=None,
        concurrency=None,
        profile=None,
        spares=0,
        pp=1,
        attention_dp=False,
        layout="",
    )


async def _layouts(
    desk: StudyContext, source: SceneSource, best: Candidate, pool: PoolSketch, *, before: int, after: int, gpus: int
) -> tuple[int, int, int]:
    """Return GPUs of a replica until the switch and after it, and all GPUs: the plan's, and whole replicas of them.

    Unless they are named, the first has the fewest GPUs that hold the model and the longest request, the second the
    most; raises InputError where one does not hold them, or only one does.
    """
    known = await desk.run("rollout-layouts", tuple[int, ...], source=source, pool=pool)
    said = ", ".join(f"tp{one}" for one in known)
    for where, one in (("--from", before), ("--to", after)):
        if one and one not in known:
            what = f"no replica of {pool.model} is laid out so, with room for the longest request"
            raise InputError(what, where=where, value=f"tp{one}", accepted=said)
    if gpus:
        known = tuple(one for one in known if gpus % one == 0)
    before = before or (known[0] if known else 0)
    named, after = after, after or (known[-1] if known else 0)
    if not before or before == after:
        raise InputError(
            "there is no second layout to switch to",
            where="--gpus" if gpus else "--to",
            value=gpus or (f"tp{after}" if named else None),
            accepted=f"two of {said}, and GPUs of which both make whole replicas",
        )
    most = max(before, after)
    own = best.fleet.gpus_by_type[pool.gpu]
    return before, after, gpus or -(-own // most) * most


STUDY = StudyType(
    kind="rollout",
    work=work,
    picture=Picture(table=0, column="makespan"),
    command=Command(
        help="RL rollouts: when to switch to wider replicas",
        about="Let many prompts begin at once, and switch the layout of the GPUs when few trajectories are left.",
        examples="""\
\b
Trajectories have the lengths of the plan's workload. The first of two layouts
has many narrow replicas, the second few wide ones.
\b
Examples:
  fleettui rollout last
  fleettui rollout 41a7 --prompts 2k --tail 5%x8 --from tp2 --to tp8
  fleettui rollout last --gpus 64 --at 5%,20% --pause 20s --recompute
""",
        view="fleet",
        after="autoscale",
        arguments=(
            PLAN,
            Argument(
                name="prompts",
                reads="count",
                example="512",
                default=str(PROMPTS),
                help="trajectories that begin at once",
            ),
            Argument(
                name="tail",
                reads="tail",
                example=TAIL,
                default=TAIL,
                help="this share has outputs so many times as long",
            ),
            Argument(
                name="gpus",
                reads="count",
                example="64",
                most=MOST_GPUS,
                help="GPUs of both layouts (default the plan's)",
            ),
            Argument(
                name="from",
                reads="tp",
                fills="before",
                example="tp1",
                help="the first layout (default the narrowest)",
            ),
            Argument(
                name="to", reads="tp", fills="after", example="tp8", help="the second layout (default the widest)"
            ),
            Argument(
                name="at",
                reads="shares",
                fills="thresholds",
                example="5%,20%",
                help="shares that are left at the switch (default 1% to 50%)",
            ),
            Argument(
                name="pause", reads="pause", example="20s", help="what the switch takes beside moving (default 0s)"
            ),
            Argument(name="link", reads="bandwidth", example="50GB/s", help="what a GPU's link moves, one way"),
            Argument(name="recompute", form="flag", help="compute caches again, do not move them"),
        ),
    ),
)
