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
