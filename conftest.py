"""For every test and doctest: a store and settings of its own, never the user's."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that are yet to be made. Pytest's own ones are numbered by a look at all that are there.

    Few tests keep anything, and on some disks a folder takes milliseconds to be removed.
    """
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def private_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point the store and the settings to a folder that only this test has, and that whoever writes there makes."""
    home = next(homes)
    monkeypatch.setenv("FLEETTUI_DB", str(home / "fleettui.db"))
    monkeypatch.setenv("FLEETTUI_CONFIG", str(home / "config.toml"))
    return home


@pytest.fixture
def settings_file(private_home: Path) -> Path:
    """Return the test's own file of settings, which is not there yet, in a folder that is."""
    private_home.mkdir()
    return private_home / "config.toml"
