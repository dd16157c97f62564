"""What a router's rule is given in a test: no more of the view than the rule reads."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def part_of_view(**fields: object) -> Any:
    """Return a value with these fields."""
    return SimpleNamespace(**fields)
