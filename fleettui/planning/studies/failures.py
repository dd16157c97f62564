"""Whether a kept plan's fleet holds while replicas are down, what an outage does to it, and how often that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.argument import Argument, Given
from fleettui.planning.studies.burst import (
    AT,
    FOR_ARGUMENT,
    OVER_ARGUMENT,
    RUNS,
    RUNS_ARGUMENT,
    SLOW_ARGUMENT,
    check_size,
    read_runs,
    room,
    step_of,
    warm_of,
)
from fleettui.planning.studies.study_type import StudyType
from fleettui.planning.studies.whatif import WHATIF
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fleettui.domain.autoscale import Delay
    from fleettui.domain.failing import Case
    from fleettui.domain.failures import Failures
    from fleettui.domain.fleet import Fleet
    from fleettui.domain.scenario import Question
    from fleettui.domain.stretch import Burst
    from fleettui.domain.study import Study
    from fleettui.planning.failure_trials import FailureTrials
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.prepared_fleet import PreparedFleet
    from fleettui.planning.studies.study_context import StudyContext

PER_DAY, REPAIR = 0.0065, 4 * 3600.0
"""Failures of a node a day (Kokolis et al. 2024), and the seconds that a repair takes, where nobody says."""
LONGEST, MOST_ROOM = 1800.0, 7200.0
"""Seconds of an outage that are played, unless more are asked for, and after it at most."""
DAY = 86_400.0


def read(given: Given) -> dict[str, Any]:
    """Return how often nodes fail and for how long, how long a replica loads, a share at once, and the runs."""
    from fleettui.reports.autoscale_text import read_delay
    from fleettui.reports.burst_text import SECONDS
    from fleettui.reports.question.failure_keys import FAILURE_RATE
    from fleettui.reports.units import SHARE

    found: dict[str, Any] = {"plan": given["plan"], "runs": read_runs(given)}
    if "fails" in given:
        found["failures"] = FAILURE_RATE.read(given["fails"], "--fails")
    if "repair" in given:
        found["repair"] = SECONDS.parse(given["repair"], "--repair")
    if "load" in given:
        found["load"] = read_delay(given["load"], "--load")
    for option, name in (("for", "seconds"), ("over", "end")):
        if option in given:
            found[name] = SECONDS.parse(given[option], f"--{option}")
    if "slow" in given:
        found["slow"] = SLOW_ARGUMENT.value(given["slow"])
    if "at-once" in given:
        found["at_once"] = SHARE.parse(given["at-once"], "--at-once")
        if not 0.0 < found["at_once"] < 1.0:
            raise InputError(
                "this is no share of a fleet", where="--at-once", value=given["at-once"], accepted="such as 25%"
            )
    return found


async def work(
    desk: StudyContext,
    plan: str,
    *,
    failures: Failures | None = None,
    repair: float | None = None,
    load: Delay | None = None,
    seconds: float | None = None,
    at_once: float | None = None,
    slow: float | None = None,
    end: float | None = None,
    runs: int = RUNS,
) -> Study:
    """Return how the fleet of `plan` stands replicas that are down, its spares up.

    Each node or GPU fails as often as `failures` says, or else the question; it is up again after `repair` seconds and
    `load`. Outages are played for `seconds`, unless given as long as that, up to LONGEST; failures as they come for
    `end` seconds, where those are given; one replica of each pool at a share `slow` of its speed, too. Raises
    InputError for a plan that cannot be played, and a fleet that never keeps up.
    """
    from fleettui.domain.autoscale import Delay
    from fleettui.domain.failing import Case, Odds
    from fleettui.planning.failure_trials import settled
    from fleettui.reports.studies.failures import Asked, failures_study

    kept = desk.kept(plan)
    best, question = kept.fleet_for(""), kept.question
    trials = await trials_of(desk, kept)
    source, fleet, held = trials.source, trials.fleet, trials.held
    often, takes, assumed = how_often(question, failures, repair)
    loads = await loading(desk, fleet, load or Delay(node=0.0))
    common: dict[str, Any] = {"source": source, "fleet": fleet, "failures": often, "down": takes + loads}
    common["spares"] = trials.spares
    cases = await desk.run("failures-cases", tuple[Case, ...], at_once=at_once, slow=slow, **common)
    window = window_of(cases, seconds or min(takes + loads, LONGEST), held)
    warm = warm_of(held)
    played = (1.5 * warm + window.end) * len(cases) + (0.0 if end is None else 2.0 * (1.5 * warm + end))
    check_size(kept.answer.demand.rate * played * runs, "--runs 2, or a shorter --for, or --over")
    odds = await desk.run("failures-odds", Odds, cases=cases, **common)
    steady = [await trials.steady(case) for case in cases]
    outages = await trials.outages(cases, window, runs=runs, warm=warm, step=step_of(window))
    steady = [settled(left, outage, question.slo) for left, outage in zip(steady, outages, strict=True)]
    come = None if end is None else await trials.come(often, takes, loads, end, runs=runs, warm=warm, odds=odds)
    asked = Asked(
        plan=kept.answer,
        question=question,
        best=best,
        failures=often,
        repair=takes,
        load=loads,
        window=window,
        runs=runs,
        assumed=assumed,
        said=_asked(failures=failures, repair=repair, load=load, seconds=seconds, at_once=at_once, slow=slow, end=end),
    )
    return failures_study(asked, cases, steady, outages, odds=odds, come=come)


async def trials_of(desk: StudyContext, kept: KeptPlan) -> FailureTrials:
    """Return the fleet of `kept` as it is played, its spares up.

    Raises InputError for a plan that cannot be played, and a fleet that never keeps up.
    """
    from fleettui.planning.failure_trials import FailureTrials, stage_of

    best = kept.fleet_to_play(
        "to fail",
        paper="has no replicas that fail: there, a pool is one queue",
        closed="no backlog grows",
        bounded=("an outage is played without them",),
        apart="each fails by itself here",
        times="length, which no outage fits",
    )
    held = await stage_of(desk, kept, best.fleet, tuple(pool.replicas + pool.spares for pool in best.fleet.pools))
    if max(held.utilization) >= 1.0:
        raise InputError(
            "it does not keep up with the plan's own rate, with nothing down",
            where=f"plan {kept.handle}",
            remedy="plan a fleet that does; fleettui show says what it takes",
        )
    return FailureTrials(desk=desk, kept=kept, held=held)


async def loading(desk: StudyContext, fleet: Fleet, delay: Delay) -> float:
    """Return the seconds until a replica serves whose hardware is up again."""
    return await desk.run("failures-load", float, fleet=fleet, delay=delay)


def window_of(cases: Sequence[Case], seconds: float, held: PreparedFleet) -> Burst:
    """Return an outage of so many seconds, with time after it in which the backlog of every case clears."""
    from fleettui.domain.stretch import Burst

    last = min(max(room(1.0, seconds, one.down, held) for one in cases), MOST_ROOM)
    return Burst(factor=1.0, seconds=seconds, start=AT, end=AT + seconds + last)


def how_often(
    question: Question, failures: Failures | None, repair: float | None
) -> tuple[Failures, float, tuple[str, ...]]:
    """Return how often nodes or GPUs fail and the seconds until one is up: as said, as the question has it, or assumed.

    Last are the options that would say what is assumed. Where the question has an availability alone, of how often and
    how long what is not said follows from that: up/(up + repair) of what fails is that share of the time.
    """
    from fleettui.domain.failures import Failures

    of = question.failures.of if question.failures else question.availability_of
    unit = of if question.failures or question.availability else "node"
    often = failures or question.failures
    assumed = () if often else ("fails",)
    if question.availability is not None and (often is None or often.of == unit):
        down = DAY * (1.0 / question.availability - 1.0)  # seconds of repair for each day that it is up
        if often is None and repair is not None:
            return Failures(per_day=down / repair, of=unit), repair, ()
        often = often or Failures(per_day=PER_DAY, of=unit)
        return often, down / often.per_day if repair is None else repair, assumed
    often = often or Failures(per_day=PER_DAY, of=unit)
    if repair is not None:
        return often, repair, assumed
    return (often, question.repair, assumed) if question.repair else (often, REPAIR, (*assumed, "repair"))


def _asked(
    *,
    failures: Failures | None,
    repair: float | None,
    load: Delay | None,
    seconds: float | None,
    at_once: float | None,
    slow: float | None,
    end: float | None,
) -> str:
    """Return the options that were given."""
    from fleettui.reports.autoscale_text import write_delay
    from fleettui.reports.burst_text import SECONDS
    from fleettui.reports.question.failure_keys import FAILURE_RATE
    from fleettui.reports.units import SHARE

    words = {
        "fails": failures and FAILURE_RATE.write(failures),
        "repair": repair and SECONDS.write(repair),
        "load": load and write_delay(load),
        "for": seconds and SECONDS.write(seconds),
        "at-once": at_once and SHARE.write(at_once),
        "slow": slow and SHARE.write(slow),
        "over": end and SECONDS.write(end),
    }
    return " ".join(["--failures", *(f"--{name} {text}" for name, text in words.items() if text)])


STUDY = StudyType(
    kind="failures",
    command=WHATIF,
    work=work,
    read=read,
    picture=Picture(table=0, column="slo_met", between="after"),
    line="failures   (also: fails 0.02/node-day repair 4h load 5min at-once 25% slow 50%)",
    arguments=(
        Argument(name="failures", form="flag", help="does it hold with replicas down; what outages do"),
        Argument(name="fails", example="0.02/node-day", help="failures: how often (default the plan's)"),
        Argument(name="repair", example="4h", help="failures: until it is up again (the plan's)"),
        Argument(name="load", example="5min", help="failures: until a replica serves, or by stages"),
        Argument(name="at-once", example="25%", help="failures: a share of the fleet in one blow, too"),
        SLOW_ARGUMENT,
        FOR_ARGUMENT,
        OVER_ARGUMENT,
        RUNS_ARGUMENT,
    ),
)
