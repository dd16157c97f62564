"""What every view can be asked, whichever it is."""

import pytest

from fleettui.tui import keys, tabs
from fleettui.tui.app import FleetApp
from fleettui.tui.tabs.view import View
from tests.tui.conftest import Make
from tests.tui.driving import driven, settle, told


@pytest.mark.parametrize("entry", tabs.VIEWS, ids=lambda entry: entry.name)
def test_a_view_knows_its_entry(entry: tabs.Entry) -> None:
    assert tabs.make(entry.name).entry is entry


class Bare(View):
    """A view that says nothing of its own."""


async def test_a_view_of_nothing_has_an_answer_to_everything(app: FleetApp) -> None:
    async with driven(app):
        view = Bare(id="bare")
        await app.base.mount(view)
        view.show()
        view.tick()
        shown = app.state.shown
        assert shown is not None
        assert view.first_focus() is None
        assert (view.copied(), view.file_name(), view.first_key) == ("", "fleettui.txt", "slo-ttft")
        assert view.selected_plan() == shown.plan
        assert await view.selected_candidate() == shown.answer.answer
        assert view.state is app.state
        assert view.impossible() == {"cancel", "undo"}


@pytest.mark.thorough
async def test_every_view_stands_without_any_plan_of_ones_own(make_app: Make) -> None:
    app = make_app()
    async with driven(app) as pilot:
        for entry in tabs.VIEWS:
            app.action_do(f"view_{entry.name}")
            await settle(pilot)
            view = app.view
            assert view.entry is entry
            assert view.selected_plan() == ""
            assert view.impossible() <= {key.verb for key in keys.KEYS}
            assert isinstance(view.copied(), str)
            focus = view.first_focus()
            assert focus is None or app.focused is focus
        assert told(app) == []
