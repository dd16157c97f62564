"""The plans as pages: their signs, their order, what is left of them where there is little room."""

from __future__ import annotations

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.reports.plans_table import signed_table
from fleettui.reports.table import Table, render
from fleettui.tui.tabs import plan_rows
from fleettui.tui.tabs.plan_rows import Order, PlanRows, check, no_match
from store import Store
from tests.store import samples


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = Store.open(tmp_path / "plans.db", clock=samples.clock())
    for number in range(5):
        samples.add(opened, samples.answer(2, name=f"plan {number}"), workload_name="conv" if number % 2 else "burst")
    samples.begin(opened)
    return opened


def rows(store: Store, words: str = "", order: str = "", *, opened: str = "", wide: bool = True) -> PlanRows:
    return PlanRows(store=store, words=words, order=Order.read(order), opened=opened, wide=wide)


def names(table: Table) -> list[str]:
    """Return the name that begins each question."""
    return [row[2].split(":")[0] for row in table.rows]


@pytest.mark.parametrize("text", ["created", "-created", "cost", "-ttft", "name", "-verdict"])
def test_an_order_is_read_back(text: str) -> None:
    assert Order.read(text).text == text


@pytest.mark.parametrize("text", ["", "-", "colour", "--cost"])
def test_what_is_no_order_is_the_default(text: str) -> None:
    assert Order.read(text) == Order()


def test_the_key_goes_through_all_columns_and_back() -> None:
    order, seen = Order(), []
    for _ in plan_rows.SORTS:
        seen.append(order.words)
        order = order.next
    assert order == Order()
    assert len(set(seen)) == len(plan_rows.SORTS)
    assert order.turned.turned == order
    assert order.turned.words == "made, oldest first"


def test_a_page_is_what_the_store_finds(store: Store) -> None:
    found = rows(store, "conv", "name")
    page = found.page(0, 10)
    assert found.count() == len(page.keys) == 2
    assert names(page.table) == ["plan 1", "plan 3"]
    assert names(rows(store, "conv", "-name").page(1, 10).table) == ["plan 1"]
    assert page.keys == tuple(row.id for row in store.plans("conv", sort="name"))


def test_signs_tell_the_open_and_the_unfinished(store: Store) -> None:
    unfinished, newest, *_ = store.plans()
    table = signed_table(store.plans(), newest.id, wide=True)
    assert [row[0] for row in table.rows[:3]] == [
        f"! {unfinished.handle}",
        f"* {newest.handle}",
        f"  {store.plans()[2].handle}",
    ]


def test_where_there_is_little_room_the_figures_stay(store: Store) -> None:
    unnamed = store.plans()[2]
    store.set_name(unnamed.id, "")
    table = signed_table(store.plans(), "", wide=False)
    assert [column.title for column in table.columns] == [
        "  plan",
        "made (UTC)",
        "question",
        "model",
        "fleet",
        "$/h",
        "verdict",
    ]
    assert {row[3] for row in table.rows} == {"llama-3.1-70b bf16"}
    assert table.rows[0][2::2] == ("chat in may", "12 H100 + 4 A100", "NOT FINISHED")
    assert table.rows[1][2::2] == ("plan 4", "12 H100 + 4 A100", "~PASS")
    assert table.rows[2][2::2] == ("conv 83.3/s", "12 H100 + 4 A100", "~PASS")
    assert max(map(len, render(table, 77).splitlines())) <= 77


def test_the_whole_list_is_one_table(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_rows, "BATCH", 2)
    table = rows(store, "plan", "-created").whole()
    assert table.title == "5 plans   filter: plan   sorted by made, oldest first"
    assert names(table) == [f"plan {number}" for number in range(5)]


def test_a_very_long_list_says_what_is_left_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_rows, "BATCH", 2)
    monkeypatch.setattr(plan_rows, "MOST", 4)
    table = rows(store).whole()
    assert len(table.rows) == 4
    assert table.title.startswith("4 of 6 plans")


def test_where_nothing_matches_the_word_that_costs_most_is_named(store: Store) -> None:
    words = "plan conv cost<5"
    assert no_match(store, words) == f"No plan matches {words}.  2 without cost<5.  esc clears the filter"
    assert no_match(store, "cost<5") == "No plan matches cost<5.  esc clears the filter"
    assert no_match(store, "cost<5 gpus>999") == "No plan matches cost<5 gpus>999.  esc clears the filter"


def test_words_are_checked_without_the_store() -> None:
    check("azure cost<150 since:14d")
    with pytest.raises(InputError, match="not a query word"):
        check("colour:blue")
    assert "cost<150" in plan_rows.accepted()
