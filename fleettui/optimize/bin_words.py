"""How many tokens CUDA-graph bins pad to how many, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from fleettui.domain.graph_bins import padded
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate

SPREAD = 6.0
"""Standard deviations of a Poisson count beyond which nothing is summed."""


def bin_words(answer: Candidate, profiles: Sequence[Profile]) -> tuple[str, ...]:
    """Return a sentence for each pool whose steps are padded."""
    return tuple(_sentences(answer, profiles))


def _sentences(answer: Candidate, profiles: Sequence[Profile]) -> Iterator[str]:
    batches = {one.name: one.batch for one in answer.pools}
    for pool, profile in zip(answer.fleet.pools, profiles, strict=True):
        if not profile.graph_bins:
            continue
        batch = min(batches[pool.name], float(pool.concurrency))
        more = inflation(batch, profile.graph_bins, profile.drafting.width)
        yield (
            f"pool {pool.name}: {len(profile.graph_bins)} graph bins up to {profile.graph_bins[-1]:,} tokens pad its "
            f"decodes by {more:.0%} at its batch of {batch:.3g}"
        )


def inflation(batch: float, ladder: Sequence[int], width: int = 1) -> float:
    """Return the padded slots for each token of decode steps, where so many sequences on average run at once.

    They scatter as Poisson's counts, and steps without any are none. A sequence takes `width` tokens.
    """
    apart = SPREAD * math.sqrt(batch) + SPREAD
    real = slots = 0.0
    for count in range(max(1, int(batch - apart)), int(batch + apart) + 1):
        weight = math.exp(count * math.log(batch) - batch - math.lgamma(count + 1.0))
        real += weight * count * width
        slots += weight * padded(count * width, ladder)
    return slots / real - 1.0 if real else 0.0
