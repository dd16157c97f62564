"""A store of its own for every fault."""

from tests.store.conftest import file, store

__all__ = ["file", "store"]
