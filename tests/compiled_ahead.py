"""The process that compiles the engine's variants ahead of the tests that run them, while others collect the tests.

What variants have in common is compiled once then, and not in every process that is the first to ask for one of them.
A test that needs a variant which is being compiled waits for it, as two processes of the program do.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

COMMAND = (sys.executable, "-m", "tests.simulation.variants")


def begin(config: pytest.Config) -> subprocess.Popen[bytes] | None:
    """Start the process where the whole suite, and no more than that, is run on several cores; None elsewhere."""
    own, suite = config.option, config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not (suite and own.numprocesses and own.markexpr == "not evidence" and not own.collectonly):
        return None
    return subprocess.Popen(COMMAND, cwd=config.rootpath, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def end(process: subprocess.Popen[bytes] | None) -> None:
    """End the process, if there is one and it is not over by itself."""
    if process is not None:
        process.kill()
        process.wait(timeout=10.0)
