"""Requests in sessions: each session one of a record, begun by an arrival process, at any rate.

Sessions that began before the run are there from its start, from the round on that would come next if answers took no
time: requests come at their full rate at once, and caches fill as rounds come.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.sessions import Round, SessionRecord, rounds_of, shared
from fleettui.domain.simulation import Traffic
from fleettui.simulation.draws import Draws, stream, times
from fleettui.simulation.prefixes import Prefixes, runs_of
from fleettui.simulation.rounds import Rounds

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

BLOCK = 64
"""Tokens of which one hash stands, as in llm-d's index: what is found is up to as many fewer than an engine's."""
MORE = 1.05
"""How many more sessions than expected are drawn, beside SIGMAS standard deviations."""
SIGMAS = 6.0


class Table(NamedTuple):
    """A record as arrays: a row per round, those of a session one after the other, and one per session.

    `at` are seconds from when its session began, if answers took no time. A round has `known` blocks, those of the runs
    in `runs` from `listed` on; the runs of session s stand there from `first_run[s]` on. Run r has `lengths[r]` blocks;
    those below `common` are of all sessions, those from `own[s]` to `own[s + 1]` of session s alone.
    """

    first: Whole
    rounds: Whole
    prompt: Whole
    output: Whole
    wait: Floats
    at: Floats
    listed: Whole
    known: Whole
    first_run: Whole
    runs: NDArray[np.int32]
    lengths: NDArray[np.int32]
    own: Whole
    common: int

    @classmethod
    def of(cls, record: SessionRecord, *, keeps: bool) -> Table:
        """Return a record's table; nothing is known of any block where replicas do not keep what they computed."""
        common = record.common // BLOCK
        rows, parts, listed, sizes, fresh = [], [], list[int](), [0], [common]
        for row in record.rows:
            session = list(rounds_of(row))
            rows += session
            texts, starts = np.zeros(0, np.int64), [0] * len(session)
            if keeps:
                texts, starts, later = _texts(session, common, fresh[-1])
                fresh.append(later)
            listed += [sizes[-1] + start for start in starts]
            parts.append(texts)
            sizes.append(sizes[-1] + len(texts))
        counts = np.array([len(row) // 3 for row in record.rows], np.int64)
        prompt, output, wait = (np.array(column) for column in zip(*rows, strict=True))
        first = np.cumsum(counts) - counts
        ends = np.cumsum(wait)
        blocks = np.concatenate(parts)
        begins = np.zeros(len(blocks) + 1, np.bool_)
        begins[listed] = True
        begins[1:-1] |= (blocks[:-1] < common) & (blocks[1:] >= common)
        found = runs_of(blocks, begins[:-1])
        return cls(
            first=first,
            rounds=counts,
            prompt=prompt.astype(np.int64),
            output=output.astype(np.int64),
            wait=wait.astype(np.float64),
            at=ends - np.repeat(ends[first], counts),
            listed=found.places[listed],
            known=((prompt + output) // BLOCK * keeps).astype(np.int64),
            first_run=found.places[sizes],
            runs=found.listed,
            lengths=found.lengths,
            own=np.searchsorted(found.firsts, fresh) if keeps else np.zeros(len(sizes), np.int64),
            common=int(np.searchsorted(found.firsts, common)),
        )


def _texts(session: list[Round], common: int, fresh: int) -> tuple[Whole, list[int], int]:
    """Return the blocks of a session's rounds, where in them those of each round begin, and the next to be given.

    Its own are given from `fresh` on. A round that goes on where the one before ended has that one's blocks and further
    ones behind them.
    """
    found, starts = list[int](), list[int]()
    before: Round | None = None
    for one in session:
        held, total = shared(before, one, common * BLOCK) // BLOCK, (one.prompt + one.output) // BLOCK
        if before is None:
            starts.append(0)
            found += range(min(common, total))
        elif held * BLOCK + BLOCK > before.prompt + before.output:
            starts.append(starts[-1])
        else:
            kept = found[starts[-1] : starts[-1] + held] if held > common else list(range(min(held, total)))
            starts.append(len(found))
            found += kept
        missing = total - (len(found) - starts[-1])
        found += range(fresh, fresh + missing)
        fresh += max(missing, 0)
        before = one
    return np.array(found, np.int64), starts, fresh


class InSessions(NamedTuple):
    """Requests in sessions, and the seconds until which sessions begin in full number."""

    draws: Draws
    until: float


def session_draws(traffic: Traffic, *, requests: int, seed: int, index: int) -> InSessions:
    """Return sessions of which, if answers took no time, as many `requests` would come while sessions begin.

    Each request is of the pool of its length, and a session's of one class. A longer draw has the sessions of the
    shorter one, with the same ties.
    """
    record = traffic.sessions
    assert record is not None, "the traffic comes in sessions"
    table, rate = Table.of(record, keeps=traffic.keeps), traffic.rate / record.rounds
    back = float(table.at.max())
    picking, coming = stream(seed, index, 0, "prefixes"), stream(seed, index, 0, "arrivals")
    states = picking.bit_generator.state, coming.bit_generator.state
    expected = rate * (back + requests / traffic.rate)
    while True:
        count = math.ceil(MORE * expected + SIGMAS * math.sqrt(expected) + 1)
        picking.bit_generator.state, coming.bit_generator.state = states
        begun = times(traffic.arrivals, rate, None, count, coming) - back
        session = picking.integers(len(record.rows), size=count)
        life = np.repeat(np.arange(count), table.rounds[session])
        row = _counted(table.first[session], table.rounds[session])
        at = begun[life] + table.at[row]
        if ((at >= 0.0) & (at <= begun[-1])).sum() >= requests:
            break
        expected *= 1.5
    return InSessions(_draws(traffic, table, session, (life, row, at), (seed, index)), float(begun[-1]))


def _draws(
    traffic: Traffic, table: Table, session: Whole, drawn: tuple[Whole, Whole, Floats], key: tuple[int, int]
) -> Draws:
    """Return the requests of lives of sessions: `drawn` are of each round its life, its row and its time."""
    (seed, index), (life, row, at) = key, drawn
    kept = at >= 0.0
    begins = kept & (np.append(True, life[1:] != life[:-1]) | ~np.append(False, kept[:-1]))
    order = np.argsort(np.where(begins, at, np.inf), kind="stable")
    order = order[kept[order]]
    place = np.empty(len(at), np.int64)
    place[order] = np.arange(len(order))
    follows = np.append(kept[1:] & ~begins[1:], False) & kept
    then = np.full(len(order), -1, np.int32)
    then[place[follows]] = place[np.flatnonzero(follows) + 1]
    wait = np.where(begins, 0.0, table.wait[row])[order]
    recorded = traffic.sessions is not None and traffic.sessions.recorded
    total, begun = (table.prompt + table.output)[row][order], int(begins.sum())
    ends = np.array([(own.lengths or (0, 0))[1] for own in traffic.pools])
    retries = traffic.bounds.retries
    batch = stream(seed, index, 0, "classes").random(len(session)) < traffic.batch_share
    return Draws(
        prompt=table.prompt[row][order].astype(np.int32),
        cached=np.zeros(len(order), np.int32),
        output=table.output[row][order].astype(np.int32),
        pool=np.searchsorted(ends, total).astype(np.int32),
        tie=stream(seed, index, 0, "ties").random(len(at))[order],
        arrivals=np.where(np.arange(len(order)) < begun, at[order], np.nan),
        thinking=np.zeros(0),
        prefixes=_prefixes(table, session, life[order], row[order]),
        jitter=None if retries is None else stream(seed, index, 0, "retries").random((len(at), retries))[order],
        batch=batch[life][order] if traffic.batch_share else None,
        rounds=Rounds(
            begun=begun,
            then=then,
            pause=np.zeros(len(order)) if recorded else wait,
            gap=wait if recorded else np.zeros(len(order)),
            number=(row - table.first[session[life]])[order],
        ),
    )


def _prefixes(table: Table, session: Whole, life: Whole, row: Whole) -> Prefixes:
    """Return what the rounds of lives of sessions share: each life has runs of its own, but for the common ones."""
    sizes, own = np.diff(table.first_run)[session], np.diff(table.own)[session]
    starts, base = np.cumsum(sizes) - sizes, table.common + np.cumsum(own) - own
    assert table.common + int(own.sum()) < 2**31, "runs are whole numbers of 32 bits"
    runs = table.runs[_counted(table.first_run[session], sizes)]
    runs += np.repeat((base - table.own[session]).astype(np.int32), sizes) * (runs >= table.common)
    return Prefixes(
        size=BLOCK,
        offsets=starts[life] + table.listed[row] - table.first_run[session][life],
        known=table.known[row].astype(np.int32),
        runs=runs,
        lengths=np.append(table.lengths[: table.common], table.lengths[_counted(table.own[session], own)]),
    )


def _counted(first: Whole, counts: Whole) -> Whole:
    """Return the numbers from each `first` on, so many as it has `counts`, one after the other."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1])) - np.repeat(ends - counts - first, counts)
