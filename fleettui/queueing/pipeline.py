"""How much longer prompts make the steps of a pipeline, whose batches wait for each other's stages.

A replica of p stages runs p batches in turn, its lanes. Steps pass the stages in order and none overtakes another, so
that in a round, in which every lane takes one step, each lasts as long as the longest of them. Decodes differ little
from lane to lane, prompts much: what they add to a lane's step counts as the largest of p.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from fleettui.queueing.arrays import FloatArray

_POINTS = np.geomspace(1e-8, 1e5, 160)
"""Where the distribution of the largest is looked at, in means."""
_LEAST_SPREAD, _MOST_SPREAD = 1e-4, 1e4


def stall(lanes: int, coming: FloatArray, scv: FloatArray, fill: FloatArray) -> FloatArray:
    """Return E[max of p]/E[one] of the prompt tokens in the steps of p `lanes`: 1 for one lane, at most p.

    So many chunks come a step, as Poisson's, whose lengths have a squared coefficient of variation `scv`: the tokens of
    a step have (1 + scv)/coming, and a gamma distribution has that and the mean. Steps whose token budget is filled to
    a part `fill` on average scatter less in proportion, those that are always full not at all.

    >>> few = np.array([1e-3])
    >>> round(float(stall(4, few, np.array([1.0]), np.array([0.0]))[0]), 2)
    4.0
    >>> round(float(stall(2, 1e3 * few, np.array([0.0]), np.array([0.0]))[0]), 2)  # of two exponentials
    1.5
    """
    if lanes == 1:
        return np.ones_like(coming)
    spread = (1.0 + scv) / np.maximum(coming, 1.0 / _MOST_SPREAD) * (1.0 - np.clip(fill, 0.0, 1.0)) ** 2
    shape = 1.0 / np.clip(spread, _LEAST_SPREAD, _MOST_SPREAD)
    below = special.gammainc(shape[..., None], shape[..., None] * _POINTS)
    over = 1.0 - below
    largest, one = (np.trapezoid(_POINTS * beyond, np.log(_POINTS)) for beyond in (1.0 - below**lanes, over))
    found: FloatArray = np.clip(largest / one, 1.0, float(lanes))
    return found
