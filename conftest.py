"""For every test and doctest: a store and settings of its own, never the user's."""

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

HOMES = pytest.StashKey[tuple[TemporaryDirectory[str], Iterator[int]]]()
"""The folder of the homes that are yet to be made, and their numbers."""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Choose where homes are made. Few tests keep anything, and pytest's own folders are made for each and removed."""
    session.stash[HOMES] = TemporaryDirectory(prefix="fleettui-homes-", ignore_cleanup_errors=True), count()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Remove the homes."""
    session.stash[HOMES][0].cleanup()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Point the store and the settings to a folder that only this test has, and that whoever writes there makes.

    This is no fixture: to make one for each test takes longer than many tests do.
    """
    folder, numbers = item.session.stash[HOMES]
    home = Path(folder.name) / str(next(numbers))
    os.environ["FLEETTUI_DB"], os.environ["FLEETTUI_CONFIG"] = str(home / "fleettui.db"), str(home / "config.toml")


@pytest.fixture
def settings_file() -> Path:
    """Return the test's own file of settings, which is not there yet, in a folder that is."""
    file = Path(os.environ["FLEETTUI_CONFIG"])
    file.parent.mkdir()
    return file
