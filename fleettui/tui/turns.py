"""Whose turn it is: a key's work holds back the keys after it, unless it waits for a person or for the workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Turn:
    """Work that a key began; `holds` while the keys that were typed after it wait for it, for `most` seconds each."""

    def __init__(self, *, holds: bool = True, most: float = 0.0) -> None:
        self.holds, self.most = holds, most


BACKGROUND = Turn(holds=False)
"""The turn of what no key began, such as a look at work that goes on: no key waits for any of it."""
_TURN: ContextVar[Turn | None] = ContextVar("turn", default=None)
"""The turn in which the code at hand runs, None where no key began it."""


@contextmanager
def taken(turn: Turn) -> Iterator[None]:
    """Run what is inside as the work of `turn`."""
    before = _TURN.set(turn)
    try:
        yield
    finally:
        _TURN.reset(before)


@contextmanager
def background() -> Iterator[None]:
    """Run what is inside, and all that it begins, as work that no key waits for."""
    with taken(BACKGROUND):
        yield


def is_background() -> bool:
    """Return whether the code at hand was begun by no key."""
    return _TURN.get() is BACKGROUND


@contextmanager
def keys_go_on() -> Iterator[None]:
    """Let keys go on while what is inside waits; after it they are held again."""
    turn = _TURN.get()
    if turn is None or turn is BACKGROUND:
        yield
        return
    turn.holds = False
    try:
        yield
    finally:
        turn.holds = True
