"""What views of one aspect have in common: one text about the fleet that is looked at, at any width."""

from pathlib import Path

import pytest

from fleettui.tui.app import FleetApp
from fleettui.tui.tabs.plan_aspect import ASKING, NO_FLEET, WIDEST, AspectView
from store import Store
from tests.repeated import few
from tests.store import samples
from tests.tui.conftest import Make
from tests.tui.driving import KEY, driven, lines, settle, text_of
from tests.tui.frames import frame, rules
from tests.tui.looking import ASPECTS


@pytest.mark.parametrize("name", few(ASPECTS[::-1], 1))  # of the newest view always
async def test_the_text_follows_the_fleet_that_is_looked_at(app: FleetApp, name: str) -> None:
    async with driven(app) as pilot:
        app.action_do(f"view_{name}")
        await settle(pilot)
        before = text_of(app, f"#view-{name} #aspect-text")
        assert app.state.shown is not None
        two = next(one for one in app.state.shown.answer.candidates if len(one.fleet.pools) == 2)
        await app.state.choose(two.candidate)
        after = text_of(app, f"#view-{name} #aspect-text")
        assert after != before
        assert "short" in after
        assert "long" in after
        await app.state.choose("")
        assert text_of(app, f"#view-{name} #aspect-text") == before


@pytest.mark.parametrize("size", few([(80, 24), (200, 50), (50, 12)], 1, whole=True))
async def test_the_text_is_as_wide_as_is_read_well(app: FleetApp, size: tuple[int, int]) -> None:
    async with driven(app, size) as pilot:
        await pilot.press(KEY["routing"])
        await settle(pilot)
        assert rules(frame(app), *size) == []
        widest = max(map(len, text_of(app, "#aspect-text").split("\n")))
        assert widest <= min(size[0] - 2, WIDEST)


@pytest.mark.thorough
async def test_the_status_is_that_of_the_fleets_view(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["power"])
        app.state.edit({"max-power": "40kW"})
        await pilot.pause()
        assert lines(app)[2].startswith("edited: max-power 40kW")


async def test_what_is_copied_is_what_is_shown(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["disagg"])
        await settle(pilot)
        copied = app.view.copied()
        assert copied.split()[:20] == text_of(app, "#aspect-text").split()[:20]
        assert max(map(len, copied.split("\n"))) <= 80


async def test_without_a_fleet_it_says_where_to_look(make_app: Make, filled: Path) -> None:
    with Store.open(filled) as store:
        samples.add(store, samples.infeasible())
    app = make_app()
    async with driven(app) as pilot:
        for name in ASPECTS:
            app.action_do(f"view_{name}")
            await settle(pilot)
            assert text_of(app, f"#view-{name} #aspect-text").split() == NO_FLEET.split()
            view = app.view
            assert isinstance(view, AspectView)
            app.state.shown, was = None, app.state.shown
            said = f"{ASKING} {view.entry.label} will answer: {view.entry.question}"
            assert view.text(80).split() == said.split()
            app.state.shown = was
