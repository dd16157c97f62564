from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.cli.open_store import open_store
from fleettui.errors import StoreError
from store import Store
from tests.store import samples


def test_the_store_that_the_settings_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "mine.db"))
    with open_store() as store:
        assert store.path == tmp_path / "mine.db"


def test_a_read_only_store_says_so_on_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.db"
    monkeypatch.setenv("FLEETTUI_DB", str(file))
    with open_store() as store:
        samples.add(store)
    monkeypatch.setattr("store.opening.file_place.is_writable", lambda _: False)
    with open_store() as store:
        assert store.notice
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.strip() == store.notice.strip()
    with pytest.raises(StoreError, match="read"), open_store() as store:
        store.set_name("last", "x")
    assert capsys.readouterr().err == "", "the refusal itself says it, once"


def test_the_plans_of_a_published_store_are_read_beside(
    tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    with Store.open(tmp_path / "theirs.db") as theirs:
        plan = samples.prove(theirs)
        theirs.publish(tmp_path / "published.db")
    with open_store() as store:
        samples.add(store)
    beside = ("--also", str(tmp_path / "published.db"))
    marked = f"@{plan.plan.handle}"
    assert marked in run(*beside, "list")[1]
    assert run(*beside, "show", marked)[:2] == (0, run(*beside, "show", plan.plan.id)[1])
    assert marked in run(*beside, "compare", "last", marked)[1]
    assert marked not in run("list")[1]
    assert run("--also", str(tmp_path / "none.db"), "list")[0] == 4
