"""An open store's file: how it is opened and closed, its clock, and its transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Connection

from store import beside, failures, identity, opening
from store.engine import PATIENCE, reading, writing


class StoreFile:
    """One open file, which threads and programs may share; what is in it is its heirs' affair."""

    def __init__(
        self,
        opened: opening.Opened,
        clock: Callable[[], datetime],
        entropy: Callable[[], int],
        also: Path | None = None,
    ) -> None:
        self._opened, self._clock, self._entropy, self._also = opened, clock, entropy, also
        self._read = opened.engine if also is None else beside.build(opened.path, also)

    @classmethod
    def open(
        cls,
        path: Path | None = None,
        *,
        read_only: bool = False,
        also: Path | None = None,
        patience: float = PATIENCE,
        clock: Callable[[], datetime] = identity.now,
        entropy: Callable[[], int] = identity.entropy,
    ) -> Self:
        """Open the store at `path` (FLEETTUI_DB, or the user's data folder), making or upgrading it as needed.

        A file that may only be read, or that a newer fleettui wrote, is opened read-only and `notice` says so.
        With `also`, the file of another store, its plans are read beside one's own; their handles begin with @.
        `patience` is how many seconds a write waits for another program; `clock` and `entropy` feed the ids.
        """
        opened = opening.open_file(path, read_only=read_only, patience=patience)
        try:
            return cls(opened, clock, entropy, also)
        except BaseException:
            opened.engine.dispose()
            raise

    @property
    def path(self) -> Path:
        """The store's file."""
        return self._opened.path

    @property
    def notice(self) -> str:
        """A sentence on why the store is read-only although that was not asked for; empty otherwise."""
        return self._opened.notice

    def check_writable(self) -> None:
        """Raise what a write would: StoreReadOnlyError or StoreVersionError where nothing may be written."""
        if self._opened.refusal:
            raise self._opened.refusal

    def close(self) -> None:
        """Close every connection; the store cannot be used afterwards."""
        self._read.dispose()
        self._opened.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with failures.told(self.path, newer=self._opened.newer), reading(self._read) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        self.check_writable()
        with failures.told(self.path), writing(self._opened.engine) as connection:
            yield connection
