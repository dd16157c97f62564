"""A terminal with a user who has never been here, and a trace of some stranger's in the folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.tui.terminal.tmux import Tmux, places

Terminal = Callable[..., Tmux]
COLUMNS = "user,output_tokens,arrival_s,model,input_tokens"


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A trace in columns of the stranger's own order, ten requests a second, in the folder in which the shell is."""
    rows = (
        f"u{at % 7},{(4, 8, 12, 16)[at % 4]},{at / 10},chat,{(300, 600, 900, 1500, 3000)[at % 5]}" for at in range(300)
    )
    path = tmp_path / "trace.csv"
    path.write_text("\n".join((COLUMNS, *rows)) + "\n")
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A configuration of few choices, so that a plan is a matter of seconds."""
    path = tmp_path / "config" / "fleettui" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text('gpu = ["h100"]\ntp = 8\nprecision = "20%"\n')
    return path


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """Return a function that opens a terminal, closed when the test is over; `changes` are its further variables."""
    with ExitStack() as opened:

        def open_one(size: tuple[int, int] = (80, 24), term: str = "tmux-256color", **changes: str) -> Tmux:
            one = Tmux(places(tmp_path) | changes)
            opened.callback(one.close)
            one.start(tmp_path, size, term)
            return one

        yield open_one
