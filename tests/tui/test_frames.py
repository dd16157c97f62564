"""The helper that turns the app into text."""

from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

from tests.tui.frames import FOLDER, compare, frame, rules


class Tiny(App[None]):
    CSS = "Static { border: ascii red; width: 20; height: 3; }"

    def compose(self) -> ComposeResult:
        yield Static("[bold]12 × H100[/]  ")


FRAME = "+------------------+\n|12 × H100         |\n+------------------+\n"


async def test_a_frame_is_the_text_on_the_screen_stripped() -> None:
    app = Tiny()
    async with app.run_test(size=(30, 4)):
        text = frame(app)
    assert text == FRAME
    assert rules(text, 30, 4) == []


def test_a_frame_is_kept_and_another_is_told_line_by_line(tmp_path: Path) -> None:
    compare("tiny", (30, 4), FRAME, update=True, folder=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["tiny-30x4.txt"]
    compare("tiny", (30, 4), FRAME, update=False, folder=tmp_path)
    with pytest.raises(AssertionError, match=r"(?s)-\|12 × H100 .*\+\|13 × H100"):
        compare("tiny", (30, 4), FRAME.replace("12", "13"), update=False, folder=tmp_path)


def test_a_frame_that_was_never_kept_says_how_to_keep_it() -> None:
    with pytest.raises(AssertionError, match="FLEETTUI_UPDATE_FRAMES=1 writes it"):
        compare("never-kept", (80, 24), "text", update=False)
    assert not (FOLDER / "never-kept-80x24.txt").exists()


def test_the_environment_lets_frames_be_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_UPDATE_FRAMES", "1")
    compare("tiny", (30, 4), "new", folder=tmp_path)
    monkeypatch.delenv("FLEETTUI_UPDATE_FRAMES")
    compare("tiny", (30, 4), "new", folder=tmp_path)
    with pytest.raises(AssertionError):
        compare("tiny", (30, 4), "newer", folder=tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("12345\n123456", ["line 2: 6 cells"]),
        ("字字字", ["line 1: 6 cells"]),
        ("a\tb", [r"line 1: '\t'"]),
        ("ok\n\x1b[2J", [r"line 2: '\x1b'"]),
        ("�", ["line 1: '�'"]),
    ],
)
def test_what_no_frame_may_hold(text: str, said: list[str]) -> None:
    assert rules(text, 5) == said


def test_rules_of_height_and_of_ascii() -> None:
    assert rules("a\nb", 5, 3) == ["2 lines"]
    assert rules("a…▁", 5, ascii_only=True) == ["line 1: … is not ASCII"]
