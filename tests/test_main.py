import subprocess
import sys


def test_the_module_runs_the_command_line() -> None:
    found = subprocess.run(
        (sys.executable, "-m", "fleettui", "gpu", "show", "none"),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("fleettui: unknown GPU")
