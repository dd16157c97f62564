import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_each_setting_with_its_source(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_MODEL", "qwen3-32b")
    code, out, err = run("config", "show")
    assert (code, err) == (0, "")
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()}
    assert rows["model"] == ["qwen3-32b", "FLEETTUI_MODEL"]
    assert rows["percentile"] == ["99", "default"]
    assert rows["slo-ttft"] == ["-", "default"]
    assert max(map(len, out.splitlines())) <= 80


def test_settings_as_json(run: Run) -> None:
    plain = json.loads(run("config", "show", "--json")[1])
    assert plain["schema"] == 1
    assert {"name": "dtype", "text": "bf16", "source": "default", "where": ""} in plain["settings"]


def test_the_path(run: Run) -> None:
    path = os.environ["FLEETTUI_CONFIG"]
    assert run("config", "path") == (0, f"{path}\n", "")
    assert json.loads(run("config", "path", "--json")[1])["exists"] is False


def test_a_bad_file_is_refused_by_name(run: Run, refused: Callable[..., str], settings_file: Path) -> None:
    settings_file.write_text('modle = "x"\n', "utf-8")
    message = refused(run("config", "show"))
    assert "did you mean model" in message
    assert str(settings_file) in message


def test_completion_is_put_where_the_shell_looks(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    code, out, err = run("config", "completion")
    file = tmp_path / "bash-completion" / "completions" / "fleettui"
    assert (code, err) == (0, "")
    assert out.startswith(f"written: {file}\n")
    assert run("config", "completion", "bash", "--show") == (0, file.read_text("utf-8"), "")
    assert run("config", "completion", "tcsh")[0] == 2
