"""Text frames of the app: what stands on the screen, without colours, kept as files that are reviewed as plain text."""

from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.app import App

from tests import kept_text

FOLDER = Path(__file__).parents[1] / "golden" / "frames"
SHADES = range(0x2580, 0x25A0)
"""Block elements, of which Textual draws its scrollbars."""


def frame(app: App[Any]) -> str:
    """Return the screen's text, lines stripped on the right; the only place that looks into Textual's compositor.

    As when Textual draws, it is told what lies below the screen: else a prompt drawn here first stays on a blank.
    """
    visible_screen_stack.set(app._background_screens)
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(one.text for one in strip if not one.control).rstrip() for strip in strips)


def draw_only_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what Textual draws for a terminal that is not there, a fifth of a test; `frame` draws when asked."""

    def nothing(self: Compositor, full: bool = False, **given: Any) -> object:
        if full:
            return draw(self, full, **given)
        self._dirty_regions.clear()
        return None

    draw = Compositor.render_update
    monkeypatch.setattr(Compositor, "render_update", nothing)


def body(text: str) -> str:
    """Return a frame without its bar of views and its footer: they are the same function of the view in every frame."""
    head, _bar, *lines, _footer = text.split("\n")
    return "\n".join([head, *lines])


def compare(name: str, size: tuple[int, int], text: str, update: bool | None = None, folder: Path = FOLDER) -> None:
    """Assert that a frame is as it is kept; FLEETTUI_UPDATE_FRAMES=1 (or `update`) keeps this one instead."""
    kept_text.compare(folder / f"{name}-{size[0]}x{size[1]}.txt", text, update)


def rules(text: str, width: int, height: int | None = None, *, ascii_only: bool = False) -> list[str]:
    """Return what is wrong with a frame whatever it shows; nothing is as it should be."""
    lines = text.split("\n")
    wrong = [f"line {n}: {cell_len(line)} cells" for n, line in enumerate(lines, start=1) if cell_len(line) > width]
    wrong += [f"{len(lines)} lines"] if height is not None and len(lines) != height else []
    for number, line in enumerate(lines, start=1):
        bad = sorted({one for one in line if not one.isprintable() or one == "\N{REPLACEMENT CHARACTER}"})
        wrong += [f"line {number}: {one!r}" for one in bad]
        foreign = sorted({one for one in line if not one.isascii() and ord(one) not in SHADES}) if ascii_only else []
        wrong += [f"line {number}: {one} is not ASCII" for one in foreign]
    return wrong
