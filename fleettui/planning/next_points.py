"""What to measure next, so that a kept plan's answer is narrowed most."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING

from fleettui.domain.anchor import Anchor
from fleettui.domain.next_points import NextPoints, Prospect
from fleettui.domain.plan import Answer, Candidate
from fleettui.errors import InputError
from fleettui.hardware import kept_fits
from fleettui.planning.anchors import anchors_from, anchors_of
from fleettui.planning.kept_looks import looks_of, with_looks
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store

RIVALS = 5
"""Runners-up that are looked at, of other hardware each."""
NAME = "prod"
"""What a fit is called unless one is called so."""
MOST_POINTS = 5
"""Runs that are told: an afternoon's."""


async def next_points(
    store: Store, ref: str, *, report: Report | None = None, pool: WorkerPool | None = None
) -> NextPoints:
    """Return which runs would narrow the answer of the plan that `ref` names, and by how much; raises InputError."""
    kept = KeptPlan.of(store, ref)
    kept.check_finished()
    kept.check_no_paper("has no error to narrow")
    if kept.answer.answer is None:
        raise InputError("it has no fleet whose hardware could be measured", where=f"plan {kept.handle}")
    candidates = (kept.answer.answer, *_rivals(kept.answer))
    async with borrowed(pool) as workers:
        found, known = await workers.run(
            "next_points",
            tuple[tuple[Prospect, ...], tuple[str, ...]],
            report,
            source=kept.source(kept.id, kept.profiles),
            candidates=candidates,
            anchors=tuple(_seen(store, kept, candidates)),
        )
    return NextPoints(
        plan=kept.answer.plan,
        step_law=kept.question.step_law,
        fit=_free_name(kept_fits.names()),
        prospects=tuple(_most(found)),
        known=known,
    )


def _free_name(taken: Collection[str]) -> str:
    """Return a name that no fit has.

    >>> _free_name(()), _free_name(("prod", "prod-2"))
    ('prod', 'prod-3')
    """
    return next(name for at in count(1) if (name := NAME if at == 1 else f"{NAME}-{at}") not in taken)


def _rivals(answer: Answer) -> list[Candidate]:
    """Return the best fleet of each other hardware, as the search ranked them."""
    assert answer.answer is not None, "it was asked for"
    seen = {_hardware(answer.answer)}
    found: list[Candidate] = []
    for one in answer.candidates:
        if not one.shortfalls and _hardware(one) not in seen and len(found) < RIVALS:
            seen.add(_hardware(one))
            found.append(one)
    return found


def _seen(store: Store, kept: KeptPlan, candidates: Sequence[Candidate]) -> Iterator[tuple[Anchor, ...]]:
    """Yield what the plan and its studies simulated of the pools of each fleet, the answer first."""
    answer, question = kept.answer, kept.question
    looks = looks_of(store, kept.id)
    for place, one in enumerate(candidates):
        tried = (candidates[0], *answer.candidates)
        own = anchors_from(tried, one, question, answer.demand.rate) if place else anchors_of(answer, question)
        yield with_looks(own, looks, one, question)


def _hardware(one: Candidate) -> frozenset[object]:
    return frozenset(pool.replica_key for pool in one.fleet.pools)


def _most(ranked: tuple[Prospect, ...]) -> Iterator[Prospect]:
    """Yield those of the first servers whose runs are no more than can be told."""
    left = MOST_POINTS
    for one in ranked:
        if len(one.points) <= left and (one.narrowed > 0 or one.unseen):
            left -= len(one.points)
            yield one
