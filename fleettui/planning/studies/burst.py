"""What a kept plan's fleet does while more comes for a while, or fewer replicas serve, and how it recovers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.argument import Argument, Given
from fleettui.planning.studies.study_type import StudyType
from fleettui.planning.studies.whatif import WHATIF
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fleettui.domain.fleet import Fleet
    from fleettui.domain.stretch import Burst, PoolStretch
    from fleettui.domain.study import Study
    from fleettui.planning.prepared_fleet import PreparedFleet
    from fleettui.planning.studies.study_context import StudyContext

RUNS, MOST_RUNS = 5, 100
AT, FOR = 300.0, 300.0
"""Seconds of the run before the window, and of the window, unless given."""
QUIET, DRAINS = 600.0, 2.0
"""Seconds after a window that the backlog is given at least, and times as long as the formulas expect it to take."""
MOST_WARM = 50_000
"""Requests of a pool that warm it up at most."""
MOST_REQUESTS = 100_000_000
STEPS = (1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0)
ROWS = 48
"""Rows of the table over time, at most."""

FOR_ARGUMENT = Argument(name="for", example="5min", help="burst, failures: how long (default 5min, 30min)")
OVER_ARGUMENT = Argument(name="over", example="1h", help="burst: the run; failures: play them as they come")
SLOW_ARGUMENT = Argument(
    name="slow", reads="speed", example="50%", help="burst, failures: one replica of each pool at so much speed"
)
RUNS_ARGUMENT = Argument(name="runs", example="5", help="burst, failures: runs, 2 or above (default 5)")


def read(given: Given) -> dict[str, Any]:
    """Return the factor, how long, from when on, the run's end where it is given, replicas that are away, and runs."""
    from fleettui.reports.autoscale_text import read_count
    from fleettui.reports.burst_text import FACTOR, SECONDS

    seconds = {name: SECONDS.parse(given[name], f"--{name}") for name in ("for", "at", "over") if name in given}
    return {
        "plan": given["plan"],
        "factor": FACTOR.parse(given["burst"], "--burst"),
        "seconds": seconds.get("for", FOR),
        "start": seconds.get("at", AT),
        "end": seconds.get("over"),
        "prompts": FACTOR.parse(given.get("prompts", "1"), "--prompts"),
        "outputs": FACTOR.parse(given.get("outputs", "1"), "--outputs"),
        "batch": read_count(given["batch"], "--batch", 1) if "batch" in given else None,
        "down": read_count(given["down"], "--down", 1) if "down" in given else 0,
        "slow": SLOW_ARGUMENT.value(given["slow"]) if "slow" in given else None,
        "runs": read_runs(given),
    }


def read_runs(given: Given) -> int:
    """Return how many runs are asked for; raises InputError for fewer than an interval takes, and for too many."""
    from fleettui.reports.autoscale_text import read_count

    runs = read_count(given["runs"], "--runs", 2) if "runs" in given else RUNS
    if runs > MOST_RUNS:
        raise InputError("these are too many runs", where="--runs", value=runs, accepted=f"2 to {MOST_RUNS}")
    return runs


async def work(
    desk: StudyContext,
    plan: str,
    *,
    factor: float = 1.0,
    prompts: float = 1.0,
    outputs: float = 1.0,
    batch: int | None = None,
    seconds: float = FOR,
    start: float = AT,
    end: float | None = None,
    down: int = 0,
    slow: float | None = None,
    runs: int = RUNS,
) -> Study:
    """Return what the fleet of `plan` does in a window of `seconds` with `factor` times the rate, and after it.

    In it `down` replicas of each pool are away and one is at a share `slow` of its speed, prompts and outputs have
    other lengths, and a replica runs at most `batch` sequences at once. Spare replicas serve, too. The run ends at
    `end`; unless given, when the backlog should have been gone for a while. Raises InputError for a plan that cannot
    be played, and a fleet that never keeps up.
    """
    from fleettui.domain.stretch import Burst, PoolStretch, StretchFigures
    from fleettui.planning.prepared_fleet import prepared
    from fleettui.reports.studies.burst import burst_study

    kept = desk.kept(plan)
    best = kept.fleet_to_play(
        "to send a burst to",
        paper="has no replicas to choose from: there, a pool is one queue",
        closed="their rate cannot be raised",
        bounded=("a window is played without them",),
        apart="in a burst each is played by itself",
        times="times, which no window can change",
    )
    question = kept.question
    source = kept.source(f"burst {kept.id}", kept.profiles)
    sizes = tuple(pool.replicas + pool.spares for pool in best.fleet.pools)
    stage = await prepared(desk, source, best.fleet, sizes)
    fleet = stage.candidate.fleet
    _check_down(fleet, down)
    busiest = max(stage.utilization)
    if busiest >= 1.0:
        raise InputError(
            "it does not keep up with the plan's own rate, so no backlog would clear",
            where=f"plan {kept.handle}",
            remedy="plan a fleet that does; fleettui show says what it takes",
        )
    over = start + seconds
    given = end or over + room(factor * max(prompts, outputs, 1.0), seconds, [down] * len(sizes), stage)
    burst = Burst(
        factor=factor,
        seconds=seconds,
        start=start,
        end=given,
        down=down,
        prompts=prompts,
        outputs=outputs,
        batch=batch,
        slow=slow,
    )
    if burst.idle:
        raise InputError(
            "the window changes nothing",
            where="--burst",
            value="x1",
            remedy="give another factor, such as x2, or beside x1: --down 1, --prompts x2, --outputs x2, --batch 64, "
            "--slow 50%",
        )
    warm = warm_of(stage)
    check_size(kept.answer.demand.rate * (1.5 * warm + burst.end + (factor - 1.0) * seconds) * runs)
    step = step_of(burst)

    async def played(index: int) -> tuple[PoolStretch, ...]:
        return await desk.run(
            "burst-replay",
            tuple[PoolStretch, ...],
            source=source,
            fleet=fleet,
            windows=(burst,) * len(sizes),
            warm=warm,
            step=step,
            seed=kept.answer.plan.seed,
            index=index,
        )

    rows = await desk.each((played(index) for index in range(runs)), "playing the window")
    share = question.slo.percentile
    figures = await desk.run("burst-judge", StretchFigures, runs=rows, share=share, step=step)
    return burst_study(kept.answer, question, best, burst=burst, figures=figures, runs=runs)


def _check_down(fleet: Fleet, down: int) -> None:
    """Raise InputError where a pool has no replica left."""
    for pool in fleet.pools:
        if down >= pool.replicas:
            raise InputError(
                f"no replica of pool {pool.name} would be left to send requests to",
                where="--down",
                value=down,
                accepted=f"fewer than its {pool.replicas}",
            )


def room(factor: float, seconds: float, down: Sequence[int], stage: PreparedFleet) -> float:
    """Return the seconds after a window that a run is given: some times what its backlog takes to clear as a fluid.

    So many replicas of each pool are `down` in it; one of which nothing is left has no backlog.
    """
    longest = QUIET
    for busy, pool, away in zip(stage.utilization, stage.candidate.fleet.pools, down, strict=True):
        inside = factor * busy * pool.replicas / (pool.replicas - away) if away < pool.replicas else 0.0
        longest = max(longest, DRAINS * seconds * max(inside - 1.0, 0.0) / (1.0 - busy))
    return math.ceil(longest / 60.0) * 60.0


def step_of(burst: Burst) -> float:
    """Return the seconds of a row of the table over time."""
    return next((one for one in STEPS if burst.end / one <= ROWS), STEPS[-1])


def warm_of(stage: PreparedFleet) -> float:
    """Return the seconds that warm up every pool."""
    pairs = zip(stage.lengths, stage.candidate.pools, strict=True)
    return max(min(one.warm_up, MOST_WARM) / pool.arrival_rate for one, pool in pairs if pool.arrival_rate)


def check_size(requests: float, less: str = "--runs 2, or a shorter --for, or a shorter run with --over") -> None:
    """Raise InputError where the runs have too many requests, which `less` makes fewer."""
    if requests > MOST_REQUESTS:
        raise InputError(
            "these runs would take long",
            value=f"{requests:,.0f} requests",
            accepted=f"up to {MOST_REQUESTS:,}",
            remedy=less,
        )


STUDY = StudyType(
    kind="burst",
    command=WHATIF,
    work=work,
    read=read,
    picture=Picture(table=2, column="waiting", between="before", titled=True),
    line="burst x2 for 5min   (also: at 5min over 1h down 1 prompts x2 batch 64 slow 50%)",
    arguments=(
        Argument(name="burst", example="x2", help="a window with so many times the rate, then back"),
        FOR_ARGUMENT,
        Argument(name="at", example="5min", help="burst: when it begins (default 5min)"),
        OVER_ARGUMENT,
        Argument(name="down", example="1", help="burst: replicas of each pool away in it"),
        Argument(name="prompts", example="x2", help="burst: times the prompt tokens in it"),
        Argument(name="outputs", example="x2", help="burst: times the output tokens in it"),
        Argument(name="batch", example="64", help="burst: sequences a replica then runs at once"),
        SLOW_ARGUMENT,
        RUNS_ARGUMENT,
    ),
)
