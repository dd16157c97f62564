"""Names for content: the SHA-256 of a value's canonical JSON, and the short handles that people type."""

from __future__ import annotations

import hashlib

from fleettui.domain.wire import dumps

SHORTEST_HANDLE = 4


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical JSON of `value` as 64 hex digits.

    >>> digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
    True
    """
    return digest_of(dumps(value))


def digest_of(text: str) -> str:
    """Return the SHA-256 of canonical JSON as 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def handle_of(identifier: str, length: int = SHORTEST_HANDLE) -> str:
    """Return the first `length` hex digits of SHA-256(identifier).

    >>> len(handle_of("019aa0", 4))
    4
    """
    return hashlib.sha256(identifier.encode()).hexdigest()[:length]
