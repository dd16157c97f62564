"""Sessions of reasoning agents, token by token: the requests of a trace of them, and what a run of it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.agents import FIGURES, WARM, Agents, Template
from fleettui.domain.schedulers import ScheduledRun
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.rounds import Rounds
from fleettui.simulation.run import play

Whole = NDArray[np.int64]

BLOCK = 64
"""Tokens of a block that a session finds again: caches are looked through in larger ones than they are kept in."""


def work(agents: Agents, engine: Engine) -> float:
    """Return the seconds that a session's prompts take a replica on average by themselves, in full steps.

    Attention is left out: with long contexts replicas are busier than the load says.
    """
    seconds = engine.per_prompt + engine.base / engine.budget
    rows = ((1.0 - agents.share, agents.short), (agents.share, agents.heavy))
    return sum(weight * seconds * sum(fresh for fresh, _ in one) for weight, one in rows)


def rate_of(agents: Agents, engine: Engine) -> float:
    """Return the sessions per second that come to all replicas of an engine."""
    return agents.load * engine.replicas / work(agents, engine) if agents.rate is None else agents.rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The requests of sessions, with the session and the round of each, of shape (requests,); `heavy` per session."""

    draws: Draws
    session: Whole
    place: Whole
    heavy: NDArray[np.bool_]
    answers: Whole

    @property
    def sessions(self) -> int:
        """How many sessions there are."""
        return len(self.heavy)


def trace_of(agents: Agents, rate: float, rng: np.random.Generator, *, front_end: float = 0.0) -> Trace:
    """Return sessions that come at random at `rate` per second, and whose templates are drawn by the share.

    Requests are numbered round by round: all first rounds, then all second ones. Each takes `front_end` seconds in
    front of its replica.
    """
    count = agents.sessions
    heavy = rng.random(count) < agents.share
    begun = np.cumsum(rng.exponential(1.0 / rate, count))
    rounds = np.where(heavy, len(agents.heavy), len(agents.short))
    session = np.repeat(np.arange(count), rounds)
    place = np.concatenate([np.arange(each) for each in rounds])
    order = np.lexsort((session, place))
    session, place = session[order], place[order]
    output, prompt = (_by(agents, heavy[session], place, column) for column in range(2))
    ends = np.zeros((count, int(rounds.max()) + 1), np.int64)
    ends[session, place] = np.arange(len(session))
    last = place == rounds[session] - 1
    then = np.where(last, -1, ends[session, np.minimum(place + 1, ends.shape[1] - 1)])
    blocks = (prompt + output) // BLOCK
    most = blocks[last][np.argsort(session[last])]
    draws = Draws(
        prompt=prompt.astype(np.int32),
        cached=np.zeros(len(session), np.int32),
        output=output.astype(np.int32),
        pool=np.zeros(len(session), np.int32),
        tie=np.zeros(len(session)),
        arrivals=np.concatenate([begun, np.full(len(session) - count, np.nan)]),
        thinking=np.zeros(0),
        prefixes=Prefixes(
            size=BLOCK,
            offsets=session,
            known=blocks.astype(np.int32),
            runs=np.arange(count, dtype=np.int32),
            lengths=most.astype(np.int32),
        ),
        rounds=Rounds(
            begun=count,
            then=then.astype(np.int32),
            pause=np.full(len(session), agents.tool + front_end),
            gap=np.zeros(len(session)),
        ),
    )
    answers = np.flatnonzero(last)[np.argsort(session[last])]
    return Trace(draws=draws, session=session, place=place, heavy=heavy, answers=answers)


def _by(agents: Agents, heavy: NDArray[np.bool_], place: Whole, column: int) -> Whole:
    """Return the output or the whole prompt of each request, by its template and round."""
    found = np.zeros(len(place), np.int64)
    for template, own in ((agents.short, ~heavy), (agents.heavy, heavy)):
        found[own] = _columns(template)[column][place[own]]
    return found


def _columns(template: Template) -> tuple[Whole, Whole]:
    fresh, output = np.array(template, np.int64).T
    return output, np.cumsum(fresh + output) - output


def requests_of(trace: Trace, engine: Engine) -> Any:
    """Return the served requests of a trace on an engine's replicas, in the order of their numbers."""
    state = play([engine], trace.draws, 0, trace.draws.requests).state
    assert state.sessions is not None, "requests come in sessions"
    found = np.empty_like(state.requests)
    found[np.argsort(state.sessions.came, kind="stable")] = state.requests
    return found


def agents_run(trace: Trace, engine: Engine, *, index: int, front_end: float = 0.0) -> ScheduledRun:
    """Return what a run of a trace shows of FIGURES, without the sessions that came first.

    A session comes `front_end` seconds before its first round is at its replica.
    """
    requests = requests_of(trace, engine)
    answers, warm = requests[trace.answers], int(WARM * trace.sessions)
    wait = (answers["first"] - requests["arrival"][: trace.sessions] + front_end)[warm:]
    tpot = ((answers["finish"] - answers["first"]) / np.maximum(answers["output"] - 1, 1))[warm:]
    heavy = trace.heavy[warm:]
    hidden = int(trace.draws.output.sum()) - int(trace.draws.output[trace.answers].sum())
    found = {
        "attft_p95": _p95(wait),
        "attft": float(wait.mean()),
        "short_p95": _p95(wait[~heavy]),
        "heavy_p95": _p95(wait[heavy]),
        "tpot_p95": _p95(tpot),
        "hidden": hidden / float(requests["finish"].max()),
    }
    return ScheduledRun(index=index, values=tuple(found[one.name] for one in FIGURES))


def _p95(values: NDArray[np.float64]) -> float | None:
    return float(np.quantile(values, 0.95)) if len(values) else None
