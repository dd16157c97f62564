"""The kernels as plain Python, by which mutants of them are tried without a compiler."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLAYED = "tests/simulation/test_kernel.py::test_requests_go_to_the_replica_with_the_fewest"


@pytest.mark.thorough
def test_the_kernel_runs_as_plain_python() -> None:
    options = ("-n", "0", "-q", "-p", "no:cacheprovider", "-p", "tests.evidence.plain", PLAYED)
    found = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert found.returncode == 0, found.stdout
