"""Long text is scrolled by the keys of every list."""

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

from fleettui.tui.widgets.scroll import Scroll


class LongApp(App[None]):
    def compose(self) -> ComposeResult:
        with Scroll():
            yield Static("\n".join(map(str, range(100))))


@pytest.mark.thorough
async def test_j_and_k_scroll_by_a_line_and_g_to_the_ends() -> None:
    app = LongApp()
    async with app.run_test(size=(20, 10)) as pilot:
        scroll = app.query_one(Scroll)
        scroll.focus()
        await pilot.press("j", "j", "k")
        await pilot.pause()
        assert scroll.scroll_target_y == 1
        await pilot.press("G")
        await pilot.pause()
        assert scroll.scroll_target_y == 90
        await pilot.press("g")
        await pilot.pause()
        assert scroll.scroll_target_y == 0
