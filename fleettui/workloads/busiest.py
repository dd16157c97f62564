"""A workload whose rate goes over a day: what sizes a fleet for it is the busiest stretch."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.day import Day, Window, clock
from fleettui.domain.workload import ArrivalStatistics, TimeSlice, Workload
from fleettui.errors import InputError


def in_busiest(workload: Workload, day: Day) -> Workload:
    """Return `workload` as it comes in the day's busiest window, the first of equals, with a note on the others.

    Lengths are the same all day, so a fleet that holds in that window holds in all. Raises InputError where the
    workload has time slices of its own.
    """
    if len(workload.slices) > 1:
        raise InputError(
            "the workload has time slices of its own",
            where=workload.name,
            value=f"{len(workload.slices)} slices, and {day.name}",
            accepted="one of the two",
            remedy="leave out --arrivals, or build the workload without --slices",
        )
    most = busiest_of(day)
    lengths = workload.slices[0].lengths
    note = (
        f"{day.name}: {len(day.windows)} slices over {day.hours:.4g} h, {day.mean:.4g}/s on average; "
        f"the busiest is {told(most.start, most.seconds)}, {most.rate:.4g}/s"
    )
    return replace(
        workload,
        slices=(TimeSlice(start=most.start, duration=most.seconds, rate=most.rate, lengths=lengths),),
        arrivals=ArrivalStatistics(timing="profile", mean_rate=most.rate, duration=most.seconds),
        notes=(*workload.notes, note),
        times=(),
    )


def busiest_of(day: Day) -> Window:
    """Return the window of the highest rate, joined with those after it of the same."""
    first = next(place for place, one in enumerate(day.windows) if one.rate == day.peak)
    last = first
    while last + 1 < len(day.windows) and day.windows[last + 1].rate == day.peak:
        last += 1
    return Window(start=day.windows[first].start, end=day.windows[last].end, rate=day.peak)


def told(start: float, seconds: float) -> str:
    """Return a stretch of the clock as a day file writes it.

    >>> told(50400.0, 3600.0)
    '14:00-15:00'
    """
    return f"{clock(start)}-{clock(start + seconds)}"
