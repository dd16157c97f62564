"""The grid of the question's keys: every key with its meaning, edited, undone, given its default."""

from dataclasses import replace

import pytest
from textual.app import App
from textual.content import Content
from textual.widgets import Input

from fleettui.reports.question.keys import BY_NAME, GROUPS, group_of
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.modals.question import Grid, ordered
from fleettui.tui.question_draft import Draft
from fleettui.tui.state import AppState
from fleettui.tui.use_case_thread import UseCaseThread
from fleettui.tui.widgets.choice_list import Lines
from tests.tui.conftest import CONV
from tests.tui.driving import SHEET, lines, text_of, typed
from tests.tui.frames import frame, rules


class Editing(App[None]):
    """Shows the grid at once, and keeps how it was left."""

    CSS_PATH = SHEET

    def __init__(self, first: str = "slo-ttft") -> None:
        super().__init__()
        self.state = AppState(thread=UseCaseThread(None, 1), draft=Draft.of(CONV))
        self.first, self.left = first, ""

    def on_mount(self) -> None:
        self.push_screen(Grid(self.state, self.first), lambda how: setattr(self, "left", how))

    def skinned(self, content: Content) -> Content:
        return content


def row(app: App[None], name: str) -> str:
    """Return the line of a key, borders and scrollbar off."""
    found = [line.replace("|>", "| ", 1).strip("| │+█▇▆▅▄▃▂▁") for line in lines(app)]
    return next(line for line in found if line.removeprefix("* ").startswith(f"{name} "))


def highlighted(app: App[None]) -> str:
    grid = app.screen
    assert isinstance(grid, Grid)
    return grid.chosen


def test_every_key_is_there_once_by_its_group() -> None:
    assert {key.name for key in ordered()} == set(BY_NAME)
    assert len(ordered()) == len(BY_NAME)
    assert list(dict.fromkeys(map(group_of, ordered()))) == list(GROUPS)


@pytest.mark.parametrize("first", ["slo-ttft", "workload", "name"])
async def test_the_cursor_begins_where_it_is_wanted_and_its_key_is_told(first: str) -> None:
    app = Editing(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert highlighted(app) == first
        key = BY_NAME[first]
        assert text_of(app, "#finder-about") == f"{key.help}; for example {key.example}\n{group_of(key).about}"
        assert rules(frame(app), 80, 24) == []


async def test_keys_that_are_set_and_defaults_are_shown() -> None:
    app = Editing("workload")
    async with app.run_test(size=(100, 60)) as pilot:
        await pilot.pause()
        assert row(app, "rate").startswith("rate                100/s ")
        assert row(app, "model").startswith("model               llama-3.1-70b ")
        assert row(app, "peak-factor").startswith("peak-factor         - ")


async def test_an_edit_is_marked_and_what_was_is_told() -> None:
    app = Editing()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await typed(pilot, "300ms")
        await pilot.pause()
        assert app.state.draft.value("slo-ttft") == "300ms"
        assert row(app, "slo-ttft").startswith("* slo-ttft            300ms ")
        assert text_of(app, "#finder-about").split("\n")[0].endswith("   was 0.5s")
        assert highlighted(app) == "slo-ttft"
        await pilot.press("ctrl+z")
        assert app.state.draft == Draft.of(CONV)
        assert not row(app, "slo-ttft").startswith("*")


async def test_a_key_gets_its_default_back() -> None:
    app = Editing("tp")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("delete")
        assert app.state.draft.value("tp") == "auto"
        assert row(app, "tp").startswith("* tp                  auto ")
        await pilot.press("delete")
        assert len(app.state.earlier) == 1


async def test_leaving_the_prompt_changes_nothing_and_the_grid_stays() -> None:
    app = Editing()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter", "9", "escape")
        assert app.state.draft == Draft.of(CONV)
        assert isinstance(app.screen, Grid)


@pytest.mark.parametrize(("key", "how"), [("escape", "leave"), ("ctrl+r", "plan")])
async def test_how_it_is_left(key: str, how: str) -> None:
    app = Editing()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        assert app.left == how
        assert not isinstance(app.screen, Grid)


async def test_arrows_move_the_cursor_which_is_seen_without_colours() -> None:
    app = Editing()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "down", "up")
        assert [line[1] for line in lines(app) if line[1:2] == ">"] == [">"]
        assert any(line.startswith("|>   slo-tpot ") for line in lines(app))
        assert highlighted(app) == ordered()[[key.name for key in ordered()].index("slo-ttft") + 1].name


async def test_what_a_key_takes_is_told_whole_beside_the_list_and_where_it_is_typed() -> None:
    app = Editing("objective")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        told = "\n".join(line.strip("|") for line in lines(app))
        assert BY_NAME["objective"].hint in " ".join(told.split())
        assert group_of(BY_NAME["objective"]).about in told
        await pilot.press("enter")
        await pilot.pause()
        assert text_of(app, "#prompt-help") == BY_NAME["objective"].hint


async def test_letters_find_keys_and_what_is_typed_after_an_edit_finds_another() -> None:
    app = Editing()
    async with app.run_test(size=(80, 24)) as pilot:
        for words, found in (("stock", "max-gpus"), ("headroom", "headroom"), ("cache hit", "prefix-hit")):
            await pilot.press(*(key if key != " " else "space" for key in words))
            assert highlighted(app) == found
            await pilot.press("enter")
            await pilot.pause()
            assert isinstance(app.screen, Prompt)
            await pilot.press("escape")
            await pilot.pause()
        await pilot.press(*"no-such-key", "enter")
        assert "no key has these words" in frame(app)
        assert isinstance(app.screen, Grid)


async def test_a_key_with_its_text_finds_the_key_and_asks_with_that_text() -> None:
    """Found: rate=38.4/s, the form of a sweep, found no key."""
    app = Editing()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"rate", "equals_sign", *"38.4", "slash", "s")
        assert highlighted(app) == "rate"
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, Prompt)
        assert app.screen.query_one(Input).value == "38.4/s"
        await pilot.press("enter")
        await pilot.pause()
        assert app.state.draft.value("rate") == "38.4/s"


async def test_escape_shows_all_keys_again_before_it_leaves() -> None:
    app = Editing()
    async with app.run_test(size=(80, 24)) as pilot:
        assert "ctrl+r plan  esc back" in lines(app)[-2]
        await pilot.press(*"stock")
        assert "ctrl+r plan  esc all" in lines(app)[-2]
        await pilot.press("escape")
        await pilot.pause()
        assert "ctrl+r plan  esc back" in lines(app)[-2]
        assert isinstance(app.screen, Grid)
        assert app.screen.query_one(Input).value == ""
        assert len(app.screen.rows("")) == len(BY_NAME)
        await pilot.press("escape")
        assert app.left == "leave"


async def test_a_slash_begins_a_filter_here_as_elsewhere() -> None:
    app = Editing()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"engine")
        assert highlighted(app) == "engine"


async def test_every_key_is_one_line_whatever_its_name_and_text() -> None:
    app = Editing("workload")
    async with app.run_test(size=(80, len(BY_NAME) + 10)) as pilot:
        app.state.draft = Draft.of(replace(CONV, workload=f"/{'long/' * 20}chat.jsonl"))
        await pilot.press("delete", "ctrl+z")
        first, *others = (line.strip("|") for line in lines(app)[2 : len(BY_NAME) + 2])
        assert first.rstrip().endswith("…")
        assert [line.split()[0] for line in others] == [key.name for key in ordered()[1:]]
        helps = [line.index(key.help[:20]) for key, line in zip(ordered()[1:], others, strict=True)]
        assert len(set(helps)) == 1


async def test_a_smaller_terminal_has_every_key_on_one_line_still() -> None:
    app = Editing()
    async with app.run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert app.screen.query_one(Lines).size.height == len(BY_NAME)
        assert row(app, "slo-ttft").endswith("…")
