"""Rounds of sessions, compiled: a request whose answer lets the next one come, and those that are due in a heap.

A round comes once the one before it is served. Who is turned away or leaves for good ends the session with that: its
later rounds are never asked for. Requests are counted as they come, which is not the order of their numbers then.
A run whose replicas keep no prefixes has none of these arrays, and the compiled loop is made without.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation import retries
from fleettui.simulation.compiled import part
from fleettui.simulation.due import next_due, push_due, take_due
from fleettui.simulation.rounds import Rounds


class SessionState(NamedTuple):
    """The sessions of a run, a row per request.

    `then`, `pause` and `gap` are as in Rounds, `home` is the replica that served the round before, `came` how many
    requests had come before it, each -1 where there is none yet. `due` is a heap of the rounds that are to come, as
    many as `waiting`; `counts` are the requests that begin sessions, those that came, and 1 where rounds are parts of
    one request, which have its number (-2 less it until they come) and end with its last.
    """

    then: NDArray[np.int32]
    pause: NDArray[np.float64]
    gap: NDArray[np.float64]
    home: NDArray[np.int32]
    came: NDArray[np.int64]
    due: NDArray[np.int32]
    waiting: NDArray[np.int64]
    counts: NDArray[np.int64]


def sessions_of(rounds: Rounds | None, requests: int) -> SessionState:
    """Return the sessions of so many requests at the start of a run; without `rounds` each is one of its own."""
    begun = requests if rounds is None else rounds.begun
    return SessionState(
        then=np.full(requests, -1, np.int32) if rounds is None else rounds.then,
        pause=np.zeros(requests) if rounds is None else rounds.pause,
        gap=np.zeros(requests) if rounds is None else rounds.gap,
        home=np.full(requests, -1, np.int32),
        came=np.full(requests, -1, np.int64),
        due=np.zeros(0 if rounds is None else begun, np.int32),
        waiting=np.zeros(1, np.int64),
        counts=np.array([begun, 0, rounds is not None and rounds.parts], np.int64),
    )


@part
def new_ones(own: Any, requests: Any) -> int:
    """Return how many requests come at times of their own."""
    return len(requests) if own is None else own.counts[0]


@part
def soonest(own: Any, requests: Any, known: float) -> float:
    """Return when a request comes next, of those whose times are `known` and of the rounds that are due."""
    return known if own is None else min(known, next_due(own.due, own.waiting, requests))


@part
def is_over(own: Any, soonest: float) -> bool:
    """Return whether nothing comes any more where sessions of its `own` may end early."""
    return False if own is None else soonest == np.inf


@part
def coming(own: Any, bounds: Any, requests: Any, new: int, is_round: bool) -> int:
    """Return the request that comes now: the `new` one, or if that is -1 one that comes again, or a session's round."""
    if own is None or not is_round:
        return retries.coming(bounds, requests, new)
    return int(take_due(own.due, own.waiting, requests))


@part
def number(own: Any, index: int) -> int:
    """Return how many requests had come before request `index`, which came; -1 where a part of it is to follow."""
    if own is None:
        return index
    return -1 if own.counts[2] > 0 and own.then[index] >= 0 else own.came[index]


@part
def count(own: Any, arrived: int) -> int:
    """Return how many requests have come, `arrived` of them at times of their own."""
    return arrived if own is None else own.counts[1]


@part
def note_coming(own: Any, index: int) -> None:
    """Note that a request comes, unless it comes again."""
    if own is not None:
        _note_coming(own, index)


@part
def see_home(own: Any, pool: Any, index: int) -> None:
    """Let a router see which of a pool's replicas served the round before, -1 where none of them did."""
    if own is not None:
        home = own.home[index]
        pool.home = home if pool.start <= home < pool.start + pool.replicas else -1


@part
def go_on(own: Any, requests: Any, index: int, replica: int) -> None:
    """Let the round that follows a request come in its time, if the request was served, by a replica."""
    if own is not None:
        _go_on(own, requests, index, replica)


@part
def _note_coming(own: Any, index: int) -> None:
    if own.came[index] < -1:
        own.came[index] = -2 - own.came[index]
    elif own.came[index] < 0:
        own.came[index] = own.counts[1]
        own.counts[1] += 1


@part
def _go_on(own: Any, requests: Any, index: int, replica: int) -> None:
    later = own.then[index]
    if later < 0 or math.isnan(requests[index].finish):
        return
    answered, asked = requests[index].finish + own.pause[later], requests[index].arrival + own.gap[later]
    requests[later].arrival = max(answered, asked)
    own.home[later] = replica
    if own.counts[2] > 0:
        own.came[later] = -2 - own.came[index]
    push_due(own.due, own.waiting, requests, later)
