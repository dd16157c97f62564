"""Plans, candidates and their inputs, kept in SQLite: `Store`, and nothing else.

The class is loaded on first use, so that importing this package (or `store.peek`) costs no SQLModel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.store import Store

__all__ = ["Store"]


def __getattr__(name: str) -> object:
    if name == "Store":
        from store.store import Store

        return Store
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
