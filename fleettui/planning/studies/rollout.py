"""Rollouts of reinforcement learning: is it worth switching to wider replicas when few trajectories are left?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.study_type import PLAN, Argument, Command, Given, StudyType
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What is typed of a rollout, beside the plan: 0 GPUs are as many as the plan's, a layout of 0 is to be found."""

    prompts: int = PROMPTS
    tail: str = TAIL
    gpus: int = 0
    before: int = 0
    after: int = 0
    thresholds: tuple[float, ...] = THRESHOLDS
    link: float | None = None
    pause: float = 0.0
    recompute: bool = False

    def words(self) -> tuple[str, ...]:
        """Return the options as they are typed again."""
        from fleettui.reports.link_units import LINK
        from fleettui.reports.units import SHARE, THINK_TIME

        said = {
            "prompts": str(self.prompts),
            "tail": self.tail,
            "gpus": str(self.gpus or ""),
            "from": f"tp{self.before}" if self.before else "",
            "to": f"tp{self.after}" if self.after else "",
            "at": "" if self.thresholds == THRESHOLDS else ",".join(map(SHARE.write, self.thresholds)),
            "link": "" if self.link is None else LINK.write(self.link),
            "pause": THINK_TIME.write(self.pause) if self.pause else "",
        }
        return (*(f"--{name} {value}" for name, value in said.items() if value), *["--recompute"] * self.recompute)


def read(given: Given) -> dict[str, Any]:
    """Return the plan and what is typed; raises InputError for what does not read."""
    from fleettui.domain.rollout import Tail, layout
    from fleettui.reports.link_units import LINK
    from fleettui.reports.units import COUNT, SHARE, THINK_TIME

    found: dict[str, Any] = {"recompute": "recompute" in given}
    for name in ("prompts", "gpus"):
        if name in given:
            found[name] = int(COUNT.parse(given[name], f"--{name}"))
    if found.get("gpus", 0) > MOST_GPUS:
        raise InputError("so many GPUs", where="--gpus", value=found["gpus"], accepted=f"up to {MOST_GPUS:,}")
    if "tail" in given:
        found["tail"] = Tail.read(given["tail"]).text
    for name, field in (("from", "before"), ("to", "after")):
        if name in given:
            found[field] = layout(given[name], f"--{name}")
    if "at" in given:
        found["thresholds"] = tuple(sorted({SHARE.parse(one, "--at") for one in given["at"].split(",")}))
        if len(found["thresholds"]) > MOST_THRESHOLDS:
            raise InputError("so many thresholds", where="--at", value=given["at"], accepted=f"up to {MOST_THRESHOLDS}")
    if "link" in given:
        found["link"] = LINK.parse(given["link"], "--link")
    if "pause" in given:
        found["pause"] = THINK_TIME.parse(given["pause"], "--pause")
    return {"plan": given["plan"], "typed": Typed(**found)}


async def work(desk: StudyContext, plan: str, typed: Typed | None = None) -> Study:
    """Return what switching the layout does to rollouts with the model, GPUs and lengths of `plan`, at each threshold.

    Raises InputError for a plan of the papers' preset, without a fleet or not finished, for what a rollout does not
    have (sessions, kept prefixes, clients that leave, drafts, caches that are moved out, blocks for whole contexts),
    and where GPUs or layouts do not go together.
    """
    from fleettui.domain.plan import LEAST_RUNS
    from fleettui.domain.rollout import Rolled, RolloutAsked, RolloutRun, Tail
    from fleettui.reports.studies.rollout import rollout_study

    typed = typed or Typed()
    kept = desk.kept(plan)
    best = _checked(kept)
    source = kept.source(f"rollout {kept.id}", kept.profiles)
    pool = _pool(best)
    before, after, gpus = await _layouts(desk, source, best, pool, typed)
    asked = RolloutAsked(
        pool=pool,
        admission=best.fleet.admission,
        gpus=gpus,
        before=before,
        after=after,
        trajectories=typed.prompts,
        tail=Tail.read(typed.tail),
        thresholds=typed.thresholds,
        link=typed.link,
        pause=typed.pause,
        recompute=typed.recompute,
    )
    tasks = [
        desk.run("rollout-replicate", RolloutRun, source=source, asked=asked, seed=kept.answer.plan.seed, index=index)
        for index in range(LEAST_RUNS)
    ]
    runs = await desk.each(tasks, f"rolling out {typed.prompts} prompts")
    rows = await desk.run("rollout", tuple[Rolled, ...], asked=asked, runs=runs)
    price = best.cost_per_hour / best.fleet.gpus
    return rollout_study(kept.answer, asked, rows, runs=runs, price=price, typed=typed.words())


def _checked(kept: KeptPlan) -> Candidate:
    """Return the plan's answer; raises InputError for a plan whose engine does what a rollout has not."""
    kept.check_no_paper("has no engine to run a rollout on")
    kept.check_finished()
    best = kept.fleet_for("to roll out on")
    kept.check_no_prefix_cache()
    kept.check_no_offload()
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
    )


async def _layouts(
    desk: StudyContext, source: SceneSource, best: Candidate, pool: PoolSketch, typed: Typed
) -> tuple[int, int, int]:
    """Return GPUs of a replica until the switch and after it, and all GPUs: the plan's, and whole replicas of them.

    Unless they are named, the first has the fewest GPUs that hold the model, the second the most; raises InputError
    where one does not hold it, or only one does.
    """
    known = await desk.run("rollout-layouts", tuple[int, ...], source=source, pool=pool)
    said = ", ".join(f"tp{one}" for one in known)
    for where, one in (("--from", typed.before), ("--to", typed.after)):
        if one and one not in known:
            raise InputError(f"no replica of {pool.model} is laid out so", where=where, value=f"tp{one}", accepted=said)
    if typed.gpus:
        known = tuple(one for one in known if typed.gpus % one == 0)
    before = typed.before or (known[0] if known else 0)
    after = typed.after or (known[-1] if known else 0)
    if not before or before == after:
        raise InputError(
            "there is no second layout to switch to",
            where="--gpus" if typed.gpus else "--to",
            value=typed.gpus or (f"tp{after}" if typed.after else None),
            accepted=f"two of {said}, and GPUs of which both make whole replicas",
        )
    most = max(before, after)
    own = best.fleet.gpus_by_type[pool.gpu]
    return before, after, typed.gpus or -(-own // most) * most


STUDY = StudyType(
    kind="rollout",
    work=work,
    read=read,
    picture=Picture(table=0, column="makespan"),
    command=Command(
        name="rollout",
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
            Argument(name="prompts", example="512", default=str(PROMPTS), help="trajectories that begin at once"),
            Argument(name="tail", example=TAIL, default=TAIL, help="this share has outputs so many times as long"),
            Argument(name="gpus", example="64", help="GPUs of both layouts (default the plan's)"),
            Argument(name="from", example="tp1", help="the first layout (default the narrowest)"),
            Argument(name="to", example="tp8", help="the second layout (default the widest)"),
            Argument(name="at", example="5%,20%", help="shares that are left at the switch (default 1% to 50%)"),
            Argument(name="pause", example="20s", help="what the switch takes beside moving (default 0s)"),
            Argument(name="link", example="50GB/s", help="what a GPU's link moves, one way"),
            Argument(name="recompute", form="flag", help="compute caches again, do not move them"),
        ),
    ),
)
