"""Statements that SQLAlchemy has put into words, kept for all stores of a run of the tests and not for each anew.

The program opens one store and puts each statement into words once; the tests open hundreds, and a third of the time of
those of the store went to that.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, create_engine

from store import engine


class Sharing:
    """Makes engines that have the dialect of the first one, and with it the statements that any of them has met."""

    def __init__(self) -> None:
        self._first: Engine | None = None

    def create_engine(self, *given: Any, **named: Any) -> Engine:
        """Return an engine as SQLAlchemy makes it, with what is shared."""
        made = create_engine(*given, **named)
        if self._first is None:
            self._first = made
        made.dialect, made._compiled_cache = self._first.dialect, self._first._compiled_cache
        return made


def install() -> None:
    """Let every store that is opened from now on share its statements with the others."""
    vars(engine)["create_engine"] = Sharing().create_engine
