"""A workload whose rate and lengths go over a day: what sizes a fleet for it is a stretch in which most comes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from fleettui.domain.day import Day, Window, clock
from fleettui.domain.workload import ArrivalStatistics, LengthDistribution, TimeSlice, Workload
from fleettui.errors import InputError

NOBODY: Mapping[str, LengthDistribution] = {}
"""A day whose lengths are the same from its start to its end."""


def in_busiest(workload: Workload, day: Day, lengths: Mapping[str, LengthDistribution] = NOBODY) -> Workload:
    """Return `workload` as it comes in the day's busiest window, the first of equals, with a note on the others.

    Where its windows name workloads, whose `lengths` these are, each of them has a time slice, its busiest window: a
    fleet that holds in it holds in all windows with these lengths. Raises InputError where the workload has time slices
    of its own.
    """
    if len(workload.slices) > 1:
        raise InputError(
            "the workload has time slices of its own",
            where=workload.name,
            value=f"{len(workload.slices)} slices, and {day.name}",
            accepted="one of the two",
            remedy="leave out --arrivals, or build the workload without --slices",
        )
    own = workload.slices[0].lengths
    most = [one for one in busiest_of(day) if one.rate > 0.0]
    slices = tuple(
        TimeSlice(
            start=one.start,
            duration=one.seconds,
            rate=one.rate,
            lengths=lengths[one.workload] if one.workload else own,
            workload=one.workload,
        )
        for one in most
    )
    peak = max(most, key=lambda one: one.rate)
    return replace(
        workload,
        slices=slices,
        arrivals=ArrivalStatistics(timing="profile", mean_rate=peak.rate, duration=peak.seconds),
        notes=(*workload.notes, _note(day, most)),
        times=(),
        day=day,
    )


def busiest_of(day: Day) -> tuple[Window, ...]:
    """Return of each workload that windows name the window of its highest rate, joined with those after it of the same.

    They are in the order of their starts; a day whose windows name none has one.
    """
    found: dict[str, Window] = {}
    for one in _joined(day):
        if one.workload not in found or one.rate > found[one.workload].rate:
            found[one.workload] = one
    return tuple(sorted(found.values(), key=lambda one: one.start))


def _joined(day: Day) -> Iterator[Window]:
    """Yield the windows, neighbours of one rate and one workload as one."""
    for _, group in groupby(day.windows, key=lambda one: (one.rate, one.workload)):
        windows = list(group)
        yield replace(windows[0], end=windows[-1].end)


def _note(day: Day, most: list[Window]) -> str:
    head = f"{day.name}: {len(day.windows)} slices over {day.hours:.4g} h, {day.mean:.4g}/s on average; the busiest "
    if not day.workloads:
        return f"{head}is {told(most[0].start, most[0].seconds)}, {most[0].rate:.4g}/s"
    each = (f"{called(one.start, one.seconds, one.workload)}, {one.rate:.4g}/s" for one in most)
    return f"{head}of each mix of lengths: {'; '.join(each)}"


def called(start: float, seconds: float, workload: str) -> str:
    """Return a stretch of the clock, and whose lengths its requests have where a workload is named.

    >>> called(50400.0, 3600.0, "azure-2023-code"), called(50400.0, 3600.0, "")
    ('14:00-15:00 (azure-2023-code)', '14:00-15:00')
    """
    return told(start, seconds) + (f" ({Path(workload).name})" if workload else "")


def told(start: float, seconds: float) -> str:
    """Return a stretch of the clock as a day file writes it.

    >>> told(50400.0, 3600.0)
    '14:00-15:00'
    """
    return f"{clock(start)}-{clock(start + seconds)}"
