"""What a study has worked out before it is kept: a file beside the store, from which the same study goes on.

A line is a piece of work: the digest of what was asked, and what came of it, written when it is done. A program that is
stopped loses what was under way, and no more. The file goes when its study is kept.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from fleettui.domain.digest import digest
from fleettui.domain.plan import ENGINE_VERSION

APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT


class Begun:
    """The finished pieces of one study; `asked` says which, so that another one finds none of them.

    Where no file can be written nothing is kept, and a study that is stopped begins anew.
    """

    def __init__(self, store: Path, asked: object) -> None:
        self._file = store.with_name(f"{store.name}.begun-{digest([ENGINE_VERSION, asked])[:16]}")
        self._found = self._read()

    def find(self, piece: object) -> Any:
        """Return what came of a piece, plain as it was noted; None where it is not done."""
        return self._found.get(digest(piece))

    def note(self, piece: object, plain: Any) -> None:
        """Keep what came of a piece."""
        line = json.dumps([digest(piece), plain]) + "\n"
        with suppress(OSError), os.fdopen(os.open(self._file, APPENDING, 0o600), "a", encoding="utf-8") as file:
            file.write(line)

    @property
    def is_left(self) -> bool:
        """Whether a piece is done from which the same study goes on."""
        return self._file.exists()

    def forget(self) -> None:
        """Let go of all of it."""
        with suppress(OSError):
            self._file.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        try:
            lines = self._file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return found
        for line in lines:
            with suppress(ValueError):  # a line that was not written whole
                piece, plain = json.loads(line)
                found[piece] = plain
        return found
