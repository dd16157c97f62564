"""Sessions of reasoning agents on a kept plan's fleet, under each scheduler: when is the answer there?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.argument import PLAN, Argument
from fleettui.planning.studies.scheduler import ONLY
from fleettui.planning.studies.study_type import Command, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.plan import Candidate
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext


async def work(desk: StudyContext, plan: str, only: tuple[str, ...] = (), **said: Any) -> Study:
    """Return what each scheduler does with sessions of agents on the fleet of `plan`: all, or the plan's and `only`.

    What is `said` are fields of Agents. Raises InputError for what `scheduler` refuses, for a fleet of several pools,
    for what such sessions have not (clients that leave, classes, caches that are moved out, blocks for whole contexts),
    and for one that is too long.
    """
    from fleettui.domain.agents import Agents
    from fleettui.domain.plan import LEAST_RUNS
    from fleettui.domain.schedulers import Scheduled, ScheduledRun
    from fleettui.planning.scheduler_trials import SchedulerTrials
    from fleettui.reports.studies.sessions import sessions_study

    agents = Agents(**said)
    kept = desk.kept(plan)
    best = _checked(kept)
    trials = SchedulerTrials(desk=desk, kept=kept, best=best)
    names = await trials.that_apply(only)
    rate = await desk.run("sessions-rate", float, source=trials.source, fleet=best.fleet, agents=agents)
    tasks = [
        desk.run(
            "sessions-replicate",
            ScheduledRun,
            source=trials.source,
            fleet=trials.fleet(name),
            agents=agents,
            rate=rate,
            seed=kept.answer.plan.seed,
            index=index,
        )
        for name in names
        for index in range(LEAST_RUNS)
    ]
    found = await desk.each(tasks, f"playing sessions of agents under {len(names)} schedulers")
    rows = await desk.run(
        "scheduler",
        tuple[Scheduled, ...],
        names=names,
        runs=[found[at : at + LEAST_RUNS] for at in range(0, len(found), LEAST_RUNS)],
        unstable=("",) * len(names),
        own=best.fleet.admission,
    )
    return sessions_study(kept.answer, best, rows, agents=agents, rate=rate)


def _checked(kept: KeptPlan) -> Candidate:
    """Return the plan's answer; raises InputError for a plan whose engine does what these sessions have not."""
    best = kept.finished_fleet("to serve sessions on", paper="has no batches in which sessions could be served")
    kept.check_no_features()
    kept.check_unbounded("sessions of agents wait for their answers")
    kept.check_one_class()
    kept.check_no_drafts()
    kept.check_paged("no session finds its cache there")
    if len(best.fleet.pools) > 1:
        raise InputError(
            "its sessions would pass from pool to pool as they grow, and their caches stay behind",
            where=f"plan {kept.handle}: pools",
            value=len(best.fleet.pools),
            remedy="plan with --pools 1",
        )
    return best


STUDY = StudyType(
    kind="sessions",
    work=work,
    picture=Picture(table=0, between="after"),
    command=Command(
        help="sessions of agents under each scheduler",
        about="Let sessions of reasoning agents come to a kept plan's fleet, under every scheduler, and compare them.",
        examples="""\
\b
A round is new prompt tokens / output tokens; the last one answers. Rounds are
4096/96,1024/64,512/64,512/64,256/192 (short) and
32768/96,16384/64,8192/64,4096/64,256/192 (heavy) unless said.
\b
Examples:
  fleettui sessions last
  fleettui sessions 41a7 --load 95% --heavy 20% --only mlfq,h2q-br-repaired
  fleettui sessions last --rate 2/s --tool 200ms --short 2048/200,512/400
""",
        view="routing",
        after="scheduler",
        arguments=(
            PLAN,
            ONLY,
            Argument(
                name="load",
                reads="load",
                example="60%",
                default="60%",
                most=2.0,
                help="busy with prompts for this part of the time",
            ),
            Argument(name="rate", reads="rate", example="2/s", help="or so many sessions per second"),
            Argument(
                name="heavy",
                reads="share",
                fills="share",
                example="5%",
                default="5%",
                help="this share of sessions is heavy",
            ),
            Argument(
                name="sessions",
                reads="count",
                example="400",
                default="400",
                least=20,
                most=20_000,
                help="sessions of a run",
            ),
            Argument(
                name="tool", reads="pause", example="200ms", default="1ms", help="what a tool takes between rounds"
            ),
            Argument(name="short", reads="rounds", example="4096/96,256/192", help="the rounds of a short session"),
            Argument(
                name="long",
                reads="rounds",
                fills="heavy",
                example="32768/96,256/192",
                help="the rounds of a heavy session",
            ),
        ),
    ),
)
