"""A decode step whose attention and feed-forward layers run on GPUs of their own (attention/FFN disaggregation, AFD).

A step's sequences are divided into micro-batches, which take turns: while one is at the attention of a layer, another
is at the feed-forward part of it or on the links between them (Frontier, Section 3.2 and Algorithm 1). Each of the two
roles serves one micro-batch at a time, in order; links carry any number at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.errors import InputError

Floats = NDArray[np.float64]


def step_seconds(
    layers: int, micro_batches: int, attention: ArrayLike, feed_forward: ArrayLike, transfer: ArrayLike
) -> Floats:
    """Return the seconds of a step whose layers and micro-batches are all alike, broadcasting over the three times.

    `attention`, `feed_forward` and `transfer` (one way) are the seconds of one micro-batch in one layer: a, f and c.
    T = (L − 1)·max(M·a, M·f, a + f + 2c) + (a + f + 2c) + (M − 1)·max(a, f): a layer takes as long as its busier role
    works for all micro-batches, or as one of them needs to come round. It is what `by_recurrence` gives.
    Raises InputError below one layer or micro-batch, and for times below zero.

    >>> step_seconds(2, 3, 1.0, 2.0, 0.0).tolist()
    13.0
    """
    _check(layers, micro_batches)
    a, f, c = (np.asarray(one, np.float64) for one in (attention, feed_forward, transfer))
    for name, one in (("attention", a), ("feed-forward", f), ("transfer", c)):
        if not np.all(one >= 0.0):
            raise InputError(f"the seconds of {name} are below zero", value=float(np.min(one)), accepted="0 or more")
    around, busier = a + f + 2.0 * c, np.maximum(a, f)
    found: Floats = (layers - 1) * np.maximum(micro_batches * busier, around) + around + (micro_batches - 1) * busier
    return found


def by_recurrence(attention: ArrayLike, feed_forward: ArrayLike, transfer: ArrayLike) -> float:
    """Return the seconds of a step event by event, where times differ: each of shape (layers, micro-batches).

    A micro-batch begins the attention of a layer when it is back from the layer before and the one before it is done;
    its feed-forward part when it has arrived there and that of the one before it is done. Experts that are chosen
    unevenly, and micro-batches of unlike size, make the times unlike. Raises InputError for shapes that differ.

    >>> by_recurrence(np.ones((2, 3)), np.full((2, 3), 2.0), np.zeros((2, 3)))
    13.0
    """
    a, f, c = (np.asarray(one, np.float64) for one in (attention, feed_forward, transfer))
    if a.ndim != 2 or not a.shape == f.shape == c.shape:
        raise InputError(
            "a step's times have unlike shapes",
            value=", ".join(map(str, (a.shape, f.shape, c.shape))),
            accepted="three arrays of shape (layers, micro-batches)",
        )
    layers, micro_batches = a.shape
    _check(layers, micro_batches)
    back = [0.0] * micro_batches
    attention_free = feed_forward_free = 0.0
    for layer in range(layers):
        for place in range(micro_batches):
            attention_free = max(attention_free, back[place]) + float(a[layer, place])
            moved = float(c[layer, place])
            feed_forward_free = max(feed_forward_free, attention_free + moved) + float(f[layer, place])
            back[place] = feed_forward_free + moved
    return max(back)


def _check(layers: int, micro_batches: int) -> None:
    for name, count in (("layer", layers), ("micro-batch", micro_batches)):
        if count < 1:
            raise InputError(f"a step has no {name}", value=count, accepted="1 or more")
