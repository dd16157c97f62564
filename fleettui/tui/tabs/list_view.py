"""What views of a list have in common: a table of any length, and what is read of the row under its cursor."""

from __future__ import annotations

from abc import abstractmethod

from fleettui.tui.background_reader import BackgroundReader
from fleettui.tui.tabs.view import LOW, View
from fleettui.tui.widgets.paged_table import PagedTable
from fleettui.tui.widgets.text_lines import Text


class ListView(View):
    """A list, a title and texts of the row under the cursor; `wide` and `low` are its classes by the screen's size."""

    def on_mount(self) -> None:
        """Be ready to read of the row under the cursor."""
        self._reader = BackgroundReader(self, self.fleet_app.spawn, self._look)

    @abstractmethod
    async def _look(self, key: str) -> None:
        """Read what belongs to a row, and show it if the cursor is still there."""

    @property
    def table(self) -> PagedTable:
        """The list."""
        return self.query_one(PagedTable)

    @property
    def column(self) -> int:
        """The columns of a text beside or above another."""
        width = self.app.size.width
        return width // 2 - 2 if self.wide else width - 2

    def first_focus(self) -> PagedTable:
        """The list has the focus."""
        return self.table

    def show(self) -> None:
        """Fit the screen."""
        self.set_class(self.wide, "wide")
        self.set_class(self.app.size.height < LOW, "low")

    def on_paged_table_moved(self, event: PagedTable.Moved) -> None:
        """Read of the row under the cursor once the cursor rests."""
        if event.key:
            self._reader.want(event.key)

    def tell(self, **texts: str) -> None:
        """Show texts in the parts of the view that have these names."""
        for name, text in texts.items():
            self.query_one(f"#{self.entry.name}-{name}", Text).show(text)
