from pathlib import Path

import pytest

from fleettui.cli.text_output import deliver
from fleettui.errors import InputError


@pytest.mark.parametrize("output", [None, "-"])
def test_without_a_file_it_is_printed(output: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    deliver("text\n\n", output, force=False)
    assert capsys.readouterr() == ("text\n", "")


def test_a_file_is_written_over_only_where_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.md"
    deliver("first", str(path), force=False)
    assert capsys.readouterr() == ("", f"written: {path}\n")
    with pytest.raises(InputError, match="the file exists"):
        deliver("second", str(path), force=False)
    assert path.read_text("utf-8") == "first\n"
    deliver("second", str(path), force=True)
    assert path.read_text("utf-8") == "second\n"
