"""A process is told from one that ended, from a later one of its number, and from those of other machines."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from store import job_owner

LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's list of processes")


@pytest.fixture
def child() -> Iterator[subprocess.Popen[str]]:
    program = (
        "import signal; signal.alarm(60); from store.job_owner import present; print(present(), flush=True); input()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    yield process
    process.kill()
    process.communicate(timeout=10)


def told(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def test_this_process_runs() -> None:
    host, pid, start = job_owner.present().rsplit(":", 2)
    assert (host, int(pid), start.isdigit()) == (platform.node(), os.getpid(), True)
    assert job_owner.runs(job_owner.present()) is True
    assert job_owner.present() == job_owner.present()


def test_another_runs_until_it_ends(child: subprocess.Popen[str]) -> None:
    name = told(child)
    assert name != job_owner.present()
    assert job_owner.runs(name) is True
    child.kill()
    child.wait(10)
    assert job_owner.runs(name) is False


@LINUX
def test_one_that_ended_and_nobody_asked_after_has_ended(child: subprocess.Popen[str]) -> None:
    name = told(child)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert job_owner.runs(name) is False


@LINUX
def test_a_later_process_of_the_same_number_is_another() -> None:
    host, pid, start = job_owner.present().rsplit(":", 2)
    assert job_owner.runs(f"{host}:{pid}:{int(start) + 1}") is False


def test_a_program_may_be_called_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_owner, "PROCESSES", tmp_path)
    for pid, text in (("self", ""), ("7", f"7 (a) b ((c)) S {' '.join(map(str, range(4, 60)))}\n")):
        (tmp_path / pid).mkdir()
        (tmp_path / pid / "stat").write_text(text)
    assert job_owner.runs(f"{platform.node()}:7:22") is True
    assert job_owner.runs(f"{platform.node()}:7:21") is False
    assert job_owner.runs(f"{platform.node()}:8:22") is False


@pytest.mark.parametrize("name", ["elsewhere:1:1", "", "here", "a:b:c", ":::", "elsewhere:0:1"])
def test_of_what_is_not_this_machines_nothing_is_known(name: str) -> None:
    assert job_owner.runs(name) is None


def test_a_machines_name_may_hold_colons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "node", lambda: "fe80::1:2")
    assert job_owner.present().startswith("fe80::1:2:")
    assert job_owner.runs(job_owner.present()) is True
    assert job_owner.runs("fe80:1:2") is None


def test_off_linux_only_the_number_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, child: subprocess.Popen[str]
) -> None:
    host, pid, _ = told(child).rsplit(":", 2)
    monkeypatch.setattr(job_owner, "PROCESSES", tmp_path)
    assert job_owner.present() == f"{host}:{os.getpid()}:0"
    assert job_owner.runs(job_owner.present()) is True
    assert job_owner.runs(f"{host}:{pid}:0") is True
    assert job_owner.runs(f"{host}:1:0") is True
    assert job_owner.runs(f"{host}:{2**70}:0") is False
    child.kill()
    child.wait(10)
    assert job_owner.runs(f"{host}:{pid}:0") is False
