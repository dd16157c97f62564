"""What tasks came to that a plan asks for again: they are functions of what they are given, and take their time."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from typing import Any

MOST = 1024
"""Results that are remembered; the one asked for longest ago is given up first."""
NAMES = frozenset(
    {
        "advice-without",
        "confidence",
        "confidence-lasts",
        "confidence-sizes",
        "stock",
        "verification-curves",
        "verification-stage",
    }
)
"""Tasks whose results are remembered, beside replications that are not kept whole."""
TEXTS = ("workload", "profiles")
"""Long texts of a scene's source."""


class Remembered:
    """The last results of such tasks, by all that they were given."""

    def __init__(self) -> None:
        self._results: OrderedDict[str, Any] = OrderedDict()

    def __contains__(self, key: str) -> bool:
        return key in self._results

    def __getitem__(self, key: str) -> Any:
        self._results.move_to_end(key)
        return self._results[key]

    def keep(self, key: str, result: object) -> None:
        """Remember a result; an empty key is that of one that is not remembered."""
        if key:
            self._results[key] = result
            if len(self._results) > MOST:
                self._results.popitem(last=False)


def key_of(name: str, payload: dict[str, Any]) -> str:
    """Return the key of a task and what it is given, plain, empty where its result is not remembered.

    >>> key_of("plan", {}), key_of("stock", {"rate": 1.0}) == key_of("stock", {"rate": 2.0})
    ('', False)
    """
    if name not in NAMES and not (name == "verification-replicate" and payload.get("bare")):
        return ""
    return digest_of(name, payload)


def digest_of(name: str, payload: dict[str, Any]) -> str:
    """Return a digest of a task and what it is given, plain, which holds in this process."""
    source = dict(payload.get("source") or {})
    texts = [hash(source.pop(one, "")) for one in TEXTS]
    told = json.dumps([name, source, texts, {**payload, "source": None}], sort_keys=True)
    return hashlib.blake2b(told.encode(), digest_size=20).hexdigest()
