"""One of many or several, searched for as one types, on a screen of 80x24."""

from dataclasses import replace

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from fleettui.errors import InputError
from fleettui.tui.app import FleetApp
from fleettui.tui.lookups import LOOKUPS, look_up
from fleettui.tui.modals.pick import Pick
from fleettui.tui.offers import Offer
from tests.repeated import few
from tests.tui.driving import driven, lines, settle, text_of, until
from tests.tui.frames import frame, rules

ROWS = {"a100": "a100  85 GB  kernels", "h100": "h100  85 GB  5 models", "h200": "h200  150 GB  4 models"}
SEVERAL = Offer(head="GPU   memory  measured", rows=ROWS, several=True, none="the usual ones")
ONE = Offer(head="GPU   memory  measured", rows=ROWS)


def known(text: str) -> None:
    """Refuse what is neither listed nor a path."""
    if any(name not in ROWS and "/" not in name for name in text.split(",") if name):
        raise InputError("unknown GPU", value=text)


async def picked(app: FleetApp, pilot: Pilot[int], offer: Offer, value: str, *keys: str) -> list[str | None]:
    """Show the list and press `keys`; return what was taken, nothing while it stands."""
    taken: list[str | None] = []
    app.push_screen(Pick("gpu", offer, value, "GPU types", known), taken.append)
    await until(pilot, lambda: app.screen.query("#pick-input"))
    await pilot.press(*keys)
    await pilot.pause()
    return taken


@pytest.mark.parametrize(
    ("offer", "value", "keys", "taken"),
    few(
        [
            (ONE, "h100", ("enter",), "h100"),
            (ONE, "h100", ("down", "enter"), "h200"),
            (ONE, "h100", ("2", "0", "enter"), "h200"),
            (ONE, "h100", ("escape",), None),
            (ONE, "", (*"./my", "space", *"gpu", "enter"), "./my gpu"),
            (SEVERAL, "h100,a100", ("enter",), "h100,a100"),
            (SEVERAL, "", ("enter",), ""),
            (SEVERAL, "h100,a100", (*"h200", "enter"), "h200"),
            (SEVERAL, "h100", (*"h200", "space", "enter"), "h100,h200"),
            (SEVERAL, "h100", ("space", "up", "enter"), ""),
            (SEVERAL, "", ("space", *"./x.toml", "enter"), "a100,./x.toml"),
        ],
        2,
    ),
)
async def test_what_is_taken(app: FleetApp, offer: Offer, value: str, keys: tuple[str, ...], taken: str | None) -> None:
    async with driven(app) as pilot:
        assert await picked(app, pilot, offer, value, *keys) == [taken]


async def test_every_key_says_what_it_would_do(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await picked(app, pilot, SEVERAL, "h100", *"h200")
        assert lines(app)[-1] == "enter takes h200  spc marks h200  up down move  esc back"
        assert sum("GB" in line for line in lines(app)) == 1
        await pilot.press("space")
        await settle(pilot)
        assert lines(app)[-1] == "enter takes h100,h200  spc unmarks h200  up down move  esc back"
        assert any(line.startswith("> + h200") for line in lines(app))
        assert app.screen.query_one(Input).value == ""
        assert rules(frame(app), 80, 24) == []


async def test_what_is_refused_is_told_and_the_list_stays(app: FleetApp) -> None:
    async with driven(app) as pilot:
        assert await picked(app, pilot, ONE, "h100", *"b200", "enter") == []
        assert any("x unknown GPU (got 'b200')" in line for line in lines(app))
        await pilot.press(*"h2")
        await settle(pilot)
        assert app.screen.query_one(Input).value == "h2", "what is typed next replaces the line"
        assert not any("x unknown" in line for line in lines(app))


async def test_a_long_list_leaves_the_label_and_the_keys_in_sight(app: FleetApp) -> None:
    many = Offer(head="name", rows={f"row{number}": f"row{number}" for number in range(40)})
    async with driven(app) as pilot:
        await picked(app, pilot, many, "row30")
        await settle(pilot)
        found = lines(app)
        assert len(found) == 24
        assert "-gpu-" in found[5]
        assert found[-1].startswith("enter takes row30")
        assert any(line.startswith("> row30") for line in found)


async def test_what_was_refused_later_is_told_until_something_is_typed(app: FleetApp) -> None:
    offer = Offer(head=ONE.head, rows=ROWS, note="kept elsewhere")
    async with driven(app) as pilot:
        app.push_screen(Pick("gpu", offer, "h100", "a GPU", known, refusal="its file cannot be read"))
        await until(pilot, lambda: app.screen.query("#pick-input"))
        await settle(pilot)
        assert text_of(app, "#pick-help") == "x its file cannot be read"
        assert app.screen.query_one("#pick-help").has_class("refused")
        await pilot.press("h")
        assert text_of(app, "#pick-help") == "a GPU; kept elsewhere"
        assert not app.screen.query_one("#pick-help").has_class("refused")


async def test_a_lookup_that_is_refused_after_it_was_chosen_says_why(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object) -> None:
        raise InputError("its file cannot be read")

    monkeypatch.setitem(LOOKUPS, "gpu show", replace(LOOKUPS["gpu show"], find=refused))  # type: ignore[arg-type]
    async with driven(app) as pilot:
        app.do(lambda: look_up(app, "gpu show"))
        await until(pilot, lambda: app.screen.query("#pick-input"))
        await pilot.press("enter")
        await until(pilot, lambda: any(line.startswith("x its file cannot be read") for line in lines(app)))
