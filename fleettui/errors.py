"""The errors a person can cause, each ending in what to do about it.

FleettuiError                 exit 2 unless said otherwise
├── InputError                something typed or read is not acceptable
│   ├── UnknownNameError      a name that is not in a catalogue; says the nearest
│   └── SeveralErrors         all that is wrong with one file
├── StoreError                the store cannot be used (exit 4)
│   ├── StoreBusyError        another program holds it
│   ├── StoreReadOnlyError    it may be read, not written
│   ├── StoreVersionError     it was written by a newer fleettui
│   └── UnreadableError       something that is kept in it does not read
├── FullDiskError             a file that was asked for finds no room (exit 4)
├── WorkerError               a worker process failed (exit 1)
└── Interrupted               asked to stop; finished work is kept (exit 130)

A bug is never one of these: bugs are AssertionErrors carrying the evidence.
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

NEAR = "did you mean"
"""How a remedy begins that names what was probably meant."""
MOST_TOLD = 5
"""Of several errors, those that are told."""
ONE_LINE = 64
"""Characters of known names that are listed in a refusal."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""What a full disk and a lost terminal answer to a write."""


class FleettuiError(Exception):
    """Base of every error that is reported without a traceback."""

    exit_code: ClassVar[int] = 2


class InputError(FleettuiError):
    """Bad input, told in one to three lines: what, where, the value, what is accepted, what to do.

    `what` is a clause without a full stop. `where` names a file, line, option or field. `value` is shown
    as it was seen, shortened to 60 characters. `accepted` and `remedy` become the second and third line, but for
    a guess at what was meant, which comes first.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        value: object = None,
        accepted: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.what, self.where, self.value, self.accepted, self.remedy = what, where, value, accepted, remedy
        super().__init__("\n".join(self._lines()))

    def at(self, where: str) -> InputError:
        """Return the same, said of the place `where`."""
        return InputError(self.what, where=where, value=self.value, accepted=self.accepted, remedy=self.remedy)

    def accepting(self, accepted: str) -> InputError:
        """Return the same where `accepted` is accepted."""
        return InputError(self.what, where=self.where, value=self.value, accepted=accepted, remedy=self.remedy)

    def advising(self, remedy: str) -> InputError:
        """Return the same with a `remedy`, where it has none of its own."""
        said = self.remedy or remedy
        return InputError(self.what, where=self.where, value=self.value, accepted=self.accepted, remedy=said)

    @property
    def said(self) -> str:
        """What is wrong and the value seen, without a place."""
        return self.what if self.value is None else f"{self.what} (got {shorten(self.value)})"

    def _lines(self) -> list[str]:
        lines = [f"{self.where}: {self.said}" if self.where else self.said]
        near = self.remedy is not None and self.remedy.startswith(NEAR)
        if near:
            lines.append(f"  {self.remedy}")
        if self.accepted:
            lines.append(f"  accepted: {self.accepted}")
        if self.remedy and not near:
            lines.append(f"  do: {self.remedy}")
        return lines


class SeveralErrors(InputError):
    """Several things that are wrong with one input, each told as it is alone; of many the first."""

    def __init__(self, found: Sequence[InputError]) -> None:
        self.found = tuple(found)
        super().__init__(f"{len(self.found)} things are wrong")

    def _lines(self) -> list[str]:
        more = len(self.found) - MOST_TOLD
        told = [line for error in self.found[:MOST_TOLD] for line in str(error).splitlines()]
        return [*told, *([f"and {more} more"] if more > 0 else [])]


class Gathered:
    """What is wrong with one input, put aside until all of it is read; what is said twice counts once."""

    def __init__(self) -> None:
        self.found: list[InputError] = []

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Put an InputError of the block aside."""
        try:
            yield
        except InputError as error:
            known = set(map(str, self.found))
            self.found += [one for one in getattr(error, "found", (error,)) if str(one) not in known]

    def check(self) -> None:
        """Raise what was put aside."""
        if len(self.found) > 1:
            raise SeveralErrors(self.found)
        for error in self.found:
            raise error


@contextmanager
def gathering(errors: Gathered | None) -> Iterator[Gathered]:
    """Lend `errors`, which their owner checks, or new ones that are checked at the end of the block."""
    aside = errors or Gathered()
    yield aside
    if errors is None:
        aside.check()


class UnknownNameError(InputError):
    """A name that no catalogue holds; the message says the nearest, or the known ones where a line holds them.

    `listing` is the command that shows all of them.
    """

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, where: str | None = None, listing: str = ""
    ) -> None:
        names = sorted(known)
        near = _nearest(name, names)
        every, told = ", ".join(names) or "none is known", f"{listing} shows them"
        short = len(every) <= ONE_LINE or not listing
        remedy = None if short else told
        if near:
            remedy = f"{NEAR} {near[0]}?" + ("" if short else f" ({told})")
        super().__init__(f"unknown {kind}", where=where, value=name, accepted=every if short else None, remedy=remedy)


def _nearest(name: str, known: Sequence[str]) -> list[str]:
    """Return the nearest name, one that begins as `name` does before any other that is near; empty where there is none.

    >>> known = ["qwen3-235b-a22b", "qwen3-32b"]
    >>> _nearest("qwen3-235b", known), _nearest("qwen3-33b", known)
    (['qwen3-235b-a22b'], ['qwen3-32b'])
    """
    longer = [one for one in known if name and one.startswith(name)]
    alike = difflib.get_close_matches(name, known, n=1)
    return difflib.get_close_matches(name, longer, n=1) or alike or longer[:1]


class StoreError(FleettuiError):
    """The store cannot be opened or used."""

    exit_code: ClassVar[int] = 4


class StoreBusyError(StoreError):
    """Another program holds the write lock for longer than we wait."""


class StoreReadOnlyError(StoreError):
    """The store can be read but not written."""


class StoreVersionError(StoreError):
    """The store was written by a newer program."""


class UnreadableError(StoreError):
    """Something that is kept in the store does not read; all else may."""


class FullDiskError(FleettuiError):
    """A file that was asked for finds no room where it is to be; nothing of it is left there."""

    exit_code: ClassVar[int] = 4


class WorkerError(FleettuiError):
    """A worker process ended, or a task in it failed in a way that is not the user's doing.

    `details` is the evidence for the bug report: the worker's traceback, or the end of its error output.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, text: str, details: str = "") -> None:
        self.details = details
        super().__init__(text)


class Interrupted(FleettuiError):
    """The user asked to stop; what was finished is kept."""

    exit_code: ClassVar[int] = 130


def shorten(value: object, limit: int = 60) -> str:
    """Return `value` as text of at most `limit` characters, quoted when it is a string.

    >>> shorten("abc")
    "'abc'"
    >>> len(shorten("x" * 500))
    60
    """
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
