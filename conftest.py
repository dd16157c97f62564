"""For every test and doctest: a store and settings of its own, never the user's."""

import pytest


@pytest.fixture(autouse=True)
def private_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point the store and the settings to a folder that only this test has."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("FLEETTUI_DB", str(home / "fleettui.db"))
    monkeypatch.setenv("FLEETTUI_CONFIG", str(home / "config.toml"))
