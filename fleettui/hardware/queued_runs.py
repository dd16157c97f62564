"""Closed loops whose clients wait in front of the server: more of them bring neither tokens nor longer steps.

A server runs no more sequences at once than it is told to, and a client opens no more connections than it is told to.
Clients beyond that wait: output tokens a second and the time between tokens stay as they are, and all that grows is
TTFT. Such a run says nothing of the steps of so many sequences. Prompts that fill the steps show the same, and are a
limit of the hardware, which the law has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from fleettui.domain.validation import MeasuredPoint
from fleettui.hardware import catalog

FLAT = 0.2
"""Most that throughput and time between tokens grow where clients wait, as a share of the clients' own growth.

All three in logarithms. By Little's law at least three fifths of the growth are TTFT's then.
"""
FULL = 0.5
"""Share of the token budget that prompts fill from which on they may be what limits."""
BEYOND = 1.25
"""By what factor clients exceed the places where they wait, and not only for prompts in front of them."""
AT_MOST = 1.05
"""How many more than the places seem to decode, by times that are means."""
QUEUED = (
    "clients wait for a place: more of them brought hardly more tokens a second, nor more time between tokens; raise "
    "the server's most sequences and the client's connections, or bench with fewer clients"
)
"""What is said of such a run, and what to do."""


def queued(points: Iterable[MeasuredPoint]) -> frozenset[MeasuredPoint]:
    """Return the closed loops among `points` whose clients wait for a place, by their own figures and their sweep's."""
    sweeps: dict[tuple[object, ...], list[MeasuredPoint]] = {}
    for point in points:
        if point.protocol != "open":
            sweeps.setdefault(point.sweep, []).append(point)
    return frozenset(one for sweep in sweeps.values() for one in _waiting(sweep))


def _waiting(sweep: Sequence[MeasuredPoint]) -> Iterator[MeasuredPoint]:
    few_first = sorted(sweep, key=lambda one: one.concurrency)
    reached = [many.decoding for few, many in pairwise(few_first) if _is_flat(few, many) and not _is_of_prompts(many)]
    for one in sweep:
        places = min([*reached, *_own_places(one)], default=math.inf)
        if one.concurrency > BEYOND * places and not _is_of_prompts(one):
            yield one


def _is_flat(few: MeasuredPoint, many: MeasuredPoint) -> bool:
    """Return whether more clients brought hardly more tokens a second, nor more time between them."""
    if many.concurrency < BEYOND * few.concurrency:
        return False
    most = math.exp(FLAT * math.log(many.concurrency / few.concurrency))
    return many.throughput < most * few.throughput and many.tpot < most * few.tpot


def _own_places(point: MeasuredPoint) -> Iterator[float]:
    """Yield the sequences that the engine runs at once as it comes, where no more seem to decode."""
    settings = catalog.engine(point.engine).settings_on(catalog.gpu(point.gpu)).settings
    places = float(settings.max_num_seqs * point.batches)
    if point.decoding <= AT_MOST * places:
        yield places


def _is_of_prompts(point: MeasuredPoint) -> bool:
    """Return whether prompts fill much of the steps, so that clients may wait for others' prompts."""
    settings = catalog.engine(point.engine).settings_on(catalog.gpu(point.gpu)).settings
    served = point.throughput / point.output_tokens * point.prompt_tokens
    return served * point.tpot > FULL * settings.token_budget * point.batches
