"""What each autoscaling policy would have done with a kept plan's pools over a day, and what it would have cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.argument import PLAN, Argument, Given
from fleettui.planning.studies.study_type import Command, Prompt, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.autoscale import Delay, Event, Rules
    from fleettui.domain.day import Day
    from fleettui.domain.study import Study
    from fleettui.planning.day_taken import DayTaken
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext

RUNS, MOST_RUNS = 3, 100
MOST_REQUESTS = 400_000_000
"""Requests of all replays together beyond which they would take ten minutes and more."""


def read(given: Given) -> dict[str, Any]:
    """Return the plan, the day's name ("": none), the delay, the rules, the policies and the number of runs."""
    from fleettui.autoscaling.policies import POLICIES
    from fleettui.domain.autoscale import Delay
    from fleettui.reports.autoscale_text import RESERVED, read_count, read_delay, read_event, read_rules

    asked = [one.strip() for one in given["policies"].split(",")] if "policies" in given else [*POLICIES.names]
    for name in asked:
        POLICIES.named(name, "--policies")
    runs = read_count(given["runs"], "--runs", 2) if "runs" in given else RUNS
    if runs > MOST_RUNS:
        raise InputError("these are too many runs", where="--runs", value=runs, accepted=f"2 to {MOST_RUNS}")
    return {
        "plan": given["plan"],
        "day": given.get("day", ""),
        "delay": read_delay(given["delay"], "--delay") if "delay" in given else Delay(),
        "rules": read_rules(given),
        "policies": tuple(name for name in POLICIES.names if name in asked),
        "runs": runs,
        "events": tuple(read_event(one, "--event") for one in given.get("event", ())),
        "tune": bool(given.get("tune")),
        "reserved": RESERVED.parse(given["reserved"], "--reserved") if "reserved" in given else None,
    }


async def work(
    desk: StudyContext,
    plan: str,
    *,
    day: str,
    delay: Delay,
    rules: Rules,
    policies: tuple[str, ...],
    runs: int,
    events: tuple[Event, ...] = (),
    tune: bool = False,
    reserved: float | None = None,
) -> Study:
    """Return what `policies` do with the pools of `plan` over `day`, all over the same `runs` of requests.

    Where no day is named it is the plan's own.

    Raises InputError for a plan of the papers' preset, a closed loop or one that is not finished, and for traffic that
    cannot be replayed.
    """
    from asyncio import gather

    from fleettui.autoscaling.policies import POLICIES
    from fleettui.domain.autoscale import PoolSite
    from fleettui.domain.serialization import to_plain
    from fleettui.planning.day_replays import DayReplays
    from fleettui.planning.day_tuning import DayTuning
    from fleettui.reports.studies.autoscale import autoscale_study
    from fleettui.reports.studies.day_case import Asked
    from fleettui.routing import ROUTERS
    from fleettui.workloads.recorded_day import NAME

    kept = desk.kept(plan)
    best = kept.fleet_to_play(
        "to scale",
        paper="has no replicas that come and go: there, a pool is one queue",
        closed="its rate goes up and down with the fleet",
        bounded=None,
        apart="a day is replayed pool by pool",
        times=None if day == NAME else "times, which --day recorded replays",
        prefixes=True,
    )
    question = kept.question
    rules = rules.beside(question.bounds)
    taken = _taken(kept, day)
    traffic = taken.day
    _check_events(events, traffic, question.prefix_hit)
    if rules.exclude is not None and best.fleet.router != ROUTERS.default.name:
        raise InputError(
            f"router {best.fleet.router} sends without regard to how many are at a replica",
            where="--exclude",
            value=rules.exclude,
            remedy=f"autoscale a plan with --router {ROUTERS.default.name}",
        )
    first = min((one.start for one in events), default=None)
    knobs = [POLICIES.named(one).knobs for one in policies if tune]
    halves = sum(2 + sum(len(knob.values) for knob in own) for own in knobs if own)
    total = traffic.requests * (len(policies) + halves / 2) * runs
    if total > MOST_REQUESTS:
        raise InputError(
            "these replays would take ten minutes or more",
            value=f"{total:,.0f} requests",
            accepted=f"up to {MOST_REQUESTS:,}",
            remedy="--runs 2, fewer --policies, or a shorter --day",
        )
    source, fleet = kept.source(f"autoscale {kept.id}", kept.profiles), best.fleet
    seed = kept.answer.plan.seed
    desk.go_on([kept.id, to_plain(fleet), to_plain(traffic), to_plain(delay), to_plain(rules), to_plain(events), seed])
    pools, _ = await gather(
        desk.run(
            "autoscale-sites",
            tuple[PoolSite, ...],
            source=source,
            fleet=fleet,
            day=traffic,
            delay=delay,
            rules=rules,
            seed=seed,
            events=events,
        ),
        desk.run("autoscale-ready", bool, source=source, fleet=fleet, rules=rules),
    )
    replays = DayReplays(desk=desk, source=source, fleet=fleet, pools=pools, seed=seed, event=first)
    figures = await replays.figures(policies, runs, question.slo.percentile)
    tuning = DayTuning(replays=replays, runs=runs, share=question.slo.percentile)
    tuned = await tuning.tuned(policies) if tune else []
    asked = Asked(
        plan=kept.answer,
        question=question,
        day=traffic,
        delay=delay,
        rules=rules,
        runs=runs,
        only=policies,
        events=events,
        tune=tune,
        reserved=reserved,
        day_option=taken.option,
        day_caution=taken.caution,
    )
    return autoscale_study(asked, pools, figures, tuned)


def _taken(kept: KeptPlan, day: str) -> DayTaken:
    """Return the traffic that a plan's fleet is to meet; raises InputError for what is none, and for no record."""
    from fleettui.planning.day_taken import DayTaken, day_option, day_taken
    from fleettui.workloads.recorded import record_of
    from fleettui.workloads.recorded_day import NAME, recorded_day

    rate = kept.answer.demand.rate
    if day != NAME:
        return day_taken(kept, day)
    record = record_of(kept.workload)
    if kept.question.arrivals != "replay" or record is None:
        raise InputError(
            "the plan's requests do not come at recorded times",
            where="--day",
            value=day,
            accepted="a plan with --arrivals replay",
        )
    return DayTaken(recorded_day(record, rate=rate, where="--day"), day_option(NAME), "")


def _check_events(events: Iterable[Event], day: Day, prefix_hit: float) -> None:
    """Raise InputError for an event that is not within the day, fewer hits of none, and a second slow replica."""
    from fleettui.reports.autoscale_text import write_event

    slow = [one for one in events if one.kind == "slow"]
    if len(slow) > 1:
        raise InputError(
            "two events slow the first replica",
            where="--event",
            value=", ".join(map(write_event, slow)),
            accepted="one such event",
        )
    for one in events:
        if one.kind == "hits" and not prefix_hit:
            raise InputError(
                "the plan has no prefix hits that could be fewer",
                where="--event",
                value=write_event(one),
                remedy="autoscale a plan with --prefix-hit",
            )
        if one.end > day.end:
            raise InputError(
                "it is not within the day", where="--event", value=write_event(one), accepted=f"up to {day.hours:g} h"
            )


def line_help() -> str:
    """Return what a line may say."""
    from fleettui.autoscaling.policies import POLICIES
    from fleettui.reports.autoscale_text import DELAYS
    from fleettui.workloads.days import names

    return (
        f"delay 5min   ({DELAYS})\n"
        f"also: {' '.join(one.name for one in STUDY.takes[4:])}; day FILE.csv, or {', '.join(names())}\n"
        f"policies {','.join(POLICIES.names)}"
    )


STUDY = StudyType(
    kind="autoscale",
    work=work,
    read=read,
    picture=Picture(table=4, between="before", titled=True),
    command=Command(
        help="a day of traffic under every autoscaling policy",
        about="Replay a day on a kept plan's pools under each autoscaling policy: what it costs, and the SLO it keeps.",
        examples="""\
\b
A day is a shipped shape, whose highest rate is the plan's, a file of
start,end,rate, or "recorded": the times of a plan with --arrivals replay.
Unless named it is that of --arrivals profile:FILE, if the plan has one.
A replica takes --delay to start: in all, or by its stages.
\b
Events that nobody foresees, from a time of the day on:
  spike=3x@14h+10min    the rate; prompts=2x@14h+1h their length
  hits=0%@14h+1h        what is left of the hits of --prefix-hit
  slow=2x@14h+1h        the steps of a replica, so many times as long
  loss=20%@14h          of what serves, with its requests
  reclaim=20%@14h+2min  of it is taken so long after a warning
  failed=30%@14h+1h     of the launches come to nothing
\b
Examples:
  fleettui autoscale last
  fleettui autoscale last --delay 5min --policies static-peak,keda
  fleettui autoscale 41a7 --day day.csv --delay node=0s,disk=5GB/s
""",
        after="routers",
        whole=False,
        arguments=(
            PLAN,
            Argument(name="day", example="FILE", help="a shape, a file of start,end,rate, or recorded"),
            Argument(name="delay", example="300s", help="until a replica serves (default by stages)"),
            Argument(name="policies", listed=True, example="keda,oracle", help="only these (default all)"),
            Argument(name="event", form="several", example="loss=20%@14h", help="not foreseen; kinds below"),
            Argument(name="tune", form="flag", help="on half of the day, judged on the other half"),
            Argument(name="reserved", example="60%", help="price of a committed GPU, of that on demand"),
            Argument(name="runs", example="3", help=f"runs of the day, 2 or above (default {RUNS})"),
            Argument(name="cycle", example="15s", help="between two decisions (default 15s)"),
            Argument(name="beta", example="1.5", help="the estimator's headroom (default 1.5)"),
            Argument(name="step", example="1", help="its fall in replicas a minute (default 1)"),
            Argument(name="hold", example="5min", help="in which it does not fall after it rose (default 0s)"),
            Argument(name="buffer", example="1", help="replicas beyond its estimate (default 0)"),
            Argument(name="target", example="70%", help="of a replica's full load, of HPA and Knative"),
            Argument(name="queue", example="200", help="that may wait at a replica (default the plan's, or 200)"),
            Argument(
                name="retries", example="3", help="times that who is turned away comes again (default the plan's)"
            ),
            Argument(
                name="retry-backoff",
                example="1s",
                help="until it does, twice as late each time (default the plan's, or 1s)",
            ),
            Argument(name="exclude", example="2", help="send no more where so many wait, till none do"),
            Argument(name="min", example="1", help="replicas of a pool at least (default 1; 0: none if idle)"),
            Argument(name="max", example="12", help="at most (default twice the peak's)"),
        ),
        prompt=Prompt(help=line_help, value="delay 5min"),
    ),
)
