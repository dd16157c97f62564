import os
from pathlib import Path

import pytest

from fleettui.planning.model_folder import model_folder


def kept(hub: Path, name: str, snapshot: str, seconds: int) -> Path:
    folder = hub / name / "snapshots" / snapshot
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    os.utime(folder / "config.json", (seconds, seconds))
    return folder


@pytest.mark.parametrize("variable", ["HF_HUB_CACHE", "HF_HOME"])
def test_a_name_is_found_in_the_hubs_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    hub = tmp_path if variable == "HF_HUB_CACHE" else tmp_path / "hub"
    newest = kept(hub, "models--roberta-large", "aaa", 2000)
    kept(hub, "models--roberta-large", "bbb", 1000)
    other = kept(hub, "models--FacebookAI--roberta-base", "ccc", 1000)
    assert model_folder("roberta-large") == str(newest.resolve())
    assert model_folder("FacebookAI/roberta-base") == str(other.resolve())


def test_a_folder_is_itself_and_what_is_nowhere_is_told_as_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    assert model_folder("mine") == str(tmp_path / "mine")
    assert model_folder("other/model") == str(tmp_path / "other" / "model")
