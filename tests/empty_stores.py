"""New stores as copies of one that was made: hundreds of tests open one, and most are not about how it is made.

A new file begins as the bytes of a store with nothing in it, which the first one makes as the program does. Tests of
how a file is made, raised or refused, and of faults meanwhile, get an empty file, as the program has it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from store import file_place

MAKING = ("faults", "migrations", "test_file_place.py", "test_opening.py", "test_schema.py", "test_triggers.py")
"""Where in `tests` files are made as the program makes them."""


class Copies:
    """Makes new files, as copies while it is `copying`."""

    def __init__(self) -> None:
        self.copying = False
        self._empty = b""
        self._make = file_place._create_file

    def make(self, path: Path) -> None:
        """Make the file as the store does; one that was not there has its tables then."""
        new = self.copying and not path.exists()
        self._make(path)
        if new:
            self._empty = self._empty or made_anew(self)
            path.write_bytes(self._empty)


def made_anew(copies: Copies) -> bytes:
    """Return what is in the file of a store that the program has made."""
    from store import Store

    copies.copying = False
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        Store.open(file).close()
        copies.copying = True
        return file.read_bytes()


COPIES = Copies()


def copied_for(path: Path) -> bool:
    """Return whether the tests of a file get copies."""
    return not set(path.parts) & set(MAKING)


def install() -> None:
    """Let every new store be a copy where that is wished."""
    vars(file_place)["_create_file"] = COPIES.make
