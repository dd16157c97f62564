from pathlib import Path

import pytest

from fleettui.cli.open_store import open_store


def test_the_store_that_the_settings_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "mine.db"))
    with open_store() as store:
        assert store.path == tmp_path / "mine.db"


def test_a_read_only_store_says_so_on_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.db"
    monkeypatch.setenv("FLEETTUI_DB", str(file))
    with open_store():
        pass
    monkeypatch.setattr("store.opening.file_place.is_writable", lambda _: False)
    with open_store() as store:
        assert store.notice
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.strip() == store.notice.strip()
