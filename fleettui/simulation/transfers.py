"""Caches on their way from replicas that prefill to replicas that decode, compiled: links shared by what uses them.

Each replica has one link. A transfer gets an equal part of the link out of its source and of that into its target, the
smaller of both; what others leave unused is not given to it. A latency follows on its last byte.

A cache may leave layer by layer: while a prompt is computed, what is complete of it moves over links that nobody uses,
and the last part, and what found no idle link, sets out at the end. No instant of a link is used twice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.disagg import Handover
from fleettui.simulation.compiled import part

LINKS = np.dtype(
    [
        ("out", "f8"),  # bytes per second of a link out of a replica that prefills
        ("into", "f8"),  # and into one that decodes
        ("latency", "f8"),
        ("last", "f8"),  # part of a cache that is complete with its prompt alone, and sets out no sooner
        ("sent", "i8"),  # tokens that the side that prefills sends: 1, or 0 where the other sends all of them
        ("short", "i8"),  # tokens to compute up to which a prompt stays with a replica that decodes
        ("since", "f8"),  # when what is left was last counted
        ("due", "f8"),  # when the next transfer has its last byte; infinite where nothing moves
        ("carried", "f8"),  # bytes, of all links
        ("rounded", "f8"),  # bytes that were left, by rounding, when their transfer was done
        ("moving", "i8"),
        ("next", "i8"),  # place among the moving ones of the transfer that is next
        ("flown", "i8"),  # transfers whose last byte is there
        ("landed", "i8"),  # those of them whose latency is over
    ],
    align=True,
)


class Transfers(NamedTuple):
    """Arrays of shape (requests,) unless said otherwise; `links` is one record.

    `size` are a request's bytes and `left` those still to move; `source` and `target` its replicas. `moving` lists the
    requests on their way in the order in which they set out, `flown` those whose last byte was there, in that order,
    and `at` when each lands. `leaving` and `entering` count the transfers of each replica's link.

    `begun` is when a prompt that leaves layer by layer began, infinite where it had to wait for its place, and `ended`
    when it was prefilled. Each replica's link was used up to `spent`, and is in use again since `used` where transfers
    use it, both of shape (2, replicas) by side.
    """

    links: Any
    size: NDArray[np.float64]
    left: NDArray[np.float64]
    rate: NDArray[np.float64]
    at: NDArray[np.float64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    moving: NDArray[np.int32]
    flown: NDArray[np.int32]
    leaving: NDArray[np.int32]
    entering: NDArray[np.int32]
    begun: NDArray[np.float64]
    ended: NDArray[np.float64]
    spent: NDArray[np.float64]
    used: NDArray[np.float64]


def prepared(
    size: NDArray[np.float64],
    *,
    out: float,
    into: float,
    latency: float,
    prefills: int,
    decodes: int,
    handover: Handover,
) -> Transfers:
    """Return the arrays of a run at its start, for links of so many bytes per second and lanes on both sides."""
    links = np.zeros(1, LINKS)
    links["out"], links["into"], links["latency"], links["due"] = out, into, latency, np.inf
    links["last"], links["sent"], links["short"] = 1.0 / handover.parts, handover.sent, handover.short
    count = len(size)
    return Transfers(
        links=links,
        size=size,
        left=np.zeros(count),
        rate=np.zeros(count),
        at=np.full(count, np.nan),
        source=np.full(count, -1, np.int32),
        target=np.full(count, -1, np.int32),
        moving=np.zeros(count, np.int32),
        flown=np.zeros(count, np.int32),
        leaving=np.zeros(prefills, np.int32),
        entering=np.zeros(decodes, np.int32),
        begun=np.full(count, np.inf),
        ended=np.full(count, np.nan),
        spent=np.zeros((2, max(prefills, decodes))),
        used=np.zeros((2, max(prefills, decodes))),
    )


@part
def set_out(transfers: Transfers, index: int, target: int, now: float) -> None:
    """Let the cache of request `index`, whose source is known, set out for a replica."""
    links = transfers.links[0]
    _settle(transfers, links, now)
    transfers.target[index] = target
    transfers.left[index] = transfers.size[index]
    if links.last < 1.0:
        _move_early(transfers, links, index, now)
    transfers.moving[links.moving] = index
    links.moving += 1
    transfers.leaving[transfers.source[index]] += 1
    transfers.entering[target] += 1
    _rate(transfers, links)


@part
def _move_early(transfers: Transfers, links: Any, index: int, now: float) -> None:
    """Let what was complete of a cache, while its prompt was computed, have moved over links that stood idle then.

    A prompt is complete by the part of its time; the last part of its cache is not complete before its end.
    """
    source, target = transfers.source[index], transfers.target[index]
    begun, ended = transfers.begun[index], transfers.ended[index]
    start, end = max(begun, transfers.spent[0, source], transfers.spent[1, target]), ended
    if transfers.leaving[source] > 0:
        end = min(end, transfers.used[0, source])
    else:
        transfers.used[0, source] = now
    if transfers.entering[target] > 0:
        end = min(end, transfers.used[1, target])
    else:
        transfers.used[1, target] = now
    if start < end:
        rate = min(links.out, links.into)
        complete = min((end - begun) / (ended - begun), 1.0 - links.last)
        moved = min(rate * (end - start), complete * transfers.size[index])
        transfers.left[index] -= moved
        links.carried += moved
        transfers.spent[0, source] = start + moved / rate
        transfers.spent[1, target] = start + moved / rate


@part
def last_byte(transfers: Transfers) -> None:
    """Let the transfer that is next have its last byte; it lands a latency later."""
    links = transfers.links[0]
    now = links.due
    _settle(transfers, links, now)
    index = transfers.moving[links.next]
    for place in range(links.next, links.moving - 1):
        transfers.moving[place] = transfers.moving[place + 1]
    links.moving -= 1
    links.rounded += transfers.left[index]
    transfers.left[index] = 0.0
    transfers.leaving[transfers.source[index]] -= 1
    transfers.entering[transfers.target[index]] -= 1
    transfers.spent[0, transfers.source[index]] = now
    transfers.spent[1, transfers.target[index]] = now
    transfers.at[index] = now + links.latency
    transfers.flown[links.flown] = index
    links.flown += 1
    _rate(transfers, links)


@part
def landing(transfers: Transfers) -> float:
    """Return when the next transfer lands, infinite where none has its last byte."""
    links = transfers.links[0]
    return float(transfers.at[transfers.flown[links.landed]]) if links.landed < links.flown else np.inf


@part
def land(transfers: Transfers) -> int:
    """Let the next transfer land and return its request."""
    links = transfers.links[0]
    index = transfers.flown[links.landed]
    links.landed += 1
    return int(index)


@part
def _settle(transfers: Transfers, links: Any, now: float) -> None:
    """Count what moved since the rates last changed."""
    span = now - links.since
    for place in range(links.moving):
        index = transfers.moving[place]
        moved = min(transfers.rate[index] * span, transfers.left[index])
        transfers.left[index] -= moved
        links.carried += moved
    links.since = now


@part
def _rate(transfers: Transfers, links: Any) -> None:
    """Give each transfer its part of its links, and find which is done first, of equals the one that set out first."""
    links.due = np.inf
    for place in range(links.moving):
        index = transfers.moving[place]
        part = min(
            links.out / transfers.leaving[transfers.source[index]],
            links.into / transfers.entering[transfers.target[index]],
        )
        transfers.rate[index] = part
        due = links.since + transfers.left[index] / part
        if due < links.due:
            links.due, links.next = due, place
