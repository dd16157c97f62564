import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_a_healthy_machine_is_0(run: Run) -> None:
    code, out, err = run("doctor")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    plain = json.loads(run("doctor", "--json")[1])
    assert {one["name"] for one in plain["checks"]} >= {"python", "sqlite", "packages", "store", "terminal", "cores"}


def test_a_store_that_does_not_open_is_3(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = tmp_path / "bad.db"
    bad.write_text("no database", "utf-8")
    monkeypatch.setenv("FLEETTUI_DB", str(bad))
    code, out, _ = run("doctor")
    assert code == 3
    assert "fail  store" in out
