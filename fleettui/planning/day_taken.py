"""The day that a study takes of a kept plan: the one that is named, else the plan's own, else a shipped shape."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from fleettui.workloads.days import DEFAULT, read_day, unlike_yours

if TYPE_CHECKING:
    from fleettui.domain.day import Day
    from fleettui.planning.kept_plan import KeptPlan


class DayTaken(NamedTuple):
    """A day, the option that says it, empty where it is the plan's own, and what is to be said of it, if anything."""

    day: Day
    option: str
    caution: str


def day_option(named: str) -> str:
    """Return the option that says a day, as it can be typed.

    >>> day_option("my days/mon.csv")
    "--day 'my days/mon.csv'"
    """
    return f"--day {shlex.quote(named)}"


def day_taken(kept: KeptPlan, named: str) -> DayTaken:
    """Return the day called `named`, where that is empty the plan's own, at the plan's rate, else a shipped shape.

    The plan's own is that of its arrivals, where lengths stay the same in it. Raises InputError for a day that does not
    read.
    """
    rate, own = kept.answer.demand.rate, kept.workload.day
    if not named and own is not None and not own.workloads:
        return DayTaken(own.scaled(rate), "", "")
    found = read_day(named or DEFAULT, peak=rate, where="--day")
    caution = unlike_yours(found.name) if named else _instead(kept, found.name)
    return DayTaken(found, day_option(named or DEFAULT), caution)


def _instead(kept: KeptPlan, shape: str) -> str:
    """Return why the shape of another service's day is taken where none is named."""
    own, file = kept.workload.day, kept.question.arrivals.removeprefix("profile:")
    if own is not None:
        return f"lengths change over {own.name} and here they do not: the day's shape is another's, {shape}"
    if file != kept.question.arrivals:
        return f"the plan does not hold its day, and the shape is another service's, {shape}: --day {file} gives it"
    return unlike_yours(shape)
