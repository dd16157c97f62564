"""The views, in the order of their keys: a new one is a file here and a line in VIEWS."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from fleettui.tui.tabs.view import View

VIEWS: tuple[tuple[str, str], ...] = (
    ("workload", "WorkloadView"),
    ("fleet", "FleetView"),
    ("routing", "RoutingView"),
    ("disagg", "DisaggView"),
    ("power", "PowerView"),
    ("plans", "PlansView"),
    ("compare", "CompareView"),
    ("jobs", "JobsView"),
)
"""Module and class of each view; a module is imported when its view is first seen."""


def make(number: int) -> View:
    """Return a new view by its number, from 1."""
    module, name = VIEWS[number - 1]
    kind = getattr(import_module(f"fleettui.tui.tabs.{module}"), name)
    return cast(View, kind(id=f"view-{number}"))
