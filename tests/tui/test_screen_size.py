"""Classes of the screen by its size: it has them before it is first drawn, and that frame is laid out by them."""

import pytest
from textual.geometry import Size
from textual.screen import Screen

from fleettui.tui.app import FleetApp
from fleettui.tui.screen_size import classed
from tests.tui.driving import driven


@pytest.mark.parametrize(
    ("size", "classes"),
    [((120, 36), {"-wide", "-tall"}), ((80, 24), {"-narrow", "-low"}), ((99, 19), {"-narrow", "-tiny"})],
)
def test_a_screen_is_of_the_classes_of_its_columns_and_lines(size: tuple[int, int], classes: set[str]) -> None:
    assert set(classed(Screen[object](), Size(*size)).classes) == classes


async def test_the_frame_has_its_classes_when_its_first_view_is_laid_out(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[frozenset[str]] = []
    see = app.see

    async def seen(name: str) -> None:
        found.append(app.base.classes)
        assert app.base.query(f"#view-{name}"), "the first view is composed with the frame"
        await see(name)

    monkeypatch.setattr(app, "see", seen)
    async with driven(app, (120, 36)):
        assert {"-wide", "-tall"} <= found[0]
