"""Trajectories that begin at once, on one layout of replicas and then on another, token by token.

Both layouts are runs of the one engine. The first stops where the wished number of trajectories is left: every replica
ends its present step. What each has then is the prompt of the second, with the tokens in its cache where caches move.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation import kernel, leaps
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine, State, prepare
from fleettui.simulation.run import play

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A whole run: seconds until its last trajectory ends, replica-seconds of steps, and who ended in which order."""

    makespan: float
    busy: float
    order: Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a run that stopped left, `at` seconds from its start, when every replica had ended its step.

    `index` are the trajectories that go on, with their `prompt`, the tokens that were put out in it, what of it is
    `cached`, and the `output` tokens that are still to come; arrays of shape (left,). `busy` are the replica-seconds of
    steps until then.
    """

    at: float
    busy: float
    index: Whole
    prompt: Whole
    cached: Whole
    output: Whole


def ended(engine: Engine, draws: Draws) -> Ended:
    """Return the run of all trajectories on one layout."""
    state = play([engine], draws, 0, draws.requests).state
    finish = state.requests["finish"]
    return Ended(
        makespan=float(finish.max()), busy=float(state.pools[0]["busy"]), order=np.argsort(finish, kind="stable")
    )


def stopped(engine: Engine, draws: Draws, last: int, *, leaping: bool = True) -> Left:
    """Return what is left when trajectory `last` has ended and every replica its present step."""
    assert engine.lanes == 1, "a pipeline has several steps at work"
    assert engine.drafting.width == 1, "drafts end steps with more than one token"
    state = prepare([engine], draws)
    kernel.run(state, last, last + 1, leaping)
    now = float(state.replicas["clock"].max())
    stop = _Stop(state=state, now=now)
    for index in np.flatnonzero(state.spot >= 0).tolist():
        stop.end_step(index)
    left = np.flatnonzero(np.isnan(state.requests["finish"]) & ~stop.over)
    requests = state.requests[left]
    generated = stop.generated[left]
    return Left(
        at=stop.at,
        busy=float(state.pools[0]["busy"]) + stop.busy,
        index=left,
        prompt=requests["prompt"] + generated,
        cached=stop.cached[left],
        output=requests["output"] - generated,
    )


def rest(left: Left, *, moved: bool) -> Draws:
    """Return what is left as the draws of the second layout, all there at once; caches are there if they `moved`.

    Of a cache that moved the last token put out is still to be computed.
    """
    count = len(left.index)
    return Draws(
        prompt=left.prompt.astype(np.int32),
        cached=left.cached.astype(np.int32) if moved else np.zeros(count, np.int32),
        output=left.output.astype(np.int32),
        pool=np.zeros(count, np.int32),
        tie=np.zeros(count),
        arrivals=np.zeros(count),
        thinking=np.zeros(0),
    )


def stretched(draws: Draws, *, chosen: NDArray[np.bool_], factor: float, longest: int) -> tuple[Draws, int]:
    """Return trajectories that all come at once, the outputs of `chosen` ones `factor` times as long, and how many
    were cut.

    No prompt and output together are above `longest` tokens; a prompt that is already leaves one token of output.
    """
    output = np.where(chosen, np.rint(draws.output * factor), draws.output).astype(np.int64)
    prompt = np.minimum(draws.prompt.astype(np.int64), longest)
    fits = np.minimum(output, longest - prompt + 1)
    found = replace(
        draws,
        prompt=prompt.astype(np.int32),
        cached=np.minimum(draws.cached, prompt - 1).astype(np.int32),
        output=fits.astype(np.int32),
        arrivals=np.zeros(draws.requests),
    )
    return found, int(((fits < output) | (prompt < draws.prompt)).sum())


@dataclass(kw_only=True)
class _Stop:
    """A run that stops `now`: what every trajectory has when its replica's step is over, at the latest `at`."""

    state: State
    now: float

    def __post_init__(self) -> None:
        count = len(self.state.requests)
        self.generated = self.state.requests["generated"].astype(np.int64)
        self.cached = np.zeros(count, np.int64)
        self.over = np.zeros(count, np.bool_)
        self.at, self.busy = self.now, 0.0

    def end_step(self, index: int) -> None:
        """Let a replica end the step that it is in; one that has just ended one has nothing at work.

        What is computed of a prompt whose first token is not out counts as not there.
        """
        replica = self.state.replicas[index]
        runs = replica["clock"] < self.now
        if runs and replica["leap"] > 1:
            leaps.shorten(replica, self.now)
        steps = int(replica["leap"]) if runs else 0
        if runs:
            self.at = max(self.at, float(replica["wake"]))
            self.busy += float(replica["wake"] - replica["clock"])
        fresh = self.state.fresh[index][: replica["fresh"]].tolist() if runs else []
        for place in np.flatnonzero(self.state.slots[index]["request"] >= 0).tolist():
            self._note(self.state.slots[index][place], int(replica["done"]) + steps, fresh=place in fresh)

    def _note(self, slot: Any, done: int, *, fresh: bool) -> None:
        number = int(slot["request"])
        request = self.state.requests[number]
        if slot["ends"] >= 0:
            self.generated[number] = int(request["output"]) - (int(slot["ends"]) - done)
        elif fresh:
            self.generated[number] += 1
        else:
            return
        self.cached[number] = int(request["prompt"]) + self.generated[number] - 1
        self.over[number] = self.generated[number] >= request["output"]
