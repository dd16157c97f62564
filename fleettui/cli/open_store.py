"""The store that the settings name, opened for one command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fleettui.cli import console
from fleettui.planning import settings
from fleettui.planning.settings import Setting

if TYPE_CHECKING:
    from store import Store


@contextmanager
def open_store(chosen: tuple[Setting, ...] | None = None) -> Iterator[Store]:
    """Give the open store; tells on stderr when it could only be opened to read. Raises StoreError.

    That is told after the command, whose own refusal to write says it already.
    """
    from store import Store

    known = settings.settings() if chosen is None else chosen
    with Store.open(settings.database(known), also=settings.also(known)) as store:
        yield store
        if store.notice:
            console.remark(store.notice)
