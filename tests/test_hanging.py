"""What becomes of a test that hangs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = """
import threading

def test_short() -> None:
    pass

def test_fails() -> None:
    assert not "asked for"

def test_hangs() -> None:
    threading.Event().wait(60.0)
"""
CONFTEST = """
from tests import hanging

def pytest_configure(config):
    config.pluginmanager.register(hanging.Watch(0.5))
"""


def test_its_process_ends_with_the_stacks_though_tests_before_it_passed_and_failed(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_some.py").write_text(TESTS)
    words = ("-m", "pytest", "-q", "-n", "0", "-c", "none.ini", "--rootdir", ".", "-p", "no:cacheprovider")
    (tmp_path / "none.ini").write_text("[pytest]\n")
    found = subprocess.run(
        (sys.executable, *words),
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert found.returncode == 1
    assert "Timeout (0:00:00.500000)!" in found.stderr
    assert "test_hangs" in found.stderr
    assert "test_short" not in found.stderr
