"""Settings as a table: each with its value and where that comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from fleettui.reports import units
from fleettui.reports.table import Head, Table


class Setting(Protocol):
    """A setting as the table reads it: its name, its text (None: not set), and where that comes from."""

    @property
    def name(self) -> str:
        """What is set."""

    @property
    def text(self) -> str | None:
        """Its value as it is typed."""

    @property
    def source(self) -> str:
        """What kind of place the value comes from."""

    @property
    def where(self) -> str:
        """That place by its name, empty for a default."""


def settings_table(settings: Iterable[Setting]) -> Table:
    """Return one row per setting."""
    columns = (Head(title="setting"), Head(title="value", wrap=True), Head(title="from", wrap=True))
    rows = tuple((one.name, one.text or units.UNDEFINED, one.where or one.source) for one in settings)
    return Table(columns=columns, rows=rows)
