import pytest

from fleettui.tui.app import FleetApp
from fleettui.tui.modals.choose import Choose
from tests.repeated import few
from tests.tui.driving import driven, lines, settle, until

ENTRIES = {"rate": "rate   requests per second", "users": "users  times their requests"}


@pytest.mark.parametrize(
    ("keys", "chosen"),
    few([(("enter",), "users"), (("up", "enter"), "rate"), (("r", "e", "q", "enter"), "rate"), (("escape",), None)], 2),
)
async def test_one_is_chosen_or_none(app: FleetApp, keys: tuple[str, ...], chosen: str | None) -> None:
    async with driven(app) as pilot:
        taken: list[str | None] = []
        app.push_screen(Choose("how is it known?", ENTRIES, chosen="users"), taken.append)
        await until(pilot, lambda: any("> users" in line for line in lines(app)))
        assert any(line.startswith("how is it known?") for line in lines(app))
        await pilot.press(*keys)
        await until(pilot, lambda: taken)
        assert taken == [chosen]


async def test_the_view_stays_in_sight_and_nothing_lies_over_the_entries(app: FleetApp) -> None:
    async with driven(app) as pilot:
        before = lines(app)
        app.notify("told before")
        app.push_screen(Choose("how is it known?", ENTRIES))
        await until(pilot, lambda: any("> rate" in line for line in lines(app)))
        await settle(pilot)
        assert lines(app)[:10] == before[:10]
        assert not any("told before" in line for line in lines(app))
