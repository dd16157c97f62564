import io
import sys

import pytest

from fleettui.cli import console
from fleettui.domain.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_a_terminal_would_obey_is_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    console.out("a\x1b[31mb")
    console.narrate("c\u202ed")
    assert capsys.readouterr() == ("a\\u001b[31mb\n", "c\\u202ed\n")


def test_progress_is_silent_off_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    console.progress()(Progress(message="searching"))
    console.clear_progress()
    assert capsys.readouterr() == ("", "")


def test_progress_rewrites_one_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    console.progress()(Progress(message="searching", done=1, total=4))
    console.clear_progress()
    assert terminal.getvalue() == "\r\x1b[Ksearching 1/4\r\x1b[K"


def test_news_stay_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    console.progress()(Progress(message="x", news="24 H100 is not proven yet"))
    assert terminal.getvalue() == "\r\x1b[K24 H100 is not proven yet\n"


def test_the_width_is_80_off_a_terminal_and_bounded_on_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert console.width() == 80
    monkeypatch.setattr(sys, "stdout", Terminal())
    for columns, width in (("10", 40), ("100", 100), ("500", 120)):
        monkeypatch.setenv("COLUMNS", columns)
        assert console.width() == width


def test_what_does_not_encode_becomes_a_question_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    console.out("20 users × 6")
    assert raw.getvalue() == b"20 users ? 6\n"


def test_json_refuses_what_is_no_number() -> None:
    with pytest.raises(ValueError, match="JSON"):
        console.out_json({"x": float("nan")})
