"""What the fullest of the ranks has to do that hold the routed experts of a layer among them, by a step's tokens.

All ranks wait for the last one, so that a layer takes as long as its fullest rank. Tokens are drawn that choose `used`
experts each, no one twice, every expert as often as it is popular: by systematic sampling over experts in random order
(Madow, Annals of Mathematical Statistics 20, 1949). Their loads are counted in steps of 1 to 16,384 tokens. The draws
are of one seed, so that a load has one step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.domain.expert_load import ExpertLoad
from fleettui.hardware.operators import Floats

SEED = 20
DRAWN = 16_384
"""Tokens that are drawn for each order of the experts."""
ORDERS = 8
"""Orders in which popular experts are laid out over the ranks: those of so many layers."""
SHUFFLES = 64
"""Random orders of the experts in which tokens are drawn."""
MOST_STEPS = 256
"""Steps of one size that are counted."""
SIZES = tuple(sorted({round(one) for one in np.geomspace(1, DRAWN, 40).tolist()}))


@dataclass(frozen=True)
class FullestRank:
    """Over steps of `sizes` tokens, on average: pairs of token and expert on the fullest rank over those of a rank on
    average, and the experts on one that have a token, of the rank where most do.
    """

    sizes: Floats
    factors: Floats
    touched: Floats

    def factor(self, tokens: ArrayLike) -> Floats:
        """Return the fullest rank's tokens over those of a rank on average, for so many tokens of a step."""
        return self._at(tokens, self.factors)

    def experts(self, tokens: ArrayLike) -> Floats:
        """Return how many experts of a rank have a token, on the rank where most do."""
        return self._at(tokens, self.touched)

    def _at(self, tokens: ArrayLike, values: Floats) -> Floats:
        at = np.log(np.maximum(np.asarray(tokens, np.float64), 1.0))
        found: Floats = np.exp(np.interp(at, np.log(self.sizes), np.log(values)))
        return found


@cache
def fullest_rank(load: ExpertLoad, *, count: int, used: int, ranks: int, seed: int = SEED) -> FullestRank:
    """Return what the fullest of `ranks` has of `count` experts in their order, of which a token uses so many."""
    rng = np.random.default_rng([seed, count, used, ranks])
    orders = ORDERS if load.power else 1
    found = np.zeros((2, len(SIZES)))
    for _ in range(orders):
        chosen = _tokens(_shares(load, count, used, rng), used, rng)
        found += np.transpose([_loads(chosen, size, count, ranks) for size in SIZES])
    pairs, touched = found / orders
    sizes = np.array(SIZES, np.float64)
    return FullestRank(sizes, pairs * ranks / (used * sizes), touched)


def fullest_of_steps(
    load: ExpertLoad, tokens: int, steps: int, rng: np.random.Generator, *, count: int, used: int, ranks: int
) -> Floats:
    """Return the fullest rank's tokens over those of a rank on average, in steps of so many tokens of one layer.

    Shape (steps,).
    """
    chosen = _tokens(_shares(load, count, used, rng), used, rng, tokens * steps)
    by_rank = _counts(chosen, tokens, steps, count, ranks).sum(axis=2)
    found: Floats = by_rank.max(axis=1) / by_rank.mean(axis=1)
    return found


def _shares(load: ExpertLoad, count: int, used: int, rng: np.random.Generator) -> Floats:
    """Return the share of the tokens that each expert has: at most all of them, together `used`."""
    popular = np.array(load.counts, np.float64) if load.counts else np.arange(1.0, count + 1.0) ** -load.power
    if load.power:
        popular = rng.permutation(popular)
    shares = popular * used / popular.sum()
    while (shares > 1.0 + 1e-12).any():
        full = shares >= 1.0
        rest = popular[~full].sum()
        shares = np.where(full, 1.0, popular * (used - full.sum()) / rest)
    found: Floats = shares
    return found


def _tokens(shares: Floats, used: int, rng: np.random.Generator, most: int = DRAWN) -> NDArray[np.intp]:
    """Return the experts of so many tokens or a few more, of shape (tokens, used)."""
    each = -(-most // SHUFFLES)
    found = np.empty((each, SHUFFLES, used), np.intp)
    for place in range(SHUFFLES):
        order = rng.permutation(len(shares))
        ends = np.cumsum(shares[order])
        ends[-1] = used
        at = rng.random((each, 1)) + np.arange(used)
        found[:, place] = order[np.searchsorted(ends, at, side="right")]
    return found.reshape(-1, used)


def _loads(chosen: NDArray[np.intp], size: int, count: int, ranks: int) -> tuple[float, float]:
    """Return pairs on the fullest rank, and experts with a token on the rank where most have one: means over steps."""
    loads = _counts(chosen, size, min(DRAWN // size, MOST_STEPS), count, ranks)
    return float(loads.sum(axis=2).max(axis=1).mean()), float((loads > 0).sum(axis=2).max(axis=1).mean())


def _counts(chosen: NDArray[np.intp], size: int, steps: int, count: int, ranks: int) -> NDArray[np.intp]:
    """Return the tokens of each expert in the first steps of so many tokens, of shape (steps, ranks, experts)."""
    pairs = chosen[: steps * size].reshape(steps, -1) + count * np.arange(steps)[:, np.newaxis]
    return np.bincount(pairs.reshape(-1), minlength=steps * count).reshape(steps, ranks, count // ranks)
