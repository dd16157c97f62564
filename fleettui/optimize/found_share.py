"""What replicas' caches find of prompts, by formula: by their memory, how many there are, and the router."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from fleettui.domain.hardware import Profile
from fleettui.domain.kv_offload import offload
from fleettui.domain.prefixes import PrefixRecord
from fleettui.domain.scenario import Question
from fleettui.domain.sessions import SessionRecord
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.latency import PoolLoad
from fleettui.routing import ROUTERS

if TYPE_CHECKING:
    from fleettui.queueing.reuse import Reuse

ROUNDS = 4
"""How often what running requests hold is worked out anew from what is found, which hardly moves after two."""

LoadAt = Callable[[float], PoolLoad]
"""Returns the load of a pool, a row, when a share of its prompt tokens is found."""
LoadOf = Callable[[float, float], PoolLoad | None]
"""Returns the same of so many replicas that serve all requests, None where a request fits in none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundShare:
    """What is found of a question's prompts."""

    question: Question

    @classmethod
    def of(cls, question: Question) -> FoundShare | None:
        """Return it, None where no prefixes are kept or nothing tells of them, and behind a router that goes by loads.

        There, who comes again soon finds its replica oftener than at random, since that has just lost a request: the
        question's share, that of one cache without limit, stays, and the simulation decides.
        """
        kept = question.prefix_cache and not (question.prefixes is None and question.rounds is None)
        router = ROUTERS.named(question.router)
        return cls(question=question) if kept and (router.together or not router.knows) else None

    def settled(
        self, load_at: LoadAt, *, profile: Profile, blocks: int, lengths: tuple[int, int], total: float
    ) -> float:
        """Return the share that replicas of `profile` with so many `blocks` find of requests of these `lengths`.

        Requests of all lengths come at `total` per second.
        """
        hit, together = self.question.prefix_hit, ROUTERS.named(self.question.router).together
        reuse = _reuse(self.question.rounds, self.question.prefixes, lengths)
        for _ in range(ROUNDS):
            load = load_at(hit)
            share = partial(
                reuse.share,
                rate=float(load.arrival_rate[0]),
                replicas=float(load.lanes[0]),
                together=together,
                copies=self._copies(total),
            )
            room = max(blocks * profile.block_size - _running(load), 0.0)
            hit = near = share(room=room)
            if self.question.kv_offload:
                beside, spared = _beside(self.question.kv_offload, profile, load)
                hit += (share(room=room + beside) - near) * spared
        return hit

    def agreed(
        self, load_of: LoadOf, size: Callable[[PoolLoad], FloatArray], *, profile: Profile, context: int
    ) -> float:
        """Return the share that as many replicas of `profile` find as one pool for all requests takes by `size`.

        How many these are rests on the share: both are worked out in turn until they agree.
        """
        hit, tried = self.question.prefix_hit, set[float]()
        while True:
            load = load_of(hit, 1.0)
            replicas = math.inf if load is None else float(size(load)[0])
            if load is None or math.isinf(replicas) or replicas in tried:
                return hit
            tried.add(replicas)
            hit = self.settled(
                partial(_loaded, load_of, replicas),
                profile=profile,
                blocks=profile.kv_blocks,
                lengths=(0, context),
                total=float(load.arrival_rate[0]),
            )

    def _copies(self, total: float) -> int:
        """Return how often a trace with hashes is laid over itself to come so often."""
        record = self.question.prefixes
        return 1 if record is None or record.rate is None else max(1, round(total / record.rate))


@lru_cache(maxsize=16)
def _reuse(rounds: SessionRecord | None, prefixes: PrefixRecord | None, lengths: tuple[int, int]) -> Reuse:
    from fleettui.optimize import accesses
    from fleettui.queueing.reuse import Reuse

    if rounds is not None:
        return Reuse.of(accesses.of_sessions(rounds, lengths))
    assert prefixes is not None, "something tells what is shared"
    return Reuse.of(accesses.of_prefixes(prefixes, lengths))


def _beside(said: str, profile: Profile, load: PoolLoad) -> tuple[float, float]:
    """Return the tokens that the memory beside a replica holds, and the share of their prefill that fetching spares.

    What is dropped goes there and comes back, so that both hold together what one cache of both sizes would; a token
    that is fetched takes a part of what it takes to compute, and nothing is fetched where that is more.
    """
    own, size = offload(said), profile.kv_bytes_per_token
    fetched = own.seconds(size, profile.tp) / float(load.service.per_prompt[0])
    return float(own.blocks(size, profile.tp)), max(1.0 - fetched, 0.0)


def _loaded(load_of: LoadOf, replicas: float, share: float) -> PoolLoad:
    load = load_of(share, replicas)
    assert load is not None, "requests fit whatever is found of them"
    return load


def _running(load: PoolLoad) -> float:
    """Return the tokens that a replica's running requests hold on average."""
    places = float(load.service.concurrency[0])
    batch = float(np.nan_to_num(load.occupancy.batch[0], nan=places, posinf=places))
    return min(batch, places) * float(load.moments.mean_context[0])
