"""The pictures of the replicas of a fleet, and of which fleet they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fleettui.reports.bars import Bars
    from fleettui.tui.shown import Shown


class Pictures(NamedTuple):
    """The pictures of the replicas of a plan's candidate, which `of` names by the ids of both."""

    of: tuple[str, str] = ("", "")
    found: tuple[Bars, ...] = ()


def of_plan(shown: Shown) -> tuple[str, str]:
    """Return the ids of the plan and of the candidate that is looked at, empty where there is none."""
    return shown.plan, "" if shown.candidate is None else shown.candidate.candidate
