"""A store of its own for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import Store
from tests.store import samples


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "fleettui.db"


@pytest.fixture
def store(file: Path) -> Iterator[Store]:
    with Store.open(file, clock=samples.clock(), entropy=lambda: 12_345) as opened:
        yield opened
