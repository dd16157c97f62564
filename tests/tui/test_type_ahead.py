"""Keys typed faster than the app opens what they ask for: none is lost, none goes anywhere else."""

import asyncio

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from fleettui.errors import InputError
from fleettui.tui import turns, type_ahead
from fleettui.tui.actions.pages import done, show
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.ask import Ask
from fleettui.tui.modals.page import Page
from tests.tui.driving import driven, settle, told, until


def burst(pilot: Pilot[int], *keys: str) -> None:
    """Type keys with nothing between them, as a terminal hands them over that was read late."""
    for key in keys:
        name = {"/": "slash", ":": "colon", " ": "space"}.get(key, key)
        pilot.app.post_message(events.Key(name, key if len(key) == 1 else None))


async def at_rest(pilot: Pilot[int], app: FleetApp) -> None:
    """Wait until every key was given."""
    await pilot.pause()
    await until(pilot, lambda: app._typing._giving is None)


async def test_a_form_gets_what_was_typed_while_it_opened(app: FleetApp) -> None:
    async with driven(app) as pilot:
        burst(pilot, "a", *"azure-2023-code", "enter", *"5", "0", "/", "s", "enter", "down", "down", *"TTFT 1s P99")
        await at_rest(pilot, app)
        assert isinstance(app.screen, Ask)
        typed = [line.value for line in app.screen.query(Input)]
        assert (typed[0], typed[1], typed[4]) == ("azure-2023-code", "50/s", "TTFT 1s P99")
        burst(pilot, "enter", "enter", "1")
        await at_rest(pilot, app)
        assert (app.seen, app.state.draft.texts["rate"]) == ("workload", "50/s")


async def test_the_first_key_waits_for_the_plan_that_is_opened(app: FleetApp) -> None:
    """Seen: a question typed while the program started began with defaults, not with the last plan's lines."""
    async with driven(app) as pilot:
        opening = app._typing.begin(type_ahead.OPENING)
        burst(pilot, "a")
        await pilot.pause(0.1)
        assert not isinstance(app.screen, Ask)
        with app._typing.taken(opening):
            pass
        await until(pilot, lambda: isinstance(app.screen, Ask))


async def test_enter_typed_while_the_program_starts_is_enter(app: FleetApp) -> None:
    """Seen: a terminal sends ctrl+j for it until a program has set it up, and five lines became one."""
    async with driven(app) as pilot:
        burst(pilot, "a", "ctrl+j", *"50/s", "ctrl+j")
        await at_rest(pilot, app)
        assert app.screen.query_one("#ask-demand", Input).value == "50/s"
        assert app.screen.query_one("#ask-model", Input).has_focus


@pytest.mark.evidence
async def test_typing_replaces_a_line_that_was_refused(app: FleetApp) -> None:
    async with driven(app) as pilot:
        burst(pilot, "a", "enter", *"20000 users", "enter", *"20000 users x 6/h", "enter")
        await at_rest(pilot, app)
        demand = app.screen.query_one("#ask-demand", Input)
        assert demand.value == "20000 users x 6/h"


@pytest.mark.evidence
async def test_lists_prompts_and_the_grid_get_their_keys_in_order(app: FleetApp) -> None:
    async with driven(app) as pilot:
        burst(pilot, "e", *"workload", "enter", *"azure-2023-code", "enter", "escape", "escape")
        burst(pilot, "6", "slash", *"nothing-like-it", "enter")
        await at_rest(pilot, app)
        assert app.state.draft.texts["workload"] == "azure-2023-code"
        assert app.seen == "plans"
        await settle(pilot)
        assert app.session.words == "nothing-like-it"


@pytest.mark.evidence
async def test_a_view_gets_the_keys_after_the_one_that_shows_it(app: FleetApp) -> None:
    async with driven(app) as pilot:
        before = app.state.shown.plan  # type: ignore[union-attr]
        burst(pilot, "6", "j", "enter")
        await at_rest(pilot, app)
        await settle(pilot)
        assert app.state.shown is not None
        assert app.state.shown.plan != before, "the second of the plans is opened"


@pytest.mark.evidence
async def test_work_that_does_not_end_holds_no_key_for_long(app: FleetApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type_ahead, "HELD", 0.1)
    async with driven(app) as pilot:
        app.do(lambda: asyncio.sleep(60))
        burst(pilot, "3", "5")
        await until(pilot, lambda: app.seen == "power")
        await until(pilot, lambda: not app._typing._is_busy())  # no later key waits for it


async def test_no_key_waits_for_what_no_key_began(app: FleetApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type_ahead, "HELD", 60.0)
    async with driven(app) as pilot:

        async def begun() -> None:
            app.spawn(asyncio.sleep(60))

        with turns.background():
            app.spawn(begun())
        burst(pilot, "5")
        await until(pilot, lambda: app.seen == "power")


async def test_no_key_waits_until_a_page_is_left_that_a_refused_line_would_cover(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type_ahead, "HELD", 60.0)
    refusals: list[str] = []

    async def line(_value: str, refusal: str) -> str | None:
        refusals.append(refusal)
        return None if refusal else "mine"

    async def work(_line: str) -> None:
        show(app, "a page", lambda _: "its text")
        raise InputError("refused")

    async with driven(app) as pilot:
        app.do(lambda: done(app, line, work))
        await until(pilot, lambda: isinstance(app.screen, Page))
        burst(pilot, "escape")
        await until(pilot, lambda: refusals == ["", "refused"])


@pytest.mark.thorough
async def test_keys_go_on_while_the_workers_compute(app: FleetApp) -> None:
    async with driven(app) as pilot:
        begun, ended = asyncio.Event(), []

        async def long() -> None:
            begun.set()
            await app.state.thread.run(lambda _: asyncio.sleep(0.5))
            ended.append(app.seen)

        app.do(long)
        await begun.wait()
        burst(pilot, "5")
        await until(pilot, lambda: app.seen == "power")
        assert ended == []
        await until(pilot, lambda: ended)
        assert told(app) == []


@pytest.mark.parametrize("drawn_late", [False, True])
async def test_keys_wait_for_the_plan_that_the_app_begins_with(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch, drawn_late: bool
) -> None:
    """Seen on a machine that did much else: a study was asked for before the plan was read, and there was no plan."""
    monkeypatch.setattr(type_ahead, "HELD", 0.05)
    start, late = app._start, asyncio.Event()
    if drawn_late:
        monkeypatch.setattr(app, "call_after_refresh", lambda call: app.set_timer(0.2, call))

    async def slowly() -> None:
        await late.wait()
        await start()

    monkeypatch.setattr(app, "_start", slowly)
    async with app.run_test(size=(80, 24)) as pilot:
        burst(pilot, "3", "5")
        await pilot.pause(0.3)
        assert app.seen != "power"
        late.set()
        await until(pilot, lambda: app.seen == "power")
        await settle(pilot)
        assert told(app) == []
