"""Compress-and-Route of a plan in words: who is borderline, the cliff, which share compresses, what that saves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fleettui.domain.borderline import Band
from fleettui.domain.fleet import Fleet
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports import units
from fleettui.reports.study_tables import study_table
from fleettui.reports.text_page import Item

SAVES, AT_SPLITS = "what compression saves", "the best gamma at each split"
"""The titles of the tables in a plan's reasons that hold it."""
NONE = "This fleet compresses nothing, though the question allows it."
UNKNOWN = ":why works out what each gamma moves, costs and saves."


def largest_gamma(question: Question, fleet: Fleet | None) -> float:
    """Return the factor up to which requests count as borderline: the fleet's, else the largest that is searched."""
    return fleet.gamma if fleet is not None and fleet.gamma > 1.0 else question.gamma[1]


def compression_items(fleet: Fleet, question: Question, reasons: Study | None) -> list[Item]:
    """Return what is said of compression where the question or the fleet has any; nothing where not.

    `reasons` are the kept ones of the plan, of which the tables are shown that tell what compression saves.
    """
    gamma = largest_gamma(question, fleet)
    if gamma <= 1.0:
        return []
    told = [*_cliffs(fleet, gamma), _share(fleet, question) if fleet.gamma > 1.0 else NONE]
    known = [] if reasons is None else [one for one in reasons.tables if one.title in (SAVES, AT_SPLITS)]
    return [" ".join(told), *(map(study_table, known) if known else [UNKNOWN])]


def _cliffs(fleet: Fleet, gamma: float) -> Iterator[str]:
    for short, long in pairwise(fleet.pools):
        band = Band(split=short.up_to, gamma=gamma)
        ratio = short.concurrency / long.concurrency
        yield (
            f"Requests of {units.count(band.split + 1)} to {units.count(band.up_to)} tokens are borderline: a replica "
            f"of pool {short.name} runs {units.count(short.concurrency)} at once, one of pool {long.name} "
            f"{units.count(long.concurrency)}, a cliff of {ratio:.1f} times the place."
        )


def _share(fleet: Fleet, question: Question) -> str:
    measured = question.compressor
    if measured is None:
        return f"{units.percent(fleet.compressible)} of them are assumed to compress; :compress measures that."
    low, high = units.percent(measured.low), units.percent(measured.high)
    return (
        f"{units.percent(measured.share)} of them compress, as study {measured.study} measured ({low} to {high}), "
        f"in {units.seconds(measured.seconds)} at P99."
    )
