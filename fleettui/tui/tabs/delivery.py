"""What `w` can write of a view."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Delivery:
    """Something that can be written to a file: what it is, the file's name unless another is typed, and its text."""

    words: str
    file: str
    text: Callable[[], Awaitable[str]]


async def known(text: str) -> str:
    """Return a text that is there already: that of what is shown when `w` is pressed, whatever comes meanwhile."""
    return text
