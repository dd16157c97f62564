"""The store opened while a worker searches: what may not be written is refused before the search has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fleettui.planning.worker_pool import together

if TYPE_CHECKING:
    from store import Store

Found = TypeVar("Found")


async def opened_meanwhile(store: Store | Callable[[], Store], work: Coroutine[Any, Any, Found]) -> tuple[Store, Found]:
    """Return the store, opened, and the result of `work`, which goes on side by side with the opening.

    A function as `store` is called in a thread. Whichever fails first ends the other and is raised: StoreError for a
    store that does not open or may not be written.
    """
    kept, found = await together(cast("list[Coroutine[Any, Any, object]]", [opened(store), work]))
    return cast("Store", kept), cast(Found, found)


async def opened(store: Store | Callable[[], Store]) -> Store:
    """Return the store, opened in a thread where a function opens it; raises StoreError where it may not be written."""
    kept = await _called(store) if callable(store) else store
    kept.check_writable()
    return kept


async def _called(store: Callable[[], Store]) -> Store:
    """Return what `store` opens; whoever is cancelled waits for it, so that it can be closed."""
    opening = asyncio.ensure_future(asyncio.to_thread(store))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        await asyncio.wait([opening])
        raise
