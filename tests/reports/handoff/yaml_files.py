"""The objects of a file as YAML, read by the C library where that is there: by Python it takes ten times as long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(text: str) -> Any:
    """Return the one object of a text."""
    return yaml.load(text, LOADER)


def load_all(text: str) -> Iterator[Any]:
    """Return each object of a text, None for one that is empty."""
    found: Iterator[Any] = yaml.load_all(text, LOADER)
    return found
