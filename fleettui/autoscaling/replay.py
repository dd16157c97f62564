"""A day of traffic played under a policy by the one engine, with replicas that start late and drain before they go."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.autoscaling.constant import ROUNDING
from fleettui.autoscaling.delays import delays
from fleettui.autoscaling.events import changed, slowed, strikes
from fleettui.autoscaling.exclusion import Exclusion, waiting_at
from fleettui.autoscaling.least_work import least_seconds
from fleettui.autoscaling.outcome import Outcome
from fleettui.autoscaling.policy import Policy, ReplicaLoad, Signals
from fleettui.autoscaling.warp import rates
from fleettui.autoscaling.workers import Workers
from fleettui.domain.autoscale import SPAN, Choice, PoolReplay, Rules, Site
from fleettui.domain.slo import Slo
from fleettui.simulation.conservation import check_elastic
from fleettui.simulation.draws import Draws
from fleettui.simulation.elastic import ElasticPool
from fleettui.simulation.layout import Engine
from fleettui.simulation.records import Records

FLAP = 600.0
"""Seconds within which a change of the target that turns back is a flap."""
MOST_CHOICES = 2000
"""Changes of the target that are kept with their reasons; of more, the last of each SPAN."""
Check = Callable[[float], None]
"""Told how far a replay is, in seconds of the day; raises where it is to stop."""


@dataclass(slots=True, kw_only=True)
class Course:
    """What is noted of the cycles of a site's day, at the begin of each: the replicas paid for, and the ready ones."""

    site: Site
    paid: list[int] = field(default_factory=list)
    ready: list[int] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)

    @property
    def spans(self) -> int:
        """How many SPANs the day has."""
        return math.ceil(self.site.day.end / SPAN - ROUNDING)

    @property
    def edges(self) -> NDArray[np.float64]:
        """The begin of each cycle, and the end of the last."""
        day, cycle = self.site.day, self.site.rules.cycle
        cycles = math.ceil(day.end / cycle - ROUNDING)
        found: NDArray[np.float64] = np.minimum(np.arange(cycles + 1) * cycle, day.end)
        return found

    def note(self, workers: Workers) -> None:
        """Note a cycle that begins."""
        ready = len(workers.serving)
        self.ready.append(ready)
        self.paid.append(ready + len(workers.starting) + len(workers.leaving))

    def totals(self) -> tuple[list[float], float, float]:
        """Return the replica-seconds that are paid for by span, those above what the rates fill, and those below it."""
        edges = self.edges
        begin, seconds = edges[:-1], np.diff(edges)
        ideal = rates(self.site.day, (begin + edges[1:]) / 2.0) / self.site.replica_rate
        paid, ready = np.array(self.paid, np.float64), np.array(self.ready, np.float64)
        by_span = np.bincount((begin / SPAN).astype(np.int64), paid * seconds, minlength=self.spans)
        over, under = np.maximum(paid - ideal, 0.0), np.maximum(ideal - ready, 0.0)
        return by_span.tolist(), _in_order(over * seconds), _in_order(under * seconds)


def _in_order(values: NDArray[np.float64]) -> float:
    """Return the sum of values, one after the other: numpy's own differs from machine to machine."""
    return float(np.add.accumulate(values)[-1])


def replay(
    site: Site,
    engine: Engine,
    draws: Draws,
    policy: Policy,
    *,
    name: str,
    slo: Slo,
    front_end: float = 0.0,
    check: Check | None = None,
    luck: np.random.Generator | None = None,
    records: Records | None = None,
) -> PoolReplay:
    """Return what `policy` does with a pool on the site's day; `engine` are the rows of one replica.

    It starts with the replicas that the first rate fills, one at least, a constant one with its own. The requests in
    flight at the day's end are served, but nothing is paid for after it. `luck` is that of launches, where each takes
    its own time: the same for every policy, one after the other. The requests are played in `records`, those of a
    replay that is over, where they are given. Raises AssertionError where a request or a replica is lost.
    """
    least = site.least if policy.to_none else max(site.least, 1)
    controller = policy.start(replace(site, least=least))
    first = math.ceil(site.replicas(site.day.at(0.0)) - ROUNDING)
    if policy.constant:
        first = controller.decide(_nothing()).target
    start = min(max(first, least, 1), site.most)
    asked = changed(draws, site.events, engine.longest())
    rules, engine = site.rules, replace(bounded(engine, site.rules, site.patience), slow=slowed(site.events))
    pool = ElasticPool.of(
        engine,
        asked,
        replicas=start,
        most=2 * site.most,
        holds=least == 0,
        records=records,
    )
    failing = tuple(one for one in site.events if one.kind == "failed")
    exclusion = None if rules.exclude is None else Exclusion(pool=pool, most=rules.exclude)
    workers = Workers(pool=pool, delay=delays(site, luck), exclusion=exclusion, failing=failing)
    course = Course(site=site)
    course.choices.append(Choice(moment=0.0, target=start, reason="at the start"))
    striking, before = deque(strikes(site.events)), Counted(0, 0, 0, 0.0)
    for cycle, (begin, end) in enumerate(pairwise(course.edges.tolist())):
        course.note(workers)
        while striking and striking[0].at < end:
            _play(workers, striking[0].at)
            striking.popleft().happen(workers)
        if check is not None and cycle % 240 == 0:
            check(end)
        if exclusion is None and policy.constant and workers.settled and workers.provisioned == start:
            continue  # nothing is decided: what comes is played with what comes after it
        _play(workers, end)
        if exclusion is not None:
            exclusion.look()
        seen = pool.seen
        so_far = Counted(pool.offered, seen.turned, seen.completed, seen.sojourn)
        decision = controller.decide(_signals(workers, end, end - begin, before, so_far))
        before = so_far
        target = min(max(decision.target, least), site.most)
        if target != course.choices[-1].target:
            course.choices.append(Choice(moment=end, target=target, reason=decision.reason()))
        workers.scale(target, end)
    if not pool.serving and (pool.in_front or len(pool.due_again)):
        workers.scale(max(workers.provisioned, 1), site.day.end)
        _play(workers, workers.next_ready)
    pool.advance(math.inf)
    check_elastic(pool)
    pool.restore()
    outcome = Outcome.of(pool.state.requests, slo, end=site.day.end, front_end=front_end)
    return _found(pool, workers, course, draws, outcome, name=name, least=least_seconds(engine, asked, outcome.within))


def bounded(engine: Engine, rules: Rules, patience: float | None) -> Engine:
    """Return an engine with the bounds of a day: as many wait as `rules` say, each for `patience` seconds, if any."""
    return replace(
        engine,
        queue=rules.queue,
        patience=math.inf if patience is None else patience,
        retries=rules.retries or 0,
        backoff=rules.backoff or 0.0,
    )


def _play(workers: Workers, until: float) -> None:
    """Play up to `until`; a replica that is ready in between serves from then on."""
    if workers.settled:
        workers.pool.advance(until)
        return
    while workers.next_ready < until:
        at = workers.next_ready
        workers.pool.advance(at)
        workers.admit(at)
        if workers.next_ready <= at:  # no room: those that drain still hold it
            break
    workers.pool.advance(until)
    workers.admit(until)


def _nothing() -> Signals:
    """Return what is seen before anything is, as a constant policy does not look at it."""
    return Signals(
        now=0.0,
        seconds=1.0,
        arrived=0,
        rejected=0,
        in_flight=0,
        waiting=0,
        busy=0.0,
        completed=0,
        sojourn=0.0,
        ready=1,
        provisioned=1,
        replicas=tuple,
    )


class Counted(NamedTuple):
    """What was counted so far: offered requests, attempts that were turned away, completed ones, and their seconds."""

    offered: int
    turned: int
    completed: int
    sojourn: float


def _signals(workers: Workers, now: float, seconds: float, before: Counted, so_far: Counted) -> Signals:
    pool, seen = workers.pool, workers.pool.seen
    present, ready = seen.present + pool.in_front, pool.serving
    return Signals(  # in their order: names take as long again, in every cycle
        now,
        seconds,
        so_far.offered - before.offered,
        so_far.turned - before.turned,
        present,
        present - seen.running,
        seen.working / (ready * pool.lanes or 1),
        so_far.completed - before.completed,
        so_far.sojourn - before.sojourn,
        ready,
        workers.provisioned,
        partial(_loads, workers),
    )


def _loads(workers: Workers) -> Sequence[ReplicaLoad]:
    """Return the load of each ready replica, of several rows together."""
    pool = workers.pool
    waiting = waiting_at(pool) if workers.exclusion is None else workers.exclusion.waiting()
    free = pool.serving_rows().reshape(pool.serving, pool.lanes)["free"].mean(axis=1)
    cache = (1.0 - free / pool.engine.blocks).tolist()
    return [ReplicaLoad(waiting=one, cache=share) for one, share in zip(waiting, cache, strict=True)]


def _found(
    pool: ElasticPool, workers: Workers, course: Course, draws: Draws, outcome: Outcome, *, name: str, least: float
) -> PoolReplay:
    site, offered = course.site, draws.requests
    assert draws.arrivals is not None, "an open loop has arrivals"
    ups, downs, flaps = _changes(course.choices)
    billed = workers.close(site.day.end)
    assert billed > 0.0, "somebody serves"
    assert least <= billed * (1.0 + ROUNDING), f"{name}: {billed} replica-seconds did the work of at least {least}"
    paid, over, under = course.totals()
    return PoolReplay(
        name=name,
        offered=offered,
        rejected=int(pool.tally[0]["rejected"]),
        lost=pool.lost,
        left=int(pool.tally[0]["left"]),
        attempts=offered if pool.again is None else int(pool.again.stays["attempts"].sum()),
        met=int(np.count_nonzero(outcome.met)),
        ttft=outcome.ttft,
        spans=outcome.by_span(draws.arrivals, course.spans),
        paid=tuple(total / min(SPAN, site.day.end - place * SPAN) for place, total in enumerate(paid)),
        billed=billed,
        ideal=site.replicas(1.0) * site.day.requests,
        least=least,
        over=over,
        under=under,
        ups=ups,
        downs=downs,
        flaps=flaps,
        choices=_kept(course.choices),
    )


def _kept(choices: Sequence[Choice]) -> tuple[Choice, ...]:
    if len(choices) <= MOST_CHOICES:
        return tuple(choices)
    return tuple({int(one.moment / SPAN): one for one in choices}.values())


def _changes(choices: Sequence[Choice]) -> tuple[int, int, int]:
    """Return how often the target rose and fell, and how often it turned back within FLAP seconds."""
    ups = downs = flaps = 0
    last = (0, -math.inf)
    for before, after in pairwise(choices):
        way = 1 if after.target > before.target else -1
        ups, downs = ups + (way > 0), downs + (way < 0)
        if way == -last[0] and after.moment - last[1] <= FLAP:
            flaps += 1
        last = (way, after.moment)
    return ups, downs, flaps
