"""The palette: what the keys do and what is looked up, found by words and done."""

from textual.command import CommandPalette, Hit
from textual.widgets import OptionList

from fleettui.planning.use_cases import use_cases
from fleettui.tui import keys
from fleettui.tui.app import FleetApp
from fleettui.tui.palette import Commands
from fleettui.tui.palette_commands import ENTRIES
from tests.tui.driving import driven, settle, until


async def test_every_key_of_the_view_and_every_use_case_is_offered(app: FleetApp) -> None:
    async with driven(app):
        offered = [words for words, _, _ in Commands(app.screen).entries()]
        assert len(set(offered)) == len(offered)
        for key in (*keys.VIEW_KEYS, *keys.keys_of("fleet")):
            assert f"{key.verb.replace('_', ' ')}  ({key.shown})" in offered
        assert set(ENTRIES) <= set(offered)
        assert "mark  (spc)" not in offered, "it means nothing in view 2"


async def test_every_entry_says_what_comes_of_it(app: FleetApp) -> None:
    async with driven(app):
        for words, help, act in Commands(app.screen).entries():
            assert words
            assert help
            assert callable(act)


def test_every_use_case_can_be_reached() -> None:
    """Those that have a key are found by it, the others are entries of their own."""
    from fleettui.tui.palette_commands import KEYED

    verbs = {key.verb for key in (*keys.VIEW_KEYS, *keys.KEYS)}
    assert set(KEYED.values()) <= verbs
    assert {case.name for case in use_cases()} - set(KEYED) - set(ENTRIES) == set()


async def test_words_find_the_entry_that_they_fit_best(app: FleetApp) -> None:
    async with driven(app):
        hits = [hit async for hit in Commands(app.screen).search("gpu list") if isinstance(hit, Hit)]
        assert str(max(hits, key=lambda hit: hit.score).match_display) == "gpu list"
        assert [hit async for hit in Commands(app.screen).search("qqqqqqzzz")] == []
        assert [hit async for hit in Commands(app.screen).discover()]


async def test_an_entry_is_done_when_it_is_chosen(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press("escape")
        assert not isinstance(app.screen, CommandPalette)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press(*"power")
        await until(pilot, lambda: app.screen.query_one(OptionList).option_count)
        await pilot.press("enter")
        if isinstance(app.screen, CommandPalette):
            await pilot.press("enter")
        await until(pilot, lambda: app.seen == "power")
        await settle(pilot)
