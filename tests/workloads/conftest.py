"""What the tests of this room share: the folder of traces beside the checkout, and small files written on the spot."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]


@pytest.fixture(scope="session")
def data() -> Path:
    folder = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the traces are not beside this checkout: {folder}")
    return folder


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes text or bytes to a file, zipped on demand, and returns its path."""

    def written(content: str | bytes, name: str = "trace.any", *, zipped: bool = False) -> Path:
        raw = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(raw) if zipped else raw)
        return path

    return written
