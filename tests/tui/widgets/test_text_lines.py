"""Lines of text as they are, with verdicts set off, in signs that the terminal has."""

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

from fleettui.tui.widgets.text_lines import Text, styled
from tests.tui.driving import lines


class Shown(App[None]):
    """A text over a line that tells where it ends."""

    def compose(self) -> ComposeResult:
        yield Text(id="text")
        yield Text(id="below")

    def skinned(self, content: Content) -> Content:
        return Content(content.plain.replace("…", "~"), spans=list(content.spans))


def set_off(text: str) -> dict[str, str]:
    """Return what is set off in a text, with its style."""
    return {text[span.start : span.end]: str(span.style) for span in styled(text).spans}


def test_a_pass_at_nominal_speed_is_not_green() -> None:
    assert set_off("PASS   24 H100")["PASS"] == "bold $success"
    assert set_off("PASS at nominal speed   24 H100") == {"PASS at nominal speed": "bold $warning"}


async def test_it_takes_the_lines_it_needs_and_none_when_empty() -> None:
    app = Shown()
    async with app.run_test(size=(30, 5)) as pilot:
        text, below = app.query_one("#text", Text), app.query_one("#below", Text)
        below.show("below")
        await pilot.pause()
        assert lines(app)[0] == "below"
        text.show("one\ntwo")
        await pilot.pause()
        assert lines(app)[:3] == ["one", "two", "below"]
        assert text.text == "one\ntwo"
        text.show("")
        await pilot.pause()
        assert lines(app)[0] == "below"


async def test_markup_is_text_and_signs_are_the_terminals() -> None:
    app = Shown()
    async with app.run_test(size=(30, 5)) as pilot:
        app.query_one("#text", Text).show("[red]a path[/]…")
        await pilot.pause()
        assert lines(app)[0] == "[red]a path[/]~"


async def test_it_is_drawn_anew_only_when_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    updates: list[object] = []
    app = Shown()
    async with app.run_test(size=(30, 5)) as pilot:
        text = app.query_one("#text", Text)
        text.show("one")
        await pilot.pause()
        monkeypatch.setattr(text, "update", updates.append)
        text.show("one")
        assert updates == []
        text.show("two")
        assert len(updates) == 1


@pytest.mark.parametrize(
    ("text", "word", "style"),
    [
        ("PASS by formula   56 H100", "PASS", "success"),
        ("simulated pass", "pass", "success"),
        ("INFEASIBLE   no fleet", "INFEASIBLE", "error"),
        ("simulated fail", "fail", "error"),
        ("NOT PROVEN YET   24 H100", "NOT PROVEN", "warning"),
        ("simulated unproven", "unproven", "warning"),
        ("a\nlimits  P99", "limits", "bold"),
        ("! a warning\nb", "! a warning", "bold"),
    ],
)
def test_what_is_set_off(text: str, word: str, style: str) -> None:
    assert style in set_off(text)[word]


@pytest.mark.parametrize("text", ["passes", "BYPASS", "the first fails", "no limits", "a ! b"])
def test_what_only_looks_like_it_is_not(text: str) -> None:
    assert set_off(text) == {}
