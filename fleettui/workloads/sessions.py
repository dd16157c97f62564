"""The sessions that a trace lists beside its requests, or that the hashes of its prompts show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from fleettui.domain.sessions import Round, SessionRecord, check_round
from fleettui.errors import InputError
from fleettui.workloads.formats import FORMATS, sniffed
from fleettui.workloads.formats.base import TraceFormat
from fleettui.workloads.shared_prefixes import MOST_ROWS, common_blocks, hashes_of
from fleettui.workloads.shared_prefixes import record_of as prefixes_of
from fleettui.workloads.trace_rows import rows_of

SESSION_KEYS = ("session_id", "conversation_id")
THINK_KEY = "think_s"


class Row(NamedTuple):
    """A request of a trace: when it came, its tokens, the line it stands in, its session, and what it waited."""

    time: float | None
    prompt: int
    output: int
    line: int
    session: str
    think: str


def record_of(path: Path, format: str | None = None) -> SessionRecord | None:
    """Return the sessions of the trace at `path`, in a `format` or a known one; None where nothing tells of them.

    A row says its session by session_id or conversation_id. A later round waited think_s seconds for its sender, or,
    where no row has that, as long after the round before as their times say. Where there are no such columns and rows
    list block hashes, a request follows the latest earlier one with whose full blocks it begins, if it is long enough
    for its answer, too. Raises InputError for rows without a session or without waits, negative ones, and too many.
    """
    known = FORMATS.named(format) if format else sniffed(path)
    if not isinstance(known, TraceFormat):
        return None
    rows = list(_rows(path, known))
    if len(rows) > MOST_ROWS:
        raise InputError(
            "a trace of so many requests is too long for its sessions to be kept",
            where=str(path),
            value=len(rows),
            accepted=f"up to {MOST_ROWS:,} requests",
            remedy="cut the trace to its busiest hour",
        )
    if not any(row.session for row in rows):
        return _by_hashes(path, rows)
    by_session: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if not row.session:
            raise InputError(
                "the request has no session, and others have",
                where=f"{path}: line {row.line}",
                accepted=f"a value of {' or '.join(SESSION_KEYS)} in every row",
                remedy="give it a session of its own if it stands alone",
            )
        by_session[row.session].append(row)
    recorded = not any(row.think for row in rows)
    return _record(path, by_session.values(), recorded=recorded)


def _record(path: Path, sessions: Iterable[list[Row]], *, recorded: bool) -> SessionRecord:
    kept = []
    for rows in sessions:
        row: list[float] = []
        for place, one in enumerate(rows):
            found = Round(one.prompt, one.output, _wait(path, rows, place, recorded=recorded))
            check_round(found, f"{path}: line {one.line}")
            row += [found.prompt, found.output, round(found.wait, 6)]
        kept.append(tuple(row))
    return SessionRecord(rows=tuple(kept), recorded=recorded)


def _wait(path: Path, rows: list[Row], place: int, *, recorded: bool) -> float:
    """Return the seconds before a round; raises InputError where its row does not say them."""
    if place == 0:
        return 0.0
    one, before = rows[place], rows[place - 1]
    if recorded and one.time is not None and before.time is not None:
        return one.time - before.time
    try:
        return float(one.think)
    except ValueError:
        raise InputError(
            "it is not said how long after the round before this one came",
            where=f"{path}: line {one.line}",
            value=one.think or None,
            accepted=f"{THINK_KEY}, seconds from the answer before it, in every later round; or times",
            remedy=f"add {THINK_KEY}, or an arrival to every row",
        ) from None


def _by_hashes(path: Path, rows: list[Row]) -> SessionRecord | None:
    """Return the sessions that block hashes show; None where there are no hashes, or no times."""
    prefixes = prefixes_of(path, None)
    if prefixes is None or any(row.time is None for row in rows):
        return None
    common = common_blocks(prefixes)
    last: dict[int, int] = {}
    chains: list[list[Row]] = []
    chain_of: dict[int, int] = {}
    for place, (row, kept) in enumerate(zip(rows, prefixes.rows, strict=True)):
        hashes = hashes_of(kept)
        earlier = (last[one] for one in reversed(hashes[common:]) if one in last)
        before = next((one for one in earlier if one in chain_of and _follows(row, rows[one])), None)
        if before is None:
            chain_of[place] = len(chains)
            chains.append([row])
        else:
            chain_of[place] = chain_of.pop(before)
            chains[chain_of[place]].append(row)
        if len(hashes) > common:
            last[hashes[-1]] = place
    return _record(path, chains, recorded=True)


def _follows(row: Row, earlier: Row) -> bool:
    assert row.time is not None, "all have times"
    assert earlier.time is not None, "all have times"
    return row.time > earlier.time and row.prompt >= earlier.prompt + earlier.output


def _rows(path: Path, known: TraceFormat) -> Iterator[Row]:
    chunks = known.read(path)
    told = _told(path)
    for chunk in chunks:
        times = [None] * len(chunk.prompt) if chunk.arrivals is None else chunk.arrivals.tolist()
        for time, prompt, output, line in zip(
            times, chunk.prompt.tolist(), chunk.output.tolist(), chunk.lines, strict=True
        ):
            yield Row(time, prompt, output, line, *next(told))


def _told(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what each row of a trace says of its session, and of the seconds that it waited; "" where nothing."""
    for row in rows_of(path):
        session = next((row[key] for key in SESSION_KEYS if row.get(key) is not None), "")
        think = row.get(THINK_KEY)
        yield str(session).strip(), "" if think is None else str(think).strip()
