"""The pictures of the app: `python -m tests.screenshots.test_app_pictures` drives it and draws them anew.

What the app draws today is compared with the frames in tests/golden/frames (tests/tui/test_frames_golden.py), and
these with the pictures, so that none goes stale.
"""

from __future__ import annotations

import asyncio
import html
import os
import re
import tempfile
from pathlib import Path

import pytest

from fleettui.domain.opening import Opening
from tests.tui import driving, seeded
from tests.tui.conftest import CACHE
from tests.tui.frames import FOLDER as FRAMES
from tests.tui.frames import body
from tests.tui.looking import views

FOLDER = Path(__file__).parents[2] / "screenshots"
LARGE, SMALL = (120, 36), (80, 24)
PICTURES: dict[str, tuple[str, tuple[int, int]]] = {
    "app-workload": ("workload", LARGE),
    "app-fleet": ("fleet", LARGE),
    "app-plans": ("plans", LARGE),
    "app-compare": ("compare", LARGE),
    "app-jobs": ("jobs", LARGE),
    "app-fleet-80x24": ("fleet", SMALL),
}
"""The view and the size of each picture."""
CELL = 12.2
"""How wide a character is in these pictures."""
TEXT = re.compile(r'<text [^>]*?x="([\d.]+)"[^>]*?clip-path="url\(#[^"]*-line-(\d+)\)"[^>]*>(.*?)</text>', re.DOTALL)


def text_of(svg: str) -> str:
    """Return the text in a picture of a terminal, line by line, stripped on the right."""
    lines: dict[int, dict[int, str]] = {}
    for x, line, text in TEXT.findall(svg):
        start = round(float(x) / CELL)
        for place, character in enumerate(html.unescape(text).replace("\xa0", " ")):
            lines.setdefault(int(line), {})[start + place] = character
    return "\n".join(_joined(lines.get(number, {})) for number in range(max(lines, default=-1) + 1))


def _joined(cells: dict[int, str]) -> str:
    return "".join(cells.get(place, " ") for place in range(max(cells, default=-1) + 1)).rstrip()


@pytest.mark.parametrize(("name", "view", "size"), [(name, *what) for name, what in PICTURES.items()])
def test_a_picture_shows_what_the_app_shows_today(name: str, view: str, size: tuple[int, int]) -> None:
    kept = FRAMES / f"{view}-filled-{size[0]}x{size[1]}.txt"
    shown = text_of((FOLDER / f"{name}.svg").read_text("utf-8"))
    assert body(shown).split("\n") == kept.read_text("utf-8").split("\n")[:-2]


async def draw(size: tuple[int, int]) -> dict[str, str]:
    """Return an SVG of every view of the app over the store of the settings."""
    app = driving.new(Opening(kind="plan", text=seeded.ASKED.name))
    try:
        async with driving.driven(app, size) as pilot:
            return {name: app.export_screenshot(title="fleettui") async for name, _ in views(app, pilot)}
    finally:
        driving.close(app)


def draw_all(place: Path) -> None:
    """Draw every picture from a new store in a folder."""
    os.environ |= {"FLEETTUI_CACHE": CACHE, "FLEETTUI_STATE": str(place), "HOME": str(place)}
    os.environ |= {"FLEETTUI_DB": str(place / "fleettui.db"), "FLEETTUI_CONFIG": str(place / "config.toml")}
    seeded.fill(place / "fleettui.db")
    for size in (LARGE, SMALL):
        drawn = asyncio.run(draw(size))
        for name, (view, wanted) in PICTURES.items():
            if wanted == size:
                lines = (line.rstrip() for line in drawn[view].splitlines())
                (FOLDER / f"{name}.svg").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        draw_all(Path(folder))
