import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from fleettui.cli import error_messages
from fleettui.errors import InputError, StoreError


def test_a_designed_error_ends_with_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert error_messages.refuse(InputError("wrong", where="--x", value="y", accepted="z")) == 2
    assert error_messages.refuse(StoreError("busy")) == 4
    assert capsys.readouterr().err == "fleettui: --x: wrong (got 'y')\n  accepted: z\nfleettui: busy\n"


def test_a_usage_error_without_a_place_names_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(typer.BadParameter("x"), error_messages.UsageError)
    assert error_messages.refuse_usage(typer.BadParameter("no good\nat all"), "fleettui plan") == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["fleettui: invalid value: no good at all", "  do: fleettui plan --help shows what is accepted"]


def test_a_report_that_cannot_be_written_is_no_second_failure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path / "none")
    assert error_messages.report_bug(AssertionError("evidence"), ["plan"]) == 1
    assert "no report could be written" in capsys.readouterr().err


def test_a_long_refusal_goes_on_further_in_and_a_path_stays_whole(capsys: pytest.CaptureFixture[str]) -> None:
    path = "/srv/" + "x" * 90 + ".yaml"
    accepted = ", ".join(f"some-name-{number}" for number in range(12))
    assert error_messages.refuse(InputError("this is no fleet at all", where=path, accepted=accepted)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == [f"fleettui: {path}:", "    this is no fleet at all"]
    assert lines[2].startswith("  accepted: some-name-0, ")
    assert all(line.startswith("    some-name-") for line in lines[3:])
    assert all(len(line) <= 80 for line in lines if path not in line)
    assert " ".join(line.strip() for line in lines[2:]) == f"accepted: {accepted}"


def test_a_full_disk_is_refused_in_words_wherever_it_is_met(capfd: pytest.CaptureFixture[str]) -> None:
    """Found by trying: `fleettui list > /dev/full` was told as a bug."""
    full = ["import sys, fleettui.cli; sys.exit(fleettui.cli.main(['--version']))"]
    with Path("/dev/full").open("w", encoding="utf-8") as nowhere:
        ended = subprocess.run((sys.executable, "-c", *full), stdout=nowhere, check=False, timeout=60)
    assert ended.returncode == 4
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "fleettui: the output cannot be written: No space left on device"
    assert lines[1].startswith("  do: make room")


def test_an_option_of_an_engine_is_told_by_ours(run: Callable[..., tuple[int, str, str]]) -> None:
    """Found by trying: `--gpu-memory-utilization` was answered with "did you mean --max-utilization?"."""
    for theirs, words in (
        ("--max-num-batched-tokens", "did you mean --token-budget?"),
        ("--tensor-parallel-size", "did you mean --tp?"),
        ("--gpu-memory-utilization", "it cannot be set"),
    ):
        code, _, err = run("plan", theirs, "8")
        assert code == 2
        assert words in err
        assert "--max-utilization" not in err
        assert len(err.splitlines()) <= 4
