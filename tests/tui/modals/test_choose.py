import pytest

from fleettui.tui.app import FleetApp
from fleettui.tui.modals.choose import Choose
from tests.tui.driving import driven, lines, until

ENTRIES = {"rate": "rate   requests per second", "users": "users  times their requests"}


@pytest.mark.parametrize(
    ("keys", "chosen"), [(("enter",), "users"), (("k", "enter"), "rate"), (("escape",), None), (("q",), None)]
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
