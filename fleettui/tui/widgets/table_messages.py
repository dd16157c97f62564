"""What a paged table says: handlers are named on_paged_table_moved and so on, as if these stood inside the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from fleettui.tui.widgets.paged_table import PagedTable


class _Said(Message):
    """What a table says."""

    def __init__(self, table: PagedTable) -> None:
        super().__init__()
        self.table = table

    @property
    def control(self) -> PagedTable:
        """The table, by which a handler may select."""
        return self.table


class Moved(_Said, namespace="paged_table"):
    """The cursor stands on another key; None when there is no row."""

    def __init__(self, table: PagedTable, key: str | None) -> None:
        super().__init__(table)
        self.key = key


class Opened(_Said, namespace="paged_table"):
    """Enter was pressed on a row, or it was clicked twice."""

    def __init__(self, table: PagedTable, key: str) -> None:
        super().__init__(table)
        self.key = key


class Counted(_Said, namespace="paged_table"):
    """The rows were counted."""

    def __init__(self, table: PagedTable, count: int) -> None:
        super().__init__(table)
        self.count = count
