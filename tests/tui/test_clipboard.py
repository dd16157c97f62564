"""Copies, with tmux as it answers, fails, hangs and is not there."""

import asyncio
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from fleettui.tui import clipboard
from fleettui.tui.clipboard import copy

TEXT = "12 × H100, $41.88/h\n"


@pytest.fixture(autouse=True)
def home_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nonexistent")


def fake_tmux(folder: Path, script: str) -> dict[str, str]:
    """Return the environment of a program that runs inside a tmux that is this shell script."""
    program = folder / "bin" / "tmux"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}", "TMUX": "/tmp/tmux-0/default,1,0"}


async def test_without_tmux_the_terminal_is_asked_and_the_file_is_written(tmp_path: Path) -> None:
    asked: list[str] = []
    copied = await copy(TEXT, asked.append, {}, tmp_path)
    assert asked == [TEXT]
    file = tmp_path / "last-copy.txt"
    assert file.read_text("utf-8") == TEXT
    assert file.stat().st_mode & 0o777 == 0o600
    assert copied.words == f"copied to {file}; the terminal may also have it (OSC 52)"
    assert copied.sure


async def test_tmux_takes_the_text(tmp_path: Path) -> None:
    environment = fake_tmux(tmp_path, f'[ "$*" = "load-buffer -w -" ] && cat > {tmp_path}/buffer')
    copied = await copy(TEXT, len, environment, tmp_path)
    assert (tmp_path / "buffer").read_text("utf-8") == TEXT
    assert copied.words.startswith(f"copied to the tmux buffer and {tmp_path}/last-copy.txt; ")


async def test_an_old_tmux_is_asked_in_its_own_words(tmp_path: Path) -> None:
    script = f'[ "$2" = "-w" ] && {{ echo "unknown flag -w" >&2; exit 1; }}\ncat > {tmp_path}/buffer'
    copied = await copy(TEXT, len, fake_tmux(tmp_path, script), tmp_path)
    assert (tmp_path / "buffer").read_text("utf-8") == TEXT
    assert "the tmux buffer" in copied.words
    assert "unknown" not in copied.words


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("cat > /dev/null; echo 'no server running on /tmp/x\nmore' >&2; exit 1", "no server running on /tmp/x"),
        ("exit 3", "exit code 3"),
    ],
)
async def test_what_tmux_complains_about_is_told(tmp_path: Path, script: str, why: str) -> None:
    copied = await copy(TEXT, len, fake_tmux(tmp_path, script), tmp_path)
    assert copied.words == (
        f"copied to {tmp_path}/last-copy.txt; the terminal may also have it (OSC 52); tmux did not take it: {why}"
    )
    assert copied.sure


@pytest.mark.parametrize("script", ["exec sleep 60", "sleep 60; true"])
async def test_a_tmux_that_hangs_blocks_nothing(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "PATIENCE", 0.1)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    async with asyncio.timeout(10):
        copied = await copy(TEXT, len, fake_tmux(tmp_path, script), tmp_path)
    ticking.cancel()
    assert "tmux did not take it: no answer within 0.1 s" in copied.words
    assert ticks >= 3


async def test_a_tmux_that_is_not_there_and_a_folder_that_cannot_be(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    copied = await copy(TEXT, len, {"PATH": str(tmp_path), "TMUX": "x"}, in_the_way)
    assert copied.words.startswith("copied to the terminal, if it takes that (OSC 52); tmux did not take it: No such")
    assert f"{in_the_way}/last-copy.txt was not written: " in copied.words
    assert not copied.sure


async def test_the_file_is_named_as_it_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    copied = await copy(TEXT, len, {}, tmp_path / "state")
    assert copied.words.startswith("copied to ~/state/last-copy.txt; ")


@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")
async def test_a_real_tmux_has_the_text(tmp_path: Path) -> None:
    """The socket's path is short, for sockets have little room for one."""
    socket = f"/tmp/fleettui-{os.getpid()}-{time.monotonic_ns()}"
    tmux = ("tmux", "-S", socket, "-f", "/dev/null")
    subprocess.run((*tmux, "new-session", "-d", "sleep 60"), check=True, timeout=10)
    try:
        copied = await copy(TEXT, len, {**os.environ, "TMUX": f"{socket},1,0"}, tmp_path)
        found = subprocess.run((*tmux, "show-buffer"), capture_output=True, check=True, timeout=10)
    finally:
        subprocess.run((*tmux, "kill-server"), check=True, timeout=10)
        Path(socket).unlink(missing_ok=True)
    assert found.stdout.decode() == TEXT
    assert "the tmux buffer" in copied.words
