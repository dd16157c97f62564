"""A disk that remembers what is written to it, loses what was not synced, and can be full: SQLite's own, watched.

SQLite reaches files through a table of functions, its VFS. For the time of a block the default one is a copy whose
files note each write, truncation, sync and deletion before the real one does it. What would be left after a power
loss at any moment is computed from the notes: what was synced, and of the rest nothing, or some sectors.
See https://www.sqlite.org/vfs.html and https://www.sqlite.org/atomiccommit.html, section 2, for what may be lost.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

OK, FULL = 0, 13
SECTOR = 512
"""Bytes that a disk writes whole or not at all."""
POINTER, INT, LONG = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
OPEN = ctypes.CFUNCTYPE(INT, POINTER, POINTER, POINTER, INT, POINTER)
DELETE = ctypes.CFUNCTYPE(INT, POINTER, POINTER, INT)
WRITE = ctypes.CFUNCTYPE(INT, POINTER, POINTER, INT, LONG)
TRUNCATE = ctypes.CFUNCTYPE(INT, POINTER, LONG)
SYNC = ctypes.CFUNCTYPE(INT, POINTER, INT)


class Vfs(ctypes.Structure):
    """`sqlite3_vfs`, what follows xDelete being left as it is."""

    _fields_ = (
        ("version", INT),
        ("file_size", INT),
        ("longest_path", INT),
        ("next", POINTER),
        ("name", ctypes.c_char_p),
        ("data", POINTER),
        ("open", POINTER),
        ("delete", POINTER),
        ("others", POINTER * 14),
    )


class Methods(ctypes.Structure):
    """`sqlite3_io_methods`, what follows xSync being left as it is."""

    _fields_ = (
        ("version", INT),
        ("close", POINTER),
        ("read", POINTER),
        ("write", POINTER),
        ("truncate", POINTER),
        ("sync", POINTER),
        ("others", POINTER * 13),
    )


Kind = Literal["write", "truncate", "sync", "delete", "told"]


@dataclass(frozen=True, slots=True)
class Note:
    """What was done to a file, or `told` to the user: then `name` is what was said."""

    kind: Kind
    name: str
    offset: int = 0
    data: bytes = b""


class Disk:
    """What SQLite has done to files since the disk was put in; `room` is how many writes it has room for."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.room: int | None = None
        self._names: dict[int, str] = {}
        self._methods: dict[int, Methods] = {}
        self._kept: list[Any] = []
        """What C holds pointers to."""

    def tell(self, words: str) -> None:
        """Note that the user was told something, which must be true from then on."""
        self.notes.append(Note("told", words))

    def vfs(self, real: Vfs, address: int) -> Vfs:
        """Return a copy of the real one whose files are watched."""
        copied = Vfs.from_buffer_copy(real)
        copied.name = b"watched"
        real_open, real_delete = OPEN(real.open), DELETE(real.delete)

        def opened(_: int, name: int | None, file: int, flags: int, told: int) -> int:
            code: int = real_open(address, name, file, flags, told)
            if code == OK and name:
                self._names[file] = ctypes.string_at(name).decode()
                methods = POINTER.from_address(file)
                methods.value = ctypes.addressof(self._watched(methods.value or 0))
            return code

        def deleted(_: int, name: int, synced: int) -> int:
            self.notes.append(Note("delete", ctypes.string_at(name).decode()))
            code: int = real_delete(address, name, synced)
            return code

        copied.open, copied.delete = self._pointer(OPEN(opened)), self._pointer(DELETE(deleted))
        return copied

    def _watched(self, address: int) -> Methods:
        if address in self._methods:
            return self._methods[address]
        copied = Methods.from_buffer_copy(Methods.from_address(address))
        write, truncate, sync = WRITE(copied.write), TRUNCATE(copied.truncate), SYNC(copied.sync)

        def written(file: int, data: int, size: int, offset: int) -> int:
            if not self._has_room():
                return FULL
            self.notes.append(Note("write", self._names[file], offset, ctypes.string_at(data, size)))
            code: int = write(file, data, size, offset)
            return code

        def truncated(file: int, size: int) -> int:
            self.notes.append(Note("truncate", self._names[file], size))
            code: int = truncate(file, size)
            return code

        def synced(file: int, flags: int) -> int:
            code: int = sync(file, flags)
            self.notes.append(Note("sync", self._names[file]))
            return code

        copied.write = self._pointer(WRITE(written))
        copied.truncate = self._pointer(TRUNCATE(truncated))
        copied.sync = self._pointer(SYNC(synced))
        self._methods[address] = copied
        return copied

    def note_sync(self, handle: int) -> None:
        """Note that a file was synced by its handle, not through SQLite."""
        same = (name for name in set(self._names.values()) if _is_same(name, handle))
        self.notes.append(Note("sync", next(same)))

    def _has_room(self) -> bool:
        if self.room is None:
            return True
        self.room -= 1
        return self.room >= 0

    def _pointer(self, function: Any) -> int | None:
        self._kept.append(function)
        return ctypes.cast(function, POINTER).value


def _is_same(name: str, handle: int) -> bool:
    """Tell whether a file that SQLite opened is the one that a handle is of."""
    file = Path(name)
    return file.exists() and os.path.samestat(file.stat(), os.fstat(handle))


@contextmanager
def watched() -> Iterator[Disk]:
    """Let all files that SQLite opens in this process be on a disk that is watched; they are closed by the end."""
    try:
        library = ctypes.CDLL(_sqlite3.__file__)
        library.sqlite3_vfs_find.restype = POINTER
    except AttributeError:
        pytest.skip("this Python holds its SQLite within itself, where it cannot be watched")
    address = library.sqlite3_vfs_find(None)
    disk = Disk()
    vfs = disk.vfs(Vfs.from_address(address), address)
    assert library.sqlite3_vfs_register(ctypes.byref(vfs), 1) == OK
    sync = os.fsync

    def synced(handle: int) -> None:
        sync(handle)
        disk.note_sync(handle)

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fsync", synced)
            yield disk
    finally:
        assert library.sqlite3_vfs_unregister(ctypes.byref(vfs)) == OK
        assert library.sqlite3_vfs_register(POINTER(address), 1) == OK


class Left:
    """A file on a disk: what is synced, and what is not yet."""

    def __init__(self) -> None:
        self.synced = bytearray()
        self.pending: list[Note] = []

    def sync(self) -> None:
        """Make all that was done last."""
        for note in self.pending:
            self._do(note.kind, note.offset, note.data)
        self.pending.clear()

    def lose(self, chance: random.Random | None) -> None:
        """Lose power: nothing that is not synced stays, or each sector of it by `chance`."""
        for note in self.pending if chance else ():
            assert chance
            sectors = range(0, len(note.data), SECTOR) if note.kind == "write" else (0,)
            for at in sectors:
                if chance.random() < 0.5:
                    self._do(note.kind, note.offset + at, note.data[at : at + SECTOR])

    def _do(self, kind: Kind, offset: int, data: bytes) -> None:
        if kind == "truncate":
            del self.synced[offset:]
            return
        self.synced.extend(bytes(max(0, offset + len(data) - len(self.synced))))
        self.synced[offset : offset + len(data)] = data


def after_power_loss(notes: list[Note], folder: Path, chance: random.Random | None) -> set[str]:
    """Write to `folder` the files that are left where power is lost after `notes`; return what was told by then."""
    files: dict[str, Left] = {}
    told = set()
    for note in notes:
        if note.kind == "told":
            told.add(note.name)
        elif note.kind == "delete":
            files.pop(note.name, None)
        elif note.kind == "sync":
            files.setdefault(note.name, Left()).sync()
        else:
            files.setdefault(note.name, Left()).pending.append(note)
    folder.mkdir(mode=0o700, parents=True)
    for name, left in files.items():
        left.lose(chance)
        (folder / Path(name).name).write_bytes(left.synced)
    return told
