from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.tui.new_file import new


@pytest.mark.parametrize("text", ["", "  ", ".", "none/plan.txt", "a" * 300, "~nobody-of-that-name/x"])
def test_what_is_no_new_file_is_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        new(text)


def test_a_new_file_in_a_folder_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert new(" plan.txt ") == Path("plan.txt")
    assert list(tmp_path.iterdir()) == []
