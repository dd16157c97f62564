import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repeated import few

APP = ("textual", "rich", "fleettui.tui")


def started(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program without a terminal."""
    return subprocess.run(
        (sys.executable, "-m", "fleettui", *words),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=60,
        env=os.environ | environment,
    )


def test_the_module_runs_the_command_line() -> None:
    found = started("gpu", "show", "none")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("fleettui: unknown GPU")


@pytest.mark.evidence
def test_alone_and_without_a_terminal_it_says_what_to_type() -> None:
    found = started()
    assert (found.returncode, found.stderr) == (0, "")
    assert "fleettui plan azure-2023-conv" in found.stdout


@pytest.mark.evidence
def test_open_without_a_terminal_is_refused() -> None:
    found = started("open", "41a7")
    assert (found.returncode, found.stdout) == (2, "")
    assert "this needs a terminal: the input is not a terminal" in " ".join(found.stderr.split())


@pytest.mark.parametrize("words", few([("gpu", "list"), ("list",), ("config", "show"), ("--version",)], 1, whole=True))
def test_a_command_loads_nothing_of_the_app(words: tuple[str, ...]) -> None:
    code = (
        "import sys; from fleettui.__main__ import main; code = main(); "
        f"print(*sorted(set({APP!r}) & set(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    found = subprocess.run((sys.executable, "-c", code, *words), capture_output=True, text=True, check=True, timeout=60)
    lines = found.stderr.splitlines()
    assert lines[-1] == ""


@pytest.mark.skipif(not Path("/dev/ptmx").exists(), reason="a terminal is made through /dev/ptmx")
@pytest.mark.parametrize("kind", few(["dumb", "unknown"], 1))
def test_alone_on_a_dumb_terminal_it_prints(kind: str) -> None:
    import pty

    host, terminal = pty.openpty()
    try:
        found = subprocess.run(
            (sys.executable, "-m", "fleettui"),
            stdin=terminal,
            stdout=terminal,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
            env=os.environ | {"TERM": kind},
        )
        assert (found.returncode, found.stderr) == (0, b"")
        assert select.select((host,), (), (), 1.0)[0], "nothing was printed"
        text = os.read(host, 65536).decode()
    finally:
        os.close(terminal)
        os.close(host)
    assert "fleettui plan azure-2023-conv" in text
    assert "\x1b" not in text


def test_settings_that_do_not_read_are_refused_before_the_app(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("nonsense = 1\n")
    found = started(FLEETTUI_CONFIG=str(config))
    assert (found.returncode, found.stdout) == (2, "")
    assert "nonsense" in found.stderr


@pytest.mark.parametrize("name", ["CONFIG", "DB"])
@pytest.mark.parametrize("words", few([(), ("list",)], 1, whole=True))
def test_a_path_that_no_file_can_have_is_refused(name: str, words: tuple[str, ...]) -> None:
    found = started(*words, **{f"FLEETTUI_{name}": "~nobody-x/file"})
    assert found.returncode in (2, 4)
    assert found.stderr.startswith("fleettui: ")
    assert "home directory" in " ".join(found.stderr.split())
    assert "bug" not in found.stderr
