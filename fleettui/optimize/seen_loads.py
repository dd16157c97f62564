"""What a load that was seen in production says of the sizes of a pool: near it, step times are known better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fleettui.domain.fleet import Pool
from fleettui.domain.scenario import Question
from fleettui.domain.seen_load import SeenLoad
from fleettui.domain.workload import Atom
from fleettui.optimize.operating_points import mean_lengths
from fleettui.queueing.arrays import FloatArray


def seen_load(pool: Pool, question: Question, atoms: Sequence[Sequence[Atom]]) -> SeenLoad | None:
    """Return the load of a pool's hardware that the question's own fit has seen of such requests, None where none.

    They are the `atoms` of each time slice; what prefix caches find is told by no mean.
    """
    server = None if question.prefix_cache else question.fit_of(pool)
    if server is None or not atoms:
        return None
    means = [mean_lengths(one) for one in atoms]
    hit, settings = question.prefix_hit, pool.settings
    return next((one for one in server.seen if all(one.is_of(*own, hit, settings) for own in means)), None)


def as_seen(
    needed: FloatArray, close: FloatArray, ring: tuple[FloatArray, FloatArray], *, slower: np.ndarray
) -> FloatArray:
    """Return the replicas that are `needed`, where with those in a `ring` of sizes as many suffice as `close` says.

    At step times that are `slower` than predicted it is fewer, or the first of the ring, at others it is more.
    """
    least, most = ring
    inside = np.maximum(close, least)
    fewer = np.where(inside <= most, np.minimum(needed, inside), needed)
    more = np.where((close >= least) & (close <= most), close, needed)
    return np.where(slower, fewer, more)
