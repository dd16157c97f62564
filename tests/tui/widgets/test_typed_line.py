"""A line whose words are selected: letters replace them, backspace corrects them."""

import pytest
from textual.app import App, ComposeResult

from fleettui.tui.widgets.typed_line import TypedLine


class OneLine(App[None]):
    def compose(self) -> ComposeResult:
        yield TypedLine("llama-3.1-8b + gema-3-27b")


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        (["backspace"], "llama-3.1-8b + gema-3-27"),
        (["backspace", "backspace"], "llama-3.1-8b + gema-3-2"),
        (["x"], "x"),
        (["ctrl+u"], ""),
        (["end", "shift+left", "shift+left", "backspace"], "llama-3.1-8b + gema-3-2"),
        (["ctrl+u", "backspace"], ""),
    ],
)
async def test_backspace_takes_no_whole_line(keys: list[str], left: str) -> None:
    """Seen: back in a line of 70 letters to correct its last one, backspace emptied it."""
    app = OneLine()
    async with app.run_test(size=(60, 5)) as pilot:
        line = app.query_one(TypedLine)
        line.select_all()
        await pilot.press(*keys)
        assert line.value == left
