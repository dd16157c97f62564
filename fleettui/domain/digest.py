"""Names for content: the SHA-256 of a value's canonical JSON, and the short handles that people type.

Fields that came `later` (`serialization`) are left out of the JSON at their default, so that old digests stay.
"""

from __future__ import annotations

import hashlib
from typing import Any

from fleettui.domain.serialization import dumps, to_plain

SHORTEST_HANDLE = 4
OWN = frozenset({"id", "handle", "candidate", "created"})
"""Fields that tell one run from another that came to the same."""


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical JSON of `value` as 64 hex digits.

    >>> digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
    True
    """
    return digest_of(dumps(value))


def digest_of(text: str) -> str:
    """Return the SHA-256 of canonical JSON as 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def said(value: object) -> str:
    """Return the canonical JSON of a value without ids, handles and times: the same of two runs that came to the same.

    >>> said({"handle": "41a7", "gpus": 8}) == said({"handle": "40f2", "gpus": 8})
    True
    """
    return dumps(_nameless(to_plain(value)))


def _nameless(plain: Any) -> Any:
    if isinstance(plain, dict):
        return {key: _nameless(item) for key, item in plain.items() if key not in OWN}
    return [_nameless(item) for item in plain] if isinstance(plain, list) else plain


def handle_of(identifier: str, length: int = SHORTEST_HANDLE) -> str:
    """Return the first `length` hex digits of SHA-256(identifier).

    >>> len(handle_of("019aa0", 4))
    4
    """
    return hashlib.sha256(identifier.encode()).hexdigest()[:length]
