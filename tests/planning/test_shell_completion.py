"""Completion by the shell: the file is put where the shell looks, and bash completes what it should."""

import shutil
import subprocess
from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.planning.shell_completion import SHELLS, install, script, shell_of

BASH = shutil.which("bash")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_file_is_written_below_the_users_own_folder(shell: str, tmp_path: Path) -> None:
    file, hint = install(shell, {"XDG_DATA_HOME": str(tmp_path / "a"), "XDG_CONFIG_HOME": str(tmp_path / "b")})
    assert file.read_text("utf-8") == script(shell)
    assert file.is_relative_to(tmp_path)
    assert "fleettui" in hint
    again, _ = install(shell, {"XDG_DATA_HOME": str(tmp_path / "a"), "XDG_CONFIG_HOME": str(tmp_path / "b")})
    assert again == file


def test_the_shell_is_the_users_own_unless_named() -> None:
    assert shell_of("", {"SHELL": "/usr/bin/zsh"}) == "zsh"
    assert shell_of("fish", {"SHELL": "/usr/bin/zsh"}) == "fish"
    with pytest.raises(InputError, match="bash, zsh, fish"):
        shell_of("", {"SHELL": "/bin/tcsh"})


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        install("bash", {"XDG_DATA_HOME": str(tmp_path / "file")})


@pytest.mark.skipif(BASH is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["pla"], {"plan"}),
        (["jobs", "re"], {"resume"}),
        (["workload", "show", "azure-2023-co"], {"azure-2023-code", "azure-2023-conv"}),
        (["plan", "azure-p"], {"azure-paper"}),
    ],
)
def test_bash_completes(words: list[str], found: set[str], tmp_path: Path) -> None:
    file, _ = install("bash", {"XDG_DATA_HOME": str(tmp_path)})
    line = " ".join(words)
    asked = f"source {file}; COMP_WORDS=(fleettui {line}); COMP_CWORD={len(words)}; _fleettui; echo ${{COMPREPLY[@]}}"
    command = [str(BASH), "--norc", "-c", asked]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30, cwd=tmp_path)
    assert done.stderr == ""
    assert set(done.stdout.split()) == found
