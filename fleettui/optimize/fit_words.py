"""What an own fit does to an answer, in words: which hardware it knows, how exactly, and where it has seen nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from fleettui.domain.calibration import OperatingPoint, Range, ServerFit
from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import Traffic
from fleettui.domain.unseen import SEEN_NO
from fleettui.optimize.operating_points import operating_points


def known(fleet: Fleet, question: Question) -> tuple[str, ...]:
    """Return a sentence for each kind of hardware in a fleet whose steps are those of the question's own fit."""
    fit = question.fit
    if fit is None:
        return ()
    found = {pool.replica: question.fit_of(pool) for pool in fleet.pools}
    return tuple(
        f"steps of {hardware} are by {fit.words}, of {fit.counted(own)}: {_exactness(own)}{_near(own)}"
        for hardware, own in found.items()
        if own is not None
    )


def front_end(pools: Iterable[Pool], question: Question) -> str:
    """Return whose the seconds in front of the GPUs of `pools` are."""
    if question.front_end is not None:
        return "front end, as given"
    theirs = f"{question.engine}'s front end by default (--front-end)"
    fits = [question.fit_of(pool) for pool in pools]
    own = [one is not None and one.front_end is not None for one in fits]
    if question.fit is None or not any(own):
        return theirs
    ours = f"front end, by {question.fit.words}"
    return ours if all(own) else f"{ours} where it knows it, else {theirs}"


def beyond(answer: Candidate, question: Question, traffic: Traffic) -> tuple[str, ...]:
    """Return what the question's own fit has not seen of a fleet under `traffic`, and where TTFT was longer than it."""
    fit = question.fit
    if fit is None:
        return ()
    found = []
    for pool, point in zip(answer.fleet.pools, operating_points(answer, traffic), strict=True):
        server = question.fit_of(pool)
        if server is None:
            known = f"{fit.words}{SEEN_NO}{pool.gpu} {pool.division}"
            found.append(f"pool {pool.name}: {known}, so its step times are the catalogue's, as without that fit")
            continue
        if server.is_wider:
            found.append(
                f"{fit.words} is less sure of {pool.gpu} tp{pool.tp} than no fit is: fleettui profile next last says "
                "which runs would narrow it"
            )
        if server.longer_ttft:
            longer = f"TTFT measured {server.longer_ttft:.0%} longer than by {fit.words}"
            found.append(f"pool {pool.name}: {longer}, so that TTFT here may be that much longer, too")
        if unseen := "; ".join(outside(point, server)):
            found.append(f"pool {pool.name} is beyond {fit.words}: {unseen}")
    return tuple(dict.fromkeys(found))


def outside(point: OperatingPoint, server: ServerFit) -> Iterator[str]:
    """Yield each figure of a point that lies outside the runs of a fit, with their range.

    A pool that is asked for more than it can do has ever more requests at once.
    """
    seen = server.envelope
    rows: tuple[tuple[str, float, Range], ...] = (
        ("{} requests at once", max(1.0, point.sequences), seen.clients),
        ("prompts of {} tokens", point.prompt_tokens, seen.prompt_tokens),
        ("outputs of {} tokens", point.output_tokens, seen.output_tokens),
    )
    for words, value, (low, high) in rows:
        if math.isinf(value) or not low <= round(value) <= high:
            figure = "ever more" if math.isinf(value) else f"{value:,.0f}"
            yield f"{words.format(figure)}, seen {f'{low:,}' if low == high else f'{low:,} to {high:,}'}"


def _exactness(own: ServerFit) -> str:
    """Return how exact a fit is, and by which predictions."""
    if own.band_source == "held-out":
        return f"{own.share_covered} of {own.held_out} held-out predictions were within {own.band:.0%}"
    return f"{own.share_covered} predictions within {own.band:.0%}, as fits to two runs keep on public servers"


def _near(own: ServerFit) -> str:
    """Return how exact it is at loads that were seen, and near them."""
    if not own.seen:
        return ""
    near, same = (band for _, band in own.seen[0].bands)
    loads = " and ".join(f"{one.rate:.3g}/s" for one in own.seen)
    return f"; at the {loads} of a replica that were seen within {same:.0%}, near that within {near:.0%}"
