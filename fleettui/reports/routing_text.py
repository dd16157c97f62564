"""What a plan says about routing: a sentence, then the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.domain.workload import LengthDistribution
from fleettui.reports import bounds_text, classes_text, fleet_text, units
from fleettui.reports.burst_text import burst_panes, failures_pane
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.compression_text import compression_items
from fleettui.reports.in_app import in_app
from fleettui.reports.panes import Pane, pane, picture
from fleettui.reports.pools_table import BUSY, RATE, by_pool, known_best
from fleettui.reports.routers_table import left_out, routers_table
from fleettui.reports.sessions_text import session_panes
from fleettui.reports.table import Table
from fleettui.reports.text_page import text_page
from fleettui.reports.workload_charts import lengths_chart
from fleettui.routing import ROUTERS

PLAYABLE = (
    "{before}v plays the routers that apply on {fleet} with the same requests, which takes some minutes: TTFT and "
    "TPOT of each, what is proven to differ, and the fleet that each needs. e asks for another router."
)
WINDOW = " B sends a burst or takes replicas away."
PLAYED = (
    "All met the same requests. i takes a router into the question, v plays them again, B sends a burst or takes "
    "replicas away."
)
CENT = 0.005


def routing_panes(
    candidate: Candidate,
    question: Question,
    *,
    others: Iterable[Candidate] = (),
    lengths: LengthDistribution | None = None,
    study: Study | None = None,
    reasons: Study | None = None,
    burst: Study | None = None,
    failures: Study | None = None,
    before: str = "",
) -> list[Pane]:
    """Return how requests find their pool, what each pool gets, and what compression and other routers would change.

    `others` are what the plan holds beside the candidate, `lengths` those of its requests, `study` what is kept of its
    routers, `reasons` what is kept of its reasons, `burst` of a window with more traffic and `failures` of replicas
    that are down, None where nothing is. `before` is what comes before `v` can play them.
    """
    known = tuple(others)
    compression = compression_items(candidate.fleet, question, reasons)
    found = [pane("", *([] if study is None else [study.sentences[:-1]]), [_ways(candidate, question, known)])]
    found += [] if study is None else [_routers(study)]
    found += [] if burst is None else burst_panes(burst, question)
    found += [] if failures is None else [failures_pane(failures)]
    found.append(pane("what each pool gets", [_pools(candidate)]))
    found += session_panes(candidate)
    found += [pane("borderline requests", *([one] for one in compression))] if compression else []
    found += [_offer(candidate, before)] if study is None else []
    return [*found, *_numbers_of_pools(candidate, known), *_lengths(candidate, lengths)]


def _ways(candidate: Candidate, question: Question, others: Sequence[Candidate]) -> str:
    """Return how requests find their pool and their replica."""
    pools, router = candidate.fleet.pools, ROUTERS.named(candidate.fleet.router)
    if len(pools) == 1:
        return f"One pool: every request goes {router.sends}.{_splits(candidate, question, others)}"
    shorter = "".join(f"up to {units.count(pool.up_to)} to pool {pool.name}, " for pool in pools[:-1])
    compressed = fleet_text.compressed(candidate.fleet)
    each = "within a pool" if router.across is None else "each"
    return (
        f"Requests go by their total tokens: {shorter}longer ones to pool {pools[-1].name}; {each} "
        f"{router.sends}{f'; {compressed}' if compressed else ''}."
    )


def _pools(candidate: Candidate) -> Table:
    total = sum(pool.arrival_rate for pool in candidate.pools)
    seen = candidate.simulated_pools
    note = "; ".join(filter(None, (bounds_text.losses(seen), classes_text.classes(seen))))
    return by_pool(
        known_best(candidate),
        words("total tokens", lambda row: f"{units.count(row.pool.above + 1)} to {units.count(row.pool.up_to)}"),
        RATE,
        figure("share", lambda row: row.formula.arrival_rate / total, units.percent),
        BUSY,
        figure("replicas", lambda row: row.pool.replicas, units.count),
        figure("GPUs", lambda row: row.pool.gpus, units.count),
        note=note,
    )


def _routers(study: Study) -> Pane:
    """Return the routers beside each other."""
    return Pane(
        title="the same requests behind every router",
        text=lambda width, _glyphs, _more: text_page(
            [[routers_table(study, width)], [PLAYED], [*map(in_app, left_out(study))]], width
        ),
    )


def _offer(candidate: Candidate, before: str) -> Pane:
    """Return the offer to play the routers on this fleet."""
    offer = PLAYABLE.format(before=before, fleet=fleet_text.fleet(candidate.fleet))
    offer += "" if before else WINDOW
    return pane("other routers: not played yet", [offer], beside=True)


def _numbers_of_pools(candidate: Candidate, others: Sequence[Candidate]) -> list[Pane]:
    """Return the cheapest fleet of each number of pools, as the plan holds them; nothing where it has one number."""
    best: dict[int, Candidate] = {len(candidate.fleet.pools): candidate}
    for one in sorted(others, key=_dearness(candidate)):
        if not _left_out(one, candidate):
            best.setdefault(len(one.fleet.pools), one)
    if len(best) < 2:
        return []
    columns: tuple[Column[Candidate], ...] = (
        figure("pools", lambda one: len(one.fleet.pools), units.count),
        words("fleet", lambda one: fleet_text.fleet(one.fleet), wrap=True),
        figure("GPUs", lambda one: one.gpus, units.count),
        figure("$/h", lambda one: one.cost_per_hour, units.hourly),
        words("proof", fleet_text.proof),
    )
    rows = [best[count] for count in sorted(best)]
    return [pane("the cheapest of each number of pools", [table(columns, rows)])]


def _lengths(candidate: Candidate, lengths: LengthDistribution | None) -> list[Pane]:
    """Return the picture of the requests' lengths, with where the pools divide them."""
    splits = tuple(pool.up_to for pool in candidate.fleet.pools[:-1])
    return picture(None if lengths is None else lengths_chart(lengths, splits, candidate.fleet.gamma))


def _splits(candidate: Candidate, question: Question, others: Iterable[Candidate]) -> str:
    """Return what several pools would change; a fleet that was given was not searched at all."""
    best = min((one for one in others if len(one.fleet.pools) > 1), key=_dearness(candidate), default=None)
    if best is None:
        return " Splitting by length was not searched (pools 1)." if question.pools == (1,) else ""
    same = not _left_out(best, candidate) and best.cost_per_hour < candidate.cost_per_hour + CENT
    found = "it costs the same" if same else "no such fleet is shown to be cheaper"
    return f" Splitting by length was searched too: {found}."


def _left_out(one: Candidate, answer: Candidate) -> bool:
    """Return whether a fleet is known not to hold, or is cheaper than the answer by a formula that nothing proves."""
    unproven = one.simulation is None and one.cost_per_hour < answer.cost_per_hour - CENT
    return unproven or bool(fleet_text.broken(one)) or fleet_text.proof(one) == "fails"


def _dearness(answer: Candidate) -> Callable[[Candidate], tuple[bool, float]]:
    """Return the order in which fleets are told beside an answer: those that may hold before others, by cost."""
    return lambda one: (_left_out(one, answer), one.cost_per_hour)
