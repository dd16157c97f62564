"""What a plan says about routing: a sentence, then the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports import bounds_text, classes_text, fleet_text, units
from fleettui.reports.burst_text import burst_page, failures_page
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.compression_text import compression_items
from fleettui.reports.pools_table import BUSY, NAME, RATE, PoolRow, known_best
from fleettui.reports.routers_table import routers_table
from fleettui.reports.table import WIDTH
from fleettui.reports.text_page import Item, text_page
from fleettui.routing import ROUTERS

PLAYABLE = (
    "v plays every router on this fleet with the same requests, which takes some minutes: TTFT and TPOT of each, what "
    "is proven to differ, and the fleet that each needs. e asks for another router, B sends a burst or lets "
    "replicas fail."
)
PLAYED = (
    "All met the same requests. e takes another router into the question, v plays them again, B sends a burst or lets "
    "replicas fail."
)
NO_FLEET = "The plan has no fleet that holds, so there is nothing to say here. 2 shows what is nearest."


def routing_text(
    candidate: Candidate | None,
    question: Question,
    width: int = WIDTH,
    *,
    others: Iterable[Candidate] = (),
    study: Study | None = None,
    reasons: Study | None = None,
    burst: Study | None = None,
    failures: Study | None = None,
) -> str:
    """Return how requests find their pool, what each pool gets, and what compression and other routers would change.

    `others` are what the plan holds beside the candidate, `study` what is kept of its routers, `reasons` what is kept
    of its reasons, `burst` of a window with more traffic and `failures` of replicas that are down, None where nothing
    is.
    """
    if candidate is None:
        return text_page([[NO_FLEET]], width)
    pools, router = candidate.fleet.pools, ROUTERS.named(candidate.fleet.router)
    if len(pools) == 1:
        sentence = f"One pool: every request goes {router.sends}.{_splits(question, others)}"
    else:
        shorter = "".join(f"up to {units.count(pool.up_to)} to pool {pool.name}, " for pool in pools[:-1])
        compressed = fleet_text.compressed(candidate.fleet)
        each = "within a pool" if router.across is None else "each"
        sentence = (
            f"Requests go by their total tokens: {shorter}longer ones to pool {pools[-1].name}; {each} "
            f"{router.sends}{f'; {compressed}' if compressed else ''}."
        )
    total = sum(pool.arrival_rate for pool in candidate.pools)
    columns: tuple[Column[PoolRow], ...] = (
        NAME,
        words("total tokens", lambda row: f"{units.count(row.pool.above + 1)} to {units.count(row.pool.up_to)}"),
        RATE,
        figure("share", lambda row: row.formula.arrival_rate / total, units.percent),
        BUSY,
        figure("replicas", lambda row: row.pool.replicas, units.count),
        figure("GPUs", lambda row: row.pool.gpus, units.count),
    )
    seen = "; ".join(filter(None, (bounds_text.seen_of(candidate), classes_text.seen_of(candidate))))
    pools_part: list[Item] = [table(columns, known_best(candidate), note=seen)]
    compression = compression_items(candidate.fleet, question, reasons)
    first: list[Sequence[Item]] = [[sentence], pools_part, *([one] for one in compression)]
    played: list[Sequence[Item]] = [[PLAYABLE]]
    if study is not None:
        played = [study.sentences[:-1], [routers_table(study, width)], [PLAYED]]
    pages = [text_page([*first, *played], width)]
    pages += [] if burst is None else [burst_page(burst, question, width)]
    pages += [] if failures is None else [failures_page(failures, width)]
    return "\n\n".join(pages)


def _splits(question: Question, others: Iterable[Candidate]) -> str:
    """Return whether fleets of several pools were searched; a fleet that was given was not searched at all."""
    if any(len(one.fleet.pools) > 1 for one in others):
        return " Splitting by length was searched too: 2 lists what it costs."
    return " Splitting by length was not searched (pools 1)." if question.pools == (1,) else ""


def _aspect(sentence: str, columns: Sequence[Column[PoolRow]], rows: Sequence[PoolRow], later: str, width: int) -> str:
    return text_page([[sentence], [table(columns, rows)], [later]], width)
