"""View 3: its text is what the report says of the fleet, in the width of the screen."""

from dataclasses import replace

import pytest

from fleettui.domain.study import Study, table_of
from fleettui.tui.app import FleetApp
from fleettui.tui.tabs.routing import BURST, RoutingView
from store import Store
from tests.reports.conftest import routing_text
from tests.reports.studies.test_burst import bursts
from tests.reports.test_routers_table import routers
from tests.tui.driving import KEY, driven, lines, settle, text_of, until


async def test_the_text_is_the_reports(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["routing"])
        await settle(pilot)
        shown = app.state.shown
        assert shown is not None
        assert shown.candidate is not None
        assert isinstance(app.view, RoutingView)
        text = text_of(app, "#aspect-text")
        assert text.startswith(routing_text(shown.candidate, shown.question, 78, others=shown.answer.candidates))
        assert "total tokens, share of requests" in text


@pytest.mark.thorough
async def test_the_newest_study_of_its_routers_stands_beside_it(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["routing"])
        await settle(pilot)
        shown = app.state.shown
        assert shown is not None
        assert "other routers: not played yet" in " ".join(text_of(app, "#aspect-text").split())
        with Store.open() as store:
            store.add_study(replace(routers(), plan=shown.plan))
        await pilot.press(KEY["fleet"], KEY["routing"])
        await until(pilot, lambda: "vllm-dp" in text_of(app, "#aspect-text"))
        assert "> length" in text_of(app, "#aspect-text")
        two = next(one for one in shown.answer.candidates if len(one.fleet.pools) == 2)
        await app.state.choose(two.candidate)
        assert "vllm-dp" not in text_of(app, "#aspect-text")


@pytest.mark.thorough
async def test_what_compression_saves_stands_there_once_the_reasons_are_kept(app: FleetApp) -> None:
    saves = table_of("what compression saves", [1.25], ("gamma", "number", lambda row: row))
    async with driven(app) as pilot:
        await pilot.press(KEY["routing"])
        await settle(pilot)
        shown = app.state.shown
        assert shown is not None
        assert "borderline" not in text_of(app, "#aspect-text")
        app.state.shown = replace(shown, question=replace(shown.question, gamma=(1.0, 2.0)))
        with Store.open() as store:
            store.add_study(Study(kind="why", title="reasons", question="why", plan=shown.plan, tables=(saves,)))
        await pilot.press(KEY["fleet"], KEY["routing"])
        await until(pilot, lambda: "what compression saves" in text_of(app, "#aspect-text"))
        assert "compresses nothing, though the question allows it" in " ".join(text_of(app, "#aspect-text").split())


@pytest.mark.evidence
async def test_editing_begins_at_the_router(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["routing"], "e")
        await until(pilot, lambda: any("random (any)" in line for line in lines(app)))


async def test_a_burst_is_offered_where_all_requests_are_of_one_class(app: FleetApp) -> None:
    """Seen: the key stood in the footer of a plan with a batch class, whose windows cannot be played."""
    async with driven(app) as pilot:
        await pilot.press(KEY["routing"])
        await settle(pilot)
        shown = app.state.shown
        assert shown is not None
        assert "burst" not in app.view.impossible()
        app.state.shown = replace(shown, question=replace(shown.question, batch_share=0.3))
        assert "burst" in app.view.impossible()
        assert "proof" not in app.view.impossible()


@pytest.mark.thorough
async def test_a_burst_is_asked_for_by_a_key_and_the_newest_stands_beside_it(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["routing"])
        await settle(pilot)
        shown = app.state.shown
        assert shown is not None
        await pilot.press("B")
        await until(pilot, lambda: any(BURST in line for line in lines(app)))
        await pilot.press("escape")
        with Store.open() as store:
            store.add_study(replace(bursts(), plan=shown.plan))
        await pilot.press(KEY["fleet"], KEY["routing"])
        await until(pilot, lambda: "the backlog is gone" in text_of(app, "#aspect-text"))
        assert "requests per second" in text_of(app, "#aspect-text")
