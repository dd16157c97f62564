"""The package shows one name and loads nothing for it until asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import store


def test_store_is_the_one_public_name() -> None:
    assert dir(store) == store.__all__ == ["Store"]
    assert store.Store.__name__ == "Store"
    with pytest.raises(AttributeError, match="no attribute 'Shop'"):
        store.Shop  # noqa: B018


def test_importing_the_package_is_light() -> None:
    program = "import sys, store; assert not {'sqlmodel', 'sqlalchemy', 'pydantic', 'sqlite3'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[2], check=True, timeout=60)
