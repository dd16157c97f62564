"""A view of one list, of which a new one says what its rows are and what is told of each.

    '''The studies that are kept.'''

    from collections.abc import Sequence

    from fleettui.domain.study import Study
    from fleettui.reports.columns import figure, words
    from fleettui.tui.tabs.row_list import RowList
    from store import Store


    class StudiesView(RowList[Study]):
        '''What was found out about plans.'''

        empty = "No study yet."
        columns = (
            words("study", lambda row: row.handle),
            words("title", lambda row: row.title, wrap=True),
            figure("tables", lambda row: len(row.tables)),
        )

        def listed(self, store: Store) -> Sequence[Study]:
            '''Return the newest studies.'''
            return store.studies(200)

That is `studies.py`; its place is an entry of VIEWS, titled "Studies". All plans are
`store.plans(limit=store.count())`. Filter, paging, sizes of the screen, reading again and copying stand here. A row
is known by its words. Below the list, copied and on a page after enter stands what its columns say, or what `told`
returns; `opened` does more. Where keys act on a plan, `selected_plan` says on which. What is too long to be read at
once has `rows` of its own. Its test is

    async def test_studies_are_listed(app: FleetApp) -> None:
        async with seen(app, "studies") as (_, view):
            assert "When does each fleet run out?" in view.copied()

by `seen` of `tests/tui/driving.py`, whose `until` waits for what is told once the cursor was moved; what holds for
every list is tested of it, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from fleettui.reports.columns import Column, table
from fleettui.reports.table import Head, Table, render
from fleettui.tui import turns
from fleettui.tui.actions.pages import show
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.row_words import NO_ROW
from fleettui.tui.tabs.list_rows import ListRows, Row, all_rows
from fleettui.tui.tabs.list_view import ListView
from fleettui.tui.widgets.paged_table import PagedTable
from fleettui.tui.widgets.pane_title import PaneTitle
from fleettui.tui.widgets.scroll import Scroll
from fleettui.tui.widgets.text_lines import Text

if TYPE_CHECKING:
    from store import Store


class RowList(ListView, Generic[Row]):
    """A status, a list, and below it the row under the cursor in words."""

    DEFAULT_CSS = """
    RowList {
        .list-status { height: auto; max-height: 2; }
        .list-rows { height: 1fr; min-height: 4; }
        .list-title { height: 1; color: $text-muted; }
        .list-lower { height: auto; max-height: 60%; }
        .list-detail { height: auto; width: 1fr; }
        &.wide .list-lower { layout: horizontal; height: 50%; }
        &.low .list-title, &.low .list-lower { display: none; }
    }
    """
    columns: tuple[Column[Any], ...] = ()
    """What the rows that are `listed` say."""
    empty: ClassVar[str] = "nothing yet"
    """What stands in a list without rows."""
    filter_help: ClassVar[str] = "words that a row has, all of them"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._rows: ListRows[Row] | None = None
        self._words = ""
        self._has_beside = False

    def listed(self, store: Store) -> Sequence[Row]:
        """Return all rows, the first first; called in a thread."""
        raise NotImplementedError

    def rows(self) -> ListRows[Row]:
        """Return the list, that of the rows `listed` unless a view has its own; its width and words are set here."""
        return all_rows(partial(self.listed, self.store), self.columns)

    async def told(self, row: Row) -> Mapping[str, str]:
        """Return what is told of a row: its `title`, its `detail`, and the texts of parts of the view's own."""
        cells = table(self.columns, [row])
        pairs = [(head.title, cell.strip()) for head, cell in zip(cells.columns, cells.rows[0], strict=True)]
        sides = Table(columns=(Head(title=""), Head(title="", wrap=True)), rows=tuple(pairs[1:]))
        return {"title": " ".join(pairs[0]), "detail": render(sides, self.column)}

    async def opened(self, row: Row) -> None:
        """Do what enter does on a row: show what is told of it on a page."""
        texts = await self.told(row)
        show(self.fleet_app, texts["title"], lambda _: texts["detail"])

    @property
    def store(self) -> Store:
        """The store, which is open before anything is listed."""
        assert self.fleet_app.store is not None, "a list is shown once the store is open"
        return self.fleet_app.store

    def status(self) -> str:
        """Return what stands above the list, behind the filter."""
        return ""

    def beside(self) -> Iterator[Widget]:
        """Yield what stands beside the words of a row."""
        yield from ()

    @property
    def column(self) -> int:
        """The columns of the words of a row: all that there are where nothing stands beside them."""
        return super().column if self._has_beside else self.app.size.width - 2

    def compose(self) -> ComposeResult:
        """Lay out status, list, and the words of a row in a part that scrolls."""
        name = self.entry.name
        yield _classed(Text(id=f"{name}-status"), "status")
        yield _classed(PagedTable(id=f"{name}-list"), "rows")
        yield _classed(PaneTitle(id=f"{name}-title", of=f"{name}-lower"), "title")
        beside = tuple(self.beside())
        self._has_beside = bool(beside)
        with _classed((Vertical if beside else Scroll)(id=f"{name}-lower"), "lower"):
            yield _classed(Text(id=f"{name}-detail"), "detail")
            yield from beside

    @property
    def line(self) -> Row | None:
        """The row under the cursor as it was read last."""
        return None if self._rows is None else self._rows.lines.get(self.table.key or "")

    def show(self) -> None:
        """Show the rows as they are now."""
        super().show()
        shown = self._rows
        if self.fleet_app.store is None:
            return
        if shown is not None and (shown.wide, shown.words) == (self.wide, self._words):
            self.tick()
            return
        self._rows = self.rows()
        self._rows.wide, self._rows.words = self.wide, self._words
        self._rows.lines = {} if shown is None else shown.lines
        self.table.show(self._rows, empty=NO_ROW.format(self._words) if self._words else self.empty)

    def tick(self) -> None:
        """Read the rows in view and the one under the cursor again."""
        if self._rows is not None:
            with turns.background():
                self.table.reload()

    def on_paged_table_counted(self) -> None:
        """Take in what was read anew."""
        told = self.status()
        self.tell(status=f"/ filter: {self._words}   {told}".rstrip() if self._words else told)
        if self.table.key:
            self._reader.want(self.table.key, at_once=True)
        else:
            self.tell(title="", detail="")
            self.fleet_app.draw_frame()

    def on_paged_table_opened(self) -> None:
        """Do what enter does."""
        if self.line is not None:
            self.fleet_app.spawn(self.opened(self.line))

    async def _look(self, key: str) -> None:
        row = None if self._rows is None else self._rows.lines.get(key)
        if row is None:
            return
        texts = await self.told(row)
        if self.table.key == key:
            self.tell(**texts)
            self.fleet_app.draw_frame()

    async def do_filter(self) -> None:
        """Ask for the words that a row is to have."""
        words = await self.fleet_app.push_screen_wait(Prompt("filter", value=self._words, help=self.filter_help))
        if words is not None:
            self._words = " ".join(words.split())
            self.show()

    def do_back(self) -> None:
        """Clear the filter."""
        self._words = ""
        self.show()

    def copied(self) -> str:
        """Return the row under the cursor in words."""
        detail = self.query_one(f"#{self.entry.name}-detail", Text).text
        return "\n".join(filter(None, (self.query_one(PaneTitle).title, detail)))

    def possible(self) -> dict[str, object]:
        """A row can be copied."""
        return {"copy": self.line}


def _classed(widget: Widget, part: str) -> Widget:
    """Return a part of the view, known to its styles."""
    widget.add_class(f"list-{part}")
    return widget
