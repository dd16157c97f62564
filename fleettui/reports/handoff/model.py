"""What a hand-off is made of: a plan with its pools as they are deployed, and the files that come of it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from typing import Self

from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.limit import TTFT, Latency, Limit
from fleettui.domain.plan import Candidate, Estimate, PoolEvidence, PoolFigures
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.engine_record import Engine
from fleettui.reports import fleet_text
from fleettui.reports.report.model import Kept

LONGEST_SLUG = 30
"""Letters of a pool's part of a name: names of services have 63 at most, and pods add to theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolPlan:
    """A pool as it is deployed: with its figures by formula, and what a simulation saw of it where one did.

    `slug` is its name as a part of a DNS label, unlike that of every other pool. `gpus_per_node` is None where nothing
    is known of the nodes, `memory_share` where nobody says what the engine takes. `range` are the replicas that the
    plan's range of GPUs comes to, least and most. No more than `per_node` replicas may stand on a node, 0: any number.
    """

    pool: Pool
    slug: str
    figures: PoolFigures
    seen: PoolEvidence | None
    gpus_per_node: int | None
    memory_share: float | None
    range: tuple[int, int]
    per_node: int = 0

    @property
    def replicas(self) -> int:
        """The replicas to deploy, spare ones too."""
        return self.pool.replicas + self.pool.spares

    @property
    def nodes(self) -> int:
        """The nodes that one replica spans, each with as many of its GPUs, and whole stages where they fit."""
        gpus, tp = self.pool.gpus_per_replica, self.pool.tp
        least = 1 if self.gpus_per_node is None else math.ceil(gpus / self.gpus_per_node)
        return next(
            nodes
            for nodes in range(least, gpus + 1)
            if gpus % nodes == 0 and 0 in (gpus // nodes % tp, tp % (gpus // nodes))
        )

    @property
    def rate(self) -> float:
        """Requests per second that reach one replica."""
        return self.figures.arrival_rate / self.pool.replicas

    @property
    def running(self) -> float:
        """Sequences that run on one replica, the mean over time, at least 1; all that may where it never ends."""
        batch = self.figures.batch if self.seen is None else self.seen.batch
        return max(1.0, batch * self.pool.batches) if math.isfinite(batch) else float(self.pool.max_num_seqs)

    @property
    def waiting(self) -> float:
        """Requests that wait at one replica, at most: its rate times the wait at the SLO's percentile, or 1."""
        return max(1.0, self.rate * self.figures.wait) if math.isfinite(self.figures.wait) else 1.0

    @property
    def utilization(self) -> float:
        """Offered work over what its full batches can do."""
        return self.figures.utilization if self.seen is None else self.seen.utilization

    def estimate(self, latency: Latency) -> Estimate:
        """Return a latency of the pool: as it was simulated, else by formula."""
        return fleet_text.estimate(self.figures if self.seen is None else self.seen, latency)

    def predicted(self, latency: Latency) -> float | None:
        """Return the seconds of a latency that the plan still allows for: the interval's high end; None: undefined."""
        return fleet_text.high_end(self.estimate(latency))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A plan with a fleet, to be deployed with the `engine` that it is planned for."""

    kept: Kept
    best: Candidate
    engine: Engine
    pools: tuple[PoolPlan, ...]

    @classmethod
    def of(cls, kept: Kept) -> Self:
        """Return what deploys the answer of a kept plan; raises InputError for a plan without a fleet."""
        best = kept.answer.answer
        if best is None:
            raise InputError(
                "no fleet holds its limits, so there is nothing to deploy",
                where=f"plan {kept.handle}",
                remedy=f"fleettui why {kept.handle} says what would make it feasible",
            )
        engine = catalog.engine(kept.scenario.question.engine)
        return cls(kept=kept, best=best, engine=engine, pools=tuple(_pools(kept, best)))

    @property
    def handle(self) -> str:
        """What people type to get the plan."""
        return self.kept.handle

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.kept.scenario.question

    @property
    def fleet(self) -> Fleet:
        """What is deployed."""
        return self.best.fleet

    @property
    def latencies(self) -> tuple[Latency, ...]:
        """The latencies that are watched: those with a limit, TTFT where none has one; servers tell no class batch."""
        return tuple(one for one in self.question.slo.limits() if not one.batch) or (TTFT.latency,)

    def limit(self, latency: Latency) -> Limit | None:
        """Return the limit on a latency, None where it has none."""
        return next((one for one in self.question.slo.limits() if one.name == latency.name), None)

    def name(self, part: PoolPlan) -> str:
        """Return what the objects of a pool are called."""
        return f"fleet-{self.handle}-{part.slug}"

    def labels(self, part: PoolPlan) -> dict[str, str]:
        """Return the labels that find the pods of a pool."""
        return {PLAN: self.handle, POOL: part.slug}


PLAN, POOL = "fleettui/plan", "fleettui/pool"
"""The labels of every object: the plan's handle, and the pool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffFile:
    """A file of a hand-off: its name, with the folders that it needs, what it is, and its text."""

    name: str
    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """Something that a plan is handed over to. `engine` is the serving engine whose plans alone it takes, or None.

    `study` is the kind of study that must be kept of the plan, "" where it needs none.
    """

    name: str
    help: str
    write: Callable[[Subject], tuple[HandoffFile, ...]]
    engine: str | None = None
    study: str = ""


def slug(text: str) -> str:
    """Return a text as a part of a DNS label, empty where no letter of it may stand there.

    >>> slug('Long "answers"; rm -rf'), slug("λ")
    ('long-answers-rm-rf', '')
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:LONGEST_SLUG].strip("-")


def _pools(kept: Kept, best: Candidate) -> Iterator[PoolPlan]:
    seen = {one.name: one for one in best.simulated_pools}
    profiles = {one.replica_key: one for one in kept.profiles}
    slugs, known = _slugs(pool.name for pool in best.fleet.pools), kept.answer.redundancy
    per_node = {} if known is None else {one.name: one.per_node for one in known.pools}
    for place, (pool, figures, own) in enumerate(zip(best.fleet.pools, best.pools, slugs, strict=True)):
        profile = profiles.get(pool.replica_key)
        yield PoolPlan(
            pool=pool,
            slug=own,
            figures=figures,
            seen=seen.get(pool.name),
            gpus_per_node=None if profile is None else profile.gpus_per_node,
            memory_share=None if profile is None else profile.room.share,
            range=_range(kept, best, place),
            per_node=per_node.get(pool.name, 0),
        )


def _slugs(names: Iterable[str]) -> Iterator[str]:
    """Yield the slug of each name, with a number where it has none of its own.

    >>> list(_slugs(["x-3", "x", "X", "λ"]))
    ['x-3', 'x', 'x-4', 'pool']
    """
    taken: set[str] = set()
    for place, name in enumerate(names, start=1):
        wanted = slug(name) or "pool"
        numbered = (f"{wanted}-{number}" for number in count(place))
        own = next(one for one in chain((wanted,), numbered) if one not in taken)
        taken.add(own)
        yield own


def _range(kept: Kept, best: Candidate, place: int) -> tuple[int, int]:
    """Return the least and the most replicas of a pool: its share of the plan's range of GPUs.

    The most is what suffices in nine cases of ten where that is known; its own replicas are always within.
    """
    pool, (low, high) = best.fleet.pools[place], best.gpus_range
    own, sure = pool.replicas + pool.spares, kept.answer.confidence
    least = own if low is None else math.ceil(own * low / best.gpus)
    likely = sure.replicas[place] + pool.spares if sure is not None and sure.replicas is not None else None
    most = likely if likely is not None else own if high is None else math.ceil(own * high / best.gpus)
    return max(1, min(least, own)), max(most, own)
