"""Give a candidate its evidence: replications until the interval is narrow enough, each stored as it finishes.

How many replications there are follows from those that are finished, never from who ran them or when, so the
evidence is the same for any number of workers, and after a stop and a resume.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate, Estimate, Evidence, PoolEvidence
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import DerivedDemand, Question
from fleettui.domain.serialization import decode, encode, from_plain, to_plain
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.domain.workload import Workload
from fleettui.planning.worker_pool import WorkerPool, together
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store

LOOK = 2**31 - 1
"""The index of the short look, whose streams no replication shares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedFleet:
    """A fleet as the formulas see it, how long it must be simulated, and the demand where that is the fleet's own."""

    candidate: Candidate
    lengths: tuple[PoolLength, ...]
    look: tuple[PoolLength, ...]
    utilization: tuple[float, ...]
    unstable: str
    demand: DerivedDemand | None
    spares: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prover:
    """What a verification works with. `note` is told how many replications are done of how many, and on what."""

    store: Store
    workers: WorkerPool
    scene: dict[str, Any]
    question: Question
    seed: int
    precision: float
    note: Callable[[int, int, str], None]
    report: Report | None = None

    async def stage(self, fleet: Fleet, replicas: Sequence[int]) -> PreparedFleet:
        """Return `fleet` at other sizes, scored, and the lengths of its simulation."""
        payload = {**self.scene, "fleet": to_plain(fleet), "replicas": list(replicas)}
        found = await self.workers.run("verification-stage", payload)
        return PreparedFleet(
            candidate=from_plain(Candidate, found["candidate"]),
            lengths=from_plain(tuple[PoolLength, ...], found["lengths"]),
            look=from_plain(tuple[PoolLength, ...], found["look"]),
            utilization=tuple(found["utilization"]),
            unstable=found["unstable"],
            demand=None if found["demand"] is None else from_plain(DerivedDemand, found["demand"]),
            spares=tuple(found["spares"]),
            warnings=tuple(found["warnings"]),
        )

    async def prove(self, candidate: Candidate, stage: PreparedFleet) -> Evidence:
        """Return the evidence on a stored candidate, simulating what is missing; it is stored too, once.

        Evidence that was stored before pools had verdicts is left aside: its replications are judged again.
        A fleet that is asked for more than it can do is not simulated: its queue would grow for as long as one looks.
        """
        known = self.store.verifications(candidate.candidate)[-1:]
        if known and (known[0].seed, known[0].precision) == (self.seed, self.precision) and _is_ruled(known[0]):
            return known[0]
        if self.question.demand.form != "concurrency" and max(stage.utilization) >= 1.0:
            evidence = self._overloaded(candidate, stage.utilization)
        else:
            evidence = await self._simulate(candidate, stage)
        self.store.add_verification(candidate.candidate, evidence)
        return evidence

    async def _simulate(self, candidate: Candidate, stage: PreparedFleet) -> Evidence:
        done = {one.index: one for one in self.store.replications(candidate.candidate, self.seed)}
        if LOOK not in done:
            done[LOOK] = await self._replicate(candidate, stage.look, LOOK)
        evidence, wanted = await self._judge([done[LOOK]], stage, look=True)
        while wanted:
            missing = [index for index in range(wanted) if index not in done]
            self._tell(candidate, wanted - len(missing), wanted)
            await self._replicate_all(candidate, stage, missing, done, wanted)
            evidence, more = await self._judge(_from_the_first(done), stage)
            wanted = more if more > wanted else 0
        assert evidence is not None, "a look that is no evidence is followed by replications"
        return evidence

    async def _replicate_all(
        self,
        candidate: Candidate,
        stage: PreparedFleet,
        missing: Sequence[int],
        done: dict[int, Replication],
        wanted: int,
    ) -> None:
        """Run the replications `missing`, as many at a time as there are workers; a failure stops the others."""

        async def one(index: int) -> None:
            done[index] = await self._replicate(candidate, stage.lengths, index)
            self._tell(candidate, sum(index in done for index in range(wanted)), wanted)

        await together(one(index) for index in missing)

    async def _replicate(self, candidate: Candidate, lengths: tuple[PoolLength, ...], index: int) -> Replication:
        payload = {
            **self.scene,
            "fleet": to_plain(candidate.fleet),
            "lengths": to_plain(lengths),
            "seed": self.seed,
            "index": index,
        }
        found = await self.workers.run("verification-replicate", payload, self.report)
        replication = decode(Replication, found["replication"])
        self.store.add_replication(candidate.candidate, self.seed, replication)
        return replication

    async def _judge(
        self, replications: Sequence[Replication], stage: PreparedFleet, *, look: bool = False
    ) -> tuple[Evidence | None, int]:
        """Return the evidence of `replications` and how many there should be in all.

        A `look` that condemns nothing is no evidence; one that does wants no more.
        """
        payload = {
            **self.scene,
            "replications": [to_plain(replace(one, pools=tuple(_slim(one)))) for one in replications],
            "precision": self.precision,
            "seed": self.seed,
            "unstable": stage.unstable,
            "look": look,
        }
        found = await self.workers.run("verification-judge", payload)
        evidence = None if found["evidence"] is None else from_plain(Evidence, found["evidence"])
        return evidence, found["wanted"]

    def _overloaded(self, candidate: Candidate, utilization: Sequence[float]) -> Evidence:
        """Return the evidence against a fleet that cannot keep up, which takes no simulation."""
        rows = list(zip(candidate.fleet.pools, candidate.pools, utilization, strict=True))
        worst, _, busy = max(rows, key=lambda row: row[2])
        return Evidence(
            method="formula",
            verdict="fail",
            seed=self.seed,
            precision=self.precision,
            reason=f"pool {worst.name} is asked for {busy:.2f} times what it can do: its queue grows without end",
            ttft=Estimate(value=None),
            attainment=Estimate(value=None),
            pools=tuple(
                PoolEvidence(
                    name=pool.name,
                    ttft=Estimate(value=None),
                    tpot=Estimate(value=None),
                    utilization=one,
                    batch=figures.batch if one < 1 else float(pool.concurrency),
                    verdict=None if one < 1 else "fail",
                )
                for pool, figures, one in rows
            ),
        )

    def _tell(self, candidate: Candidate, done: int, wanted: int) -> None:
        words = " + ".join(f"{pool.replicas}x {pool.gpu} tp{pool.tp}" for pool in candidate.fleet.pools)
        self.note(done, wanted, f"simulating {words}")
        if self.report:
            self.report(Progress(message=f"simulating {words}", done=done, total=wanted))


def scene_payload(
    question: Question,
    workload: Workload,
    demand: DerivedDemand,
    key: str,
    profiles: tuple[Profile, ...] = (),
) -> dict[str, Any]:
    """Return what every task of a verification is given; `key` tells one plan from another.

    Hardware that is not among the kept `profiles` is the catalogue's.

    The workload is text already: it is long, goes with every task, and is read only by a worker that lacks the scene.

    A finished plan may have another demand than it had before, and a worker may hold the scene of that.
    """
    return {
        "scene": f"{key} {demand.pairing} {demand.rate!r}",
        "question": to_plain(question),
        "workload": encode(Workload, workload),
        "hardware": encode(tuple[Profile, ...], profiles),
        "pairing": demand.pairing,
        "rate": demand.rate,
    }


def _is_ruled(evidence: Evidence) -> bool:
    """Return whether some pool has a verdict, as in every evidence from a simulation that had verdicts to give."""
    return any(pool.verdict is not None for pool in evidence.pools)


def _from_the_first(done: dict[int, Replication]) -> list[Replication]:
    """Return the replications from the first to the last before a gap: earlier proof may have made more."""
    return [done[index] for index in takewhile(done.__contains__, count())]


def _slim(replication: Replication) -> list[Any]:
    return [replace(pool, histograms=()) for pool in replication.pools]
