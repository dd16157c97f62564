"""Give a candidate its evidence: replications until the interval is narrow enough, each stored as it finishes.

How many replications there are follows from those that are finished, never from who ran them or when, so the
evidence is the same for any number of workers, and after a stop and a resume.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from fleettui.domain.advice import advised_budget, told_once
from fleettui.domain.anchor import Anchor
from fleettui.domain.decisive import Decisive
from fleettui.domain.fleet import Fleet
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.plan import Answer, Candidate, Evidence, Look
from fleettui.domain.progress import Progress
from fleettui.domain.redundancy import Redundancy, SeenServing, Serving
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.domain.size_curve import SizeCurve
from fleettui.errors import InputError
from fleettui.planning.anchors import anchors_of
from fleettui.planning.fleet_count import intervals
from fleettui.planning.fleet_limits import FleetLimits
from fleettui.planning.overload import evidence_against
from fleettui.planning.prepared_fleet import PreparedFleet, SceneSource, prepared
from fleettui.planning.proven_advice import ProvenAdvice
from fleettui.planning.rounds import Rounds
from fleettui.planning.surest_rate import how_sure
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulator:
    """Workers that simulate the fleets of one plan."""

    store: Store
    workers: WorkerPool
    source: SceneSource
    seed: int
    report: Report | None = None

    async def stage(self, fleet: Fleet, sizes: Sequence[int]) -> PreparedFleet:
        """Return `fleet` at other sizes, scored, and the lengths of its simulation."""
        return await prepared(self.workers, self.source, fleet, sizes)

    async def curves(self, fleets: Sequence[Fleet]) -> list[tuple[SizeCurve, ...]]:
        """Return what the formulas say of each pool of `fleets`, which a search found, at other sizes."""
        return await self.workers.run(
            "verification-curves", list[tuple[SizeCurve, ...]], source=self.source, fleets=fleets
        )

    async def replicate(self, candidate: Candidate, lengths: tuple[PoolLength, ...], index: int) -> Replication:
        """Return a replication of a stored candidate; it is stored too."""
        replication = await self.workers.run(
            "verification-replicate",
            Replication,
            self.report,
            source=self.source,
            fleet=candidate.fleet,
            lengths=lengths,
            seed=self.seed,
            index=index,
        )
        self.store.add_replication(candidate.candidate, self.seed, replication)
        return replication

    def tell_aside(self, words: str, done: int, wanted: int) -> None:
        """Say how many of how many runs are done that are no part of a proof, and of what."""
        if self.report:
            self.report(Progress(message=words, done=done, total=wanted))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prover(Simulator):
    """What a verification works with. `note` is told how many replications are done of how many, and on what."""

    question: Question
    precision: float
    note: Callable[[int, int, str], None]

    async def prove(self, candidate: Candidate, stage: PreparedFleet) -> Evidence:
        """Return the evidence on a stored candidate, simulating what is missing; it is stored too, once.

        Evidence that was stored before pools had verdicts is left aside: its replications are judged again. So are
        those that proved nothing, as a brief proof may have left them.
        A fleet that is asked for more than it can do is not simulated: its queue would grow for as long as one looks,
        unless that is bounded.
        """
        evidence, _ = await self.proof(candidate, stage)
        return evidence

    async def proof(self, candidate: Candidate, stage: PreparedFleet) -> tuple[Evidence, bool]:
        """Return the same, and that no more runs would change it."""
        return await self._proof(candidate, stage, brief=False)

    async def begin_proof(self, candidate: Candidate, stage: PreparedFleet) -> tuple[Evidence, bool]:
        """Return the same, in few runs where a latency lingers at its limit, and whether more may prove it.

        Evidence that more runs may change is not stored; the runs are.
        """
        return await self._proof(candidate, stage, brief=True)

    async def _proof(self, candidate: Candidate, stage: PreparedFleet, *, brief: bool) -> tuple[Evidence, bool]:
        known = self.store.verifications(candidate.candidate)[-1:]
        same = bool(known) and (known[0].seed, known[0].precision) == (self.seed, self.precision)
        if same and _is_ruled(known[0]) and known[0].verdict != "unproven":
            return known[0], False
        open_ = False
        endless = self.question.demand.form != "concurrency" and not self.question.bounds.any
        if endless and _fails(max(stage.utilization)):
            evidence = evidence_against(
                candidate, stage.utilization, _fails, _endless, seed=self.seed, precision=self.precision
            )
        else:
            evidence, open_ = await self._simulate(candidate, stage, brief=brief)
        if not open_ and [evidence] != [*known]:
            self.store.add_verification(candidate.candidate, evidence)
        return evidence, open_

    async def with_confidence(self, answer: Answer, limits: FleetLimits | None = None) -> Answer:
        """Return an answer with how sure its size is and what decides it, by what its simulated candidates showed.

        `limits` are those of its fleet, where looks were taken at it. What is simulated for it is kept with it.

        It stays as it is where that is not known: without a fleet, and in a closed loop, whose rate is another at other
        speeds. How sure it is takes an error of its speeds, or an input that was typed as a range.
        """
        best, closed = answer.answer, self.question.demand.form == "concurrency"
        if best is None or closed or self.question.preset == "paper":
            return answer
        limits = limits or self.limits(answer, best)
        if not any(one.seen for one in limits.anchors):
            return answer
        sure = await how_sure(limits) if best.model_error or limits.question.ranges else answer.confidence
        decisive = await self.workers.run(
            "decisive", list[Decisive], source=limits.source, fleet=best.fleet, anchors=limits.anchors
        )
        looks = tuple(look for look in limits.looks if look.candidate is not best)
        return replace(answer, decides=next(iter(decisive), None), confidence=sure, looks=looks)

    def limits(self, answer: Answer, fleet: Candidate, looks: Sequence[Look] = ()) -> FleetLimits:
        """Return the limits of a fleet as the candidates of an answer and `looks` show them."""
        return FleetLimits.of(self.workers, self.source, answer, fleet, self.tell_aside, looks=looks)

    async def with_redundancy(self, answer: Answer) -> Answer:
        """Return an answer with how its fleet stands failures, by what its simulated candidates showed.

        It stays as it is without a fleet or failures, under the papers' preset, and in a closed loop.
        """
        best, question = answer.answer, self.question
        known = question.availability is not None or question.failures is not None
        if best is None or not known or question.demand.form == "concurrency" or question.preset == "paper":
            return answer
        source = self.source
        anchors = anchors_of(answer, source.question)
        try:
            seen = await self._with_spares_up(best, source, anchors)
            found = await self.workers.run(
                "redundancy", Redundancy, source=source, fleet=best.fleet, anchors=anchors, seen=seen
            )
        except InputError:  # a fleet that was given need not be one that the formulas can size
            return answer
        return replace(answer, redundancy=found)

    async def _with_spares_up(
        self, best: Candidate, source: SceneSource, anchors: tuple[Anchor, ...]
    ) -> tuple[SeenServing, ...]:
        """Return what the fleet came to in its proof, and with its spare replicas serving, too, in a few runs."""
        evidence, spares = best.simulation, [pool.spares for pool in best.fleet.pools]
        if evidence is None:
            return ()
        needed = tuple(pool.replicas for pool in best.fleet.pools)
        found = [_serving(needed, evidence)]
        if any(spares):
            limits = FleetLimits(
                workers=self.workers,
                source=source,
                fleet=best,
                seed=self.seed,
                precision=self.precision,
                known=anchors,
                purpose="with spares",
                tell=self.tell_aside,
            )
            every = tuple(own + more for own, more in zip(needed, spares, strict=True))
            look = await limits.look(every, source.rate)
            found += [] if look is None or look.evidence.method == "formula" else [_serving(every, look.evidence)]
        return tuple(found)

    async def with_warnings(self, answer: Answer, *, advise: bool) -> Answer:
        """Return an answer with the warnings that are true of its proven fleet.

        The candidates of `answer` are all fleets that were simulated. With `advise` other questions are tried, too, and
        the warnings say what their fleets would take.
        """
        advice = ProvenAdvice(
            workers=self.workers, source=self.source, answer=answer, seed=self.seed, tell=self.tell_aside
        )
        told = await advice.told() if advise else {}
        warnings = *await advice.corrected(), *told
        return replace(
            answer,
            why=told_once(answer.why, warnings),
            warnings=warnings,
            advised_budget=advised_budget(told.values(), self.source.question),
        )

    async def sizes_for(
        self, share: float, known: Sequence[tuple[Fleet, tuple[Anchor, ...]]]
    ) -> list[tuple[int, ...] | None]:
        """Return of each fleet, its pools' anchors known, the replicas that suffice in a share of the cases.

        None where no size does.
        """
        return await self.workers.run(
            "confidence-sizes",
            list[tuple[int, ...] | None],
            source=self.source,
            fleets=[fleet for fleet, _ in known],
            anchors=[own for _, own in known],
            share=share,
        )

    async def _simulate(self, candidate: Candidate, stage: PreparedFleet, *, brief: bool) -> tuple[Evidence, bool]:
        rounds = Rounds(workers=self.workers, source=self.source, seed=self.seed, precision=self.precision, brief=brief)
        done = {one.index: one for one in self.store.replications(candidate.candidate, self.seed)}
        evidence = await rounds.evidence(
            stage,
            partial(self.replicate, candidate),
            done,
            partial(self.tell, _simulating(candidate)),
            partial(self._show, candidate),
        )
        return evidence, evidence.verdict == "unproven" and await rounds.is_open(stage, done)

    def tell(self, words: str, done: int, wanted: int) -> None:
        """Say how many of how many replications are done, and of what."""
        self.note(done, wanted, words)
        self.tell_aside(words, done, wanted)

    def say(self, words: str) -> None:
        """Say what was found before the work ends."""
        if self.report:
            self.report(Progress(message=words, news=words))

    def _show(self, candidate: Candidate, evidence: Evidence) -> None:
        """Tell how narrow the intervals are after the runs so far."""
        if self.report:
            runs, found = evidence.replications, intervals(evidence, self.question.slo)
            self.report(Progress(message=_simulating(candidate), done=runs, total=runs, intervals=found))


def _serving(replicas: tuple[int, ...], seen: Evidence) -> SeenServing:
    pools = (Serving(ttft=one.ttft.value, holds=one.verdict == "pass", simulated=True) for one in seen.pools)
    return SeenServing(replicas=replicas, pools=tuple(pools))


def _fails(busy: float) -> bool:
    return busy >= 1.0


def _endless(pool: str, busy: float) -> str:
    return f"pool {pool} is asked for {busy:.2f} times what it can do: its queue grows without end"


def _is_ruled(evidence: Evidence) -> bool:
    """Return whether some pool has a verdict, as in every evidence from a simulation that had verdicts to give."""
    return any(pool.verdict is not None for pool in evidence.pools)


def _simulating(candidate: Candidate) -> str:
    return f"simulating {fleet_words(candidate.fleet)}"
