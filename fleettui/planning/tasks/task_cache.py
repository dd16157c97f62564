"""What a worker remembers from one task to the next: the last few things that took work to make."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """At most `most` values by key, the one that was asked for longest ago given up first; it is made again, alike."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[str, Value] = OrderedDict()

    def get(self, key: str, make: Callable[[], Value]) -> Value:
        """Return the value under `key`, made unless it is still there."""
        if key not in self._values:
            self._values[key] = make()
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        self._values.move_to_end(key)
        return self._values[key]
