"""Rounds of replications of one fleet until they prove something, wherever they are kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile
from typing import Protocol

from fleettui.domain.plan import LEAST_RUNS, MOST_RUNS, Evidence
from fleettui.domain.simulation import LOOK, PoolLength, Replication
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.worker_pool import WorkerPool, together

Replicate = Callable[[tuple[PoolLength, ...], int], Awaitable[Replication]]
"""Runs the replication of this index for these lengths."""
Tell = Callable[[int, int], None]
"""Hears how many replications are done of how many."""
MOST_REQUESTS = 10_000_000
"""Requests of one fleet's least proof beyond which a study does not simulate it: it would take minutes."""


class Staged(Protocol):
    """A fleet that is ready to be simulated: for how long, and why no length would do."""

    @property
    def lengths(self) -> tuple[PoolLength, ...]:
        """How long each pool is simulated."""

    @property
    def look(self) -> tuple[PoolLength, ...]:
        """The lengths of a short run."""

    @property
    def unstable(self) -> str:
        """Why no length would do, empty where one does."""


def takes_minutes(stage: Staged, most: int | None = None) -> bool:
    """Return whether the least proof of a fleet has more requests than `most`, MOST_REQUESTS unless given."""
    return LEAST_RUNS * sum(pool.requests for pool in stage.lengths) > (MOST_REQUESTS if most is None else most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Workers that judge replications of the fleets of one scene, of each fleet at most so many.

    `brief` proofs end early where a latency lingers at its limit.
    """

    workers: WorkerPool
    source: SceneSource
    seed: int
    precision: float
    most: int = MOST_RUNS
    brief: bool = False

    async def evidence(
        self,
        stage: Staged,
        replicate: Replicate,
        done: dict[int, Replication],
        tell: Tell,
        seen: Callable[[Evidence], None] = lambda _: None,
    ) -> Evidence:
        """Return the evidence on a fleet, replicating what is missing of those `done`, to which it is added.

        As many run at a time as there are workers; a failure stops the others. `seen` hears the evidence of each round.
        """

        async def one(index: int, wanted: int) -> None:
            done[index] = await replicate(stage.lengths, index)
            tell(sum(index in done for index in range(wanted)), wanted)

        if LOOK not in done:
            done[LOOK] = await replicate(stage.look, LOOK)
        evidence, wanted = await self._judge([done[LOOK]], stage, look=True)
        while wanted := min(wanted, self.most):
            missing = [index for index in range(wanted) if index not in done]
            tell(wanted - len(missing), wanted)
            await together(one(index, wanted) for index in missing)
            evidence, more = await self._judge(_from_the_first(done), stage)
            if evidence is not None:
                seen(evidence)
            wanted = more if min(more, self.most) > wanted else 0
        assert evidence is not None, "a look that is no evidence is followed by replications"
        return evidence

    async def is_open(self, stage: Staged, done: dict[int, Replication]) -> bool:
        """Return whether more runs than those `done` may still prove what a brief proof did not."""
        present = _from_the_first(done)
        if not self.brief or not present:
            return False
        _, more = await replace(self, brief=False)._judge(present, stage)
        return min(more, self.most) > len(present)

    async def _judge(
        self, replications: Sequence[Replication], stage: Staged, *, look: bool = False
    ) -> tuple[Evidence | None, int]:
        """Return the evidence of `replications` and how many there should be in all.

        A `look` that condemns nothing is no evidence; one that does wants no more.
        """
        return await self.workers.run(
            "verification-judge",
            tuple[Evidence | None, int],
            source=self.source,
            replications=[one.bare for one in replications],
            precision=self.precision,
            seed=self.seed,
            unstable=stage.unstable,
            look=look,
            brief=self.brief,
        )


def _from_the_first(done: dict[int, Replication]) -> list[Replication]:
    """Return the replications from the first to the last before a gap: earlier proof may have made more."""
    return [done[index] for index in takewhile(done.__contains__, count())]
