"""Is everything here that the program needs? Each check says what it found and what to do about it."""

from __future__ import annotations

import locale
import os
import platform
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fleettui.errors import StoreError
from fleettui.reports.columns import Column, table, words
from fleettui.reports.table import Table

if TYPE_CHECKING:
    from store import Store
    from store.soundness import Altered

State = Literal["ok", "warn", "fail"]
MOST_TOLD = 5
"""Kinds of lost rows that are told."""
LARGE = 2_000_000_000
"""Bytes of a store from which on pruning is advised."""
OLDEST_PYTHON = (3, 11)
OLDEST_SQLITE = (3, 37, 0)
PACKAGES = ("numpy", "scipy", "pydantic", "sqlmodel", "textual", "typer", "platformdirs", "pyyaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What was looked at, how it is, what was found, and the remedy where it is not ok."""

    name: str
    state: State
    found: str
    remedy: str = ""


def checks_table(checks: Iterable[Check]) -> Table:
    """Return one row per check: how it is, what was found, and what to do where it is not well."""
    columns: tuple[Column[Check], ...] = (
        words("", lambda one: one.state),
        words("what", lambda one: one.name),
        words("found", lambda one: one.found, wrap=True),
        words("do", lambda one: one.remedy, wrap=True),
    )
    return table(columns, checks)


def examine(database: Path | None = None, *, repair: bool = False) -> tuple[Check, ...]:
    """Return every check, in the order in which a start needs them; `database` None is the default store.

    With `repair` the store is read through, and what can be mended in it is.
    """
    return (_python(), _sqlite(), *_packages(), *_store(database, repair), _terminal(), _cores())


def _python() -> Check:
    fit = sys.version_info[:2] >= OLDEST_PYTHON
    return Check(
        name="python",
        state="ok" if fit else "fail",
        found=platform.python_version(),
        remedy="" if fit else "install Python 3.11 or newer",
    )


def _sqlite() -> Check:
    fit = sqlite3.sqlite_version_info >= OLDEST_SQLITE
    remedy = "use a Python whose sqlite3 is 3.37 or newer"
    return Check(
        name="sqlite", state="ok" if fit else "fail", found=sqlite3.sqlite_version, remedy="" if fit else remedy
    )


def _packages() -> Iterator[Check]:
    """Yield one check for all packages that are there, and one for each that is not."""
    found = {name: _version(name) for name in PACKAGES}
    present = ", ".join(f"{name} {version}" for name, version in found.items() if version)
    yield Check(name="packages", state="ok", found=present)
    for name in (name for name, version in found.items() if version is None):
        yield Check(
            name=name, state="fail", found="not installed", remedy="install fleettui again with its dependencies"
        )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _store(database: Path | None, repair: bool) -> Iterator[Check]:
    """Open the store, which is made if it is not there, and tell whether it can be written and how large it is."""
    from store import Store

    try:
        with Store.open(database) as opened:
            state: State = "warn" if opened.notice else "ok"
            yield Check(name="store", state=state, found=str(opened.path), remedy=opened.notice)
            yield _size(opened)
            if repair:
                yield from _repaired(opened)
    except StoreError as error:
        what, *rest = str(error).splitlines()
        remedy = " ".join(line.strip().removeprefix("do: ") for line in rest)
        yield Check(name="store", state="fail", found=what, remedy=remedy)


def _size(store: Store) -> Check:
    size = store.size()
    found = (
        f"{_megabytes(size.file + size.log)} ({_megabytes(size.free)} of it free), {store.count(archived=True)} plans"
    )
    large = size.file + size.log > LARGE
    return Check(
        name="store size", state="warn" if large else "ok", found=found, remedy="fleettui prune" if large else ""
    )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _repaired(store: Store) -> Iterator[Check]:
    """Read the store through, and take its jobs from processes that are gone."""
    broken = store.damage()
    backups = sorted(store.path.parent.glob(f"{store.path.name}.backup-*"))
    restore = f"put {backups[-1] if backups else 'a backup'} in its place; `sqlite3 FILE .recover` saves what reads"
    yield Check(
        name="store content",
        state="fail" if broken else "ok",
        found="; ".join(broken) or "whole: every page, index and reference",
        remedy=restore if broken else "",
    )
    if not broken:
        yield _rows(store, restore)
    released = store.release_jobs()
    found = f"stopped, their programs are gone: {', '.join(released)}" if released else "none is left by a program"
    yield Check(name="jobs", state="ok", found=found, remedy="fleettui jobs resume ID goes on" if released else "")


def _rows(store: Store, restore: str) -> Check:
    """Hold every row to its checksum or digest, and set aside what is not as it was written."""
    altered, kept = store.set_aside()
    if not altered:
        return Check(name="store rows", state="ok", found="each as it was written, by its checksum or digest")
    told = [f"{what}{f' ({times} times)' if times > 1 else ''}" for what, times in Counter(map(_lost, altered)).items()]
    more = f"; {len(told) - MOST_TOLD} more" if len(told) > MOST_TOLD else ""
    left = [one for one in altered if not one.spared]
    return Check(
        name="store rows",
        state="fail" if left else "warn",
        found=f"not as written: {', '.join(told[:MOST_TOLD])}{more}" + (f"; set aside in {kept}" if kept else ""),
        remedy=restore if left else "fleettui rerun PLAN makes runs again; a backup still has what was lost",
    )


def _lost(one: Altered) -> str:
    return one.said if one.spared else f"{one.said}, which stays in its place"


def _terminal() -> Check:
    encoding = locale.getpreferredencoding(False)
    kind = os.environ.get("TERM", "")
    found = f"{'a terminal' if sys.stdout.isatty() else 'no terminal'}, TERM={kind or 'unset'}, {encoding}"
    if encoding.lower().replace("-", "") != "utf8":
        return Check(name="terminal", state="warn", found=found, remedy="set LC_ALL=C.UTF-8 for all characters")
    return Check(name="terminal", state="ok", found=found)


def _cores() -> Check:
    cores = os.cpu_count() or 1
    return Check(name="cores", state="ok", found=str(cores))
