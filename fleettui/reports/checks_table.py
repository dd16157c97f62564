"""What the program needs, as a table: each check, how it is, and what to do where it is not well."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from fleettui.reports.table import Head, Table


class Check(Protocol):
    """A check as the table reads it: its name and state, what was found, and the remedy where one is needed."""

    @property
    def name(self) -> str:
        """What was looked at."""

    @property
    def state(self) -> str:
        """How it is: ok, warn or fail."""

    @property
    def found(self) -> str:
        """What was found."""

    @property
    def remedy(self) -> str:
        """What to do, empty where it is well."""


def checks_table(checks: Iterable[Check]) -> Table:
    """Return one row per check."""
    columns = (
        Head(title=""),
        Head(title="what"),
        Head(title="found", wrap=True),
        Head(title="do", wrap=True),
    )
    return Table(columns=columns, rows=tuple((one.state, one.name, one.found, one.remedy) for one in checks))
