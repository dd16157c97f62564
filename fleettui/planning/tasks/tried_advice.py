"""What a reader is advised to change in a question: tried by formula, and told with what it comes to.

What changes nothing is not told. A plan that is proven has it simulated then (`planning/proven_advice.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from fleettui.domain.advice import CENT, MUST_KNOW, ONE_POOL, Advice
from fleettui.domain.demand import Demand
from fleettui.domain.fleet import counted
from fleettui.domain.limit import ALWAYS
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.planning.busy_minutes import below, busy_rate
from fleettui.reports import units
from fleettui.workloads.arrivals import ARRIVALS
from fleettui.workloads.arrivals import asked as arrivals

IDLE = 0.5
"""A pool less busy than this part of what it may be is held by its latency limit alone."""
LOOSER = 1.1
"""By what a limit is made looser, tried."""
Try = Callable[[Question], Answer]
Others = Callable[[Candidate], Iterable[Advice]]


def nothing_else(_: Candidate) -> Iterable[Advice]:
    """Return no advice."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """An answer to `question` beside the other candidates, and how another question is answered by formula.

    `again` answers it by fleets of the same make, `anew` by others where these do not hold, too; `paid` are the GPUs
    that a fleet is paid for, those of whole nodes where the question says so; `settings` says what its engine would
    take, set otherwise.
    """

    question: Question
    answer: Answer
    again: Try
    anew: Try
    paid: Callable[[Candidate], int]
    settings: Others = nothing_else

    def advice(self, workload: Workload) -> Iterator[Advice]:
        """Yield what would change the answer, each by how much, and the key that says it."""
        best, question = self.answer.answer, self.question
        if best is None or question.preset == "paper" or question.demand.form == "concurrency":
            return
        tried = (*self._bursts(best, workload), *self._looser(best), *self._as_poisson(best), *self.settings(best))
        yield from (one for one in tried if one.matters(best))

    def told(self, warnings: tuple[str, ...]) -> tuple[str, ...]:
        """Return warnings, that of a router that must know outputs with what one pool takes, which needs none."""
        best = self.answer.answer
        if best is None or len(best.fleet.pools) == 1:
            return warnings
        alone = (one for one in self.answer.candidates if len(one.fleet.pools) == 1 and one.may_hold)
        return with_one_pool(warnings, best, min(alone, key=lambda one: one.cost_per_hour, default=None))

    def _bursts(self, best: Candidate, workload: Workload) -> Iterator[Advice]:
        """Yield the rate that almost all of a trace's minutes stay below, if they grow alike, and what it takes."""
        most = busy_rate(self.question, workload, self.answer.demand.rate)
        if most is None:
            return
        asked = replace(self.question, demand=Demand(form="rate", rate=most), ranges=())
        try:
            found = self.anew(asked).answer
        except InputError:
            return
        yield Advice(
            question=asked,
            rate=most,
            found=found,
            saves=False,
            gpus=self._more(found, best),
            alike=found is not None and _make(found) == _make(best),
            words=f"{below(most, workload)}: {{taken}}, --rate {most:g}/s",
        )

    def _more(self, found: Candidate | None, best: Candidate) -> int:
        """Return how many more GPUs are paid for than for the answer, 0 where nothing was found."""
        return 0 if found is None else self.paid(found) - self.paid(best)

    def _looser(self, best: Candidate) -> Iterator[Advice]:
        """Yield where a slightly looser limit takes fewer GPUs, as it does close to what idle replicas do.

        A limit that holds several pools is told of the first.
        """
        labels = {one.label: one for one in ALWAYS}
        told = set[str]()
        for pool in best.pools:
            metric = labels.get(pool.limited_by.split(":", maxsplit=1)[0])
            limit = None if metric is None else getattr(self.question.slo, metric.name)
            if metric is None or limit is None or metric.name in told:
                continue
            if pool.utilization >= IDLE * self.question.max_utilization:
                continue
            told.add(metric.name)
            looser = replace(self.question.slo, **{metric.name: limit * LOOSER})
            key = f"--slo-{metric.name} {units.limit(limit * LOOSER)}"
            words = f"pool {pool.name}: a looser limit takes {{taken}}: {key}"
            yield from self._saving(replace(self.question, slo=looser), best, words)

    def _as_poisson(self, best: Candidate) -> Iterator[Advice]:
        """Yield what the same requests take where they come as Poisson's."""
        asked = as_poisson(self.question)
        if asked is not None:
            yield from self._saving(asked, best, "these arrivals: as Poisson's {taken}, --arrivals poisson")

    def _saving(self, asked: Question, best: Candidate, words: str) -> Iterator[Advice]:
        """Yield what fleets of the answer's make take for a question that may save, nothing where none holds."""
        found = self.again(asked).answer
        if found is not None:
            rate, gpus = self.answer.demand.rate, self._more(found, best)
            yield Advice(question=asked, rate=rate, found=found, saves=True, gpus=gpus, words=words)


def with_one_pool(warnings: tuple[str, ...], best: Candidate, alone: Candidate | None) -> tuple[str, ...]:
    """Return warnings, that of a router that must know outputs with what a fleet of one pool takes more, if known.

    What it says of that already is told anew.
    """
    size = "" if alone is None else f"{ONE_POOL}{_beyond(alone, best)}"
    bare = {one: one.partition(MUST_KNOW)[0] + MUST_KNOW for one in warnings if MUST_KNOW in one}
    return tuple(f"{bare[one]}{size}" if one in bare else one for one in warnings)


def _beyond(alone: Candidate, best: Candidate) -> str:
    """Return what a fleet takes more than another: GPUs where both are of the same types, else US dollars an hour."""
    more, dearer = alone.gpus - best.gpus, alone.cost_per_hour - best.cost_per_hour
    if alone.fleet.gpus_by_type.keys() == best.fleet.gpus_by_type.keys():
        return f"~{counted(more)} more" if more > 0 else "about as many GPUs"
    return f"~{units.dollars_per_hour(dearer)} more" if dearer > CENT else "for about as much"


def as_poisson(question: Question) -> Question | None:
    """Return a question whose requests come as Poisson's, None where parts of them do already."""
    if arrivals(question.arrivals).process.divides:
        return None
    return replace(question, arrivals=ARRIVALS.default.name, record=None)


def _make(candidate: Candidate) -> list[tuple[object, ...]]:
    """Return what the pools of a fleet run on, and where they divide."""
    return [(pool.gpu, pool.tp, pool.dtype, pool.up_to) for pool in candidate.fleet.pools]
