"""The palette: what the keys do and what is looked up, found by words and done."""

import pytest
from textual.widgets import Input

from fleettui.planning.studies import asked, read_line
from fleettui.planning.studies.whatif import WHATIF
from fleettui.planning.use_cases import use_cases
from fleettui.tui import keys
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.command import Command
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.palette import entries, found
from fleettui.tui.palette_commands import ENTRIES, SYNONYMS, WHATIFS
from fleettui.tui.widgets.choice_list import Lines
from tests.repeated import few
from tests.tui.driving import driven, lines, settle, until

MEANT = {
    "joint": "open file",
    "several": "open file",
    "several models": "open file",
    "fleet": "view fleet",
    "compare": "compare",
    "stock": "edit",
    "glossary": "help",
    "disagg": "view disagg",
    "sensitivity": "sensitivity",
    "growth": "growth",
    "failures": "failures",
    "forecast": "growth",
    "sweep": "whatif",
    "plans": "view plans",
    "why": "why",
    "gpu list": "gpu list",
    "backtest": "backtest",
    "r": "plan",
    "q": "quit",
    "R": "plan",
}
"""The entry that a person means by some words."""


async def test_every_key_of_the_view_and_every_use_case_is_offered(app: FleetApp) -> None:
    async with driven(app):
        offered = [entry.shown for entry in entries(app)]
        assert len(set(offered)) == len(offered)
        for key in (*keys.VIEW_KEYS, *keys.keys_of("fleet")):
            assert f"{key.verb.replace('_', ' ')}  ({key.shown})" in offered
        assert set(ENTRIES) <= set(offered)
        assert "mark  (spc)" not in offered, "it means nothing in view 2"


async def test_every_entry_says_what_comes_of_it(app: FleetApp) -> None:
    async with driven(app):
        for entry in entries(app):
            assert entry.name
            assert entry.help
            assert callable(entry.act)


def test_every_use_case_can_be_reached() -> None:
    """Those that have a key are found by it, the others are entries of their own."""
    from fleettui.tui.palette_commands import KEYED

    verbs = {key.verb for key in (*keys.VIEW_KEYS, *keys.KEYS)}
    assert set(KEYED.values()) <= verbs
    assert {case.name for case in use_cases()} - set(KEYED) - set(ENTRIES) == set()
    assert set(SYNONYMS) <= verbs | set(ENTRIES)


async def test_words_find_the_entry_that_they_fit_best(app: FleetApp) -> None:
    async with driven(app):
        known = list(entries(app))
        assert {typed: found(known, typed)[0].name for typed in MEANT} == MEANT
        assert found(known, "qqqqqqzzz") == []
        assert found(known, " ") == known


@pytest.mark.parametrize("enters", few([1, 2], 1))
async def test_what_is_typed_at_once_is_what_is_done(app: FleetApp, enters: int) -> None:
    """Seen: a second enter before the rows had come ended the app, or the first row was done in place of the typed."""
    async with driven(app) as pilot:
        await pilot.press("colon", *"model show", *["enter"] * enters)
        await settle_above(app, pilot)
        assert any("model show" in line for line in lines(app))
        await pilot.press("escape", "escape")
        await pilot.press("colon", *"power", "enter")
        await until(pilot, lambda: app.seen == "power")
        await settle(pilot)


async def settle_above(app: FleetApp, pilot: object) -> None:
    await until(pilot, lambda: len(app.screen_stack) > 1 and not isinstance(app.screen, Command))  # type: ignore[arg-type]


@pytest.mark.thorough
async def test_the_line_of_keys_names_what_enter_does(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("ctrl+p", *"view")
        assert lines(app)[-1].startswith("enter does view workload")
        await pilot.press("down")
        assert lines(app)[-1].startswith("enter does view fleet")
        await pilot.press("x")
        assert "no command has these words" in lines(app)[-1]
        await pilot.press("enter")
        assert isinstance(app.screen, Command), "nothing is done where nothing is found"
        await pilot.press("escape")
        assert len(app.screen_stack) == 1


async def test_a_row_is_done_by_the_mouse(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("colon", *"power")
        app.screen.query_one(Lines).action_open()
        await until(pilot, lambda: app.seen == "power")
        await settle(pilot)


@pytest.mark.parametrize(
    ("typed", "line"), [("growth 5%/month", "growth 5%/month"), ("routers only random", "only random")]
)
async def test_a_name_with_its_line_goes_on_with_it(typed: str, line: str, app: FleetApp) -> None:
    """Seen: growth 5%/month was told to be no command's words."""
    async with driven(app) as pilot:
        await pilot.press(":", *typed)
        assert lines(app)[-1].startswith(f"enter does {typed.partition(' ')[0]}")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        assert app.screen.query_one(Input).value == line


@pytest.mark.parametrize("name", WHATIFS)
async def test_a_what_if_by_its_name_begins_its_line(name: str, app: FleetApp) -> None:
    """Seen: growth opened an empty line, under which one had to find what to type."""
    async with driven(app) as pilot:
        await pilot.press(":", *name, "enter")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        assert app.screen.query_one(Input).value == WHATIFS[name].line
        asked(WHATIF, {"plan": "last", **read_line(WHATIF, WHATIFS[name].line)})
