"""Reading page by page, while other programs write, and what is kept of it."""

from fleettui.errors import StoreBusyError
from fleettui.reports.table import Head, Table
from fleettui.tui.widgets.pages import KEPT, SIZE, Page, Pages, complaint, index_of, read


class Numbers:
    """Rows with their own index as text and key; `said` is what it counts where that is not so."""

    def __init__(self, length: int, said: int | None = None) -> None:
        self.length, self.said = length, said
        self.asked: list[object] = []

    def count(self) -> int:
        self.asked.append("count")
        return self.length if self.said is None else self.said

    def page(self, offset: int, limit: int) -> Page:
        self.asked.append((offset, limit))
        return page(range(offset, min(self.length, offset + limit)))


def page(numbers: range) -> Page:
    rows = tuple((str(number),) for number in numbers)
    return Page(table=Table(columns=(Head(title="n"),), rows=rows), keys=tuple(f"k{number}" for number in numbers))


def test_only_the_pages_of_the_wanted_rows_are_read() -> None:
    rows = Numbers(1_000_000)
    found = read(rows, range(950, 1010))
    assert rows.asked == ["count", (900, SIZE), (1000, SIZE)]
    assert found.count == 1_000_000
    assert [one.keys[0] for one in found.pages.values()] == ["k900", "k1000"]
    assert read(rows, range(0, 40), 500).count == 500
    assert rows.asked[3:] == [(0, SIZE)]


def test_when_rows_are_gone_the_last_ones_are_read() -> None:
    rows = Numbers(120)
    assert list(read(rows, range(900, 960)).pages) == [0, 1]
    assert list(read(rows, range(900, 910)).pages) == [1]


def test_nothing_is_read_of_nothing() -> None:
    rows = Numbers(0)
    assert read(rows, range(0, 40)).pages == {}
    assert rows.asked == ["count"]
    assert read(Numbers(5), range(0), 5).pages == {}


def test_a_page_puts_the_count_right() -> None:
    assert read(Numbers(30), range(0, 40), 90).count == 30
    assert read(Numbers(150), range(100, 140), 120).count == 150
    assert read(Numbers(300), range(100, 180), 180).count == 200
    assert read(Numbers(500, said=700), range(600, 640), 700).count == 700


def test_what_was_read_is_found_by_its_index() -> None:
    pages = Pages()
    pages.put({1: page(range(100, 150))})
    assert (pages.row(149), pages.key(149)) == (("149",), "k149")
    assert (pages.row(150), pages.key(150)) == (None, None)
    assert pages.row(0) is pages.row(200) is None
    assert not pages.missing(range(100, 200))
    assert pages.missing(range(99, 101))
    assert pages.missing(range(199, 201))
    assert not pages.missing(range(0))


def test_the_pages_unused_for_longest_go() -> None:
    pages = Pages()
    for number in range(KEPT):
        pages.put({number: page(range(number * SIZE, (number + 1) * SIZE))})
    assert pages.row(5) == ("5",)
    pages.put({KEPT: page(range(KEPT * SIZE, (KEPT + 1) * SIZE))})
    assert pages.row(5) == ("5",)
    assert pages.row(SIZE + 5) is None
    assert sum(pages.row(number * SIZE) is not None for number in range(KEPT + 1)) == KEPT


def test_outdated_pages_are_shown_and_wanted() -> None:
    pages = Pages()
    pages.put({0: page(range(100)), 1: page(range(100, 200))})
    pages.outdate()
    assert pages.row(5) == ("5",)
    assert pages.missing(range(5))
    pages.put({0: page(range(100))})
    assert not pages.missing(range(5))
    assert pages.missing(range(100, 105))


def test_a_key_is_found_in_pages_that_were_read() -> None:
    pages = {3: page(range(300, 400))}
    assert index_of("k342", pages) == 342
    assert index_of("k1", pages) is index_of(None, pages) is None


def test_an_error_is_one_line() -> None:
    busy = StoreBusyError("another program writes\n  do: wait")
    assert complaint(busy) == "! the rows cannot be read: another program writes"
    assert complaint(ValueError("bad")) == "! the rows cannot be read: ValueError: bad"
    assert complaint(KeyError()) == "! the rows cannot be read: KeyError: "
