"""What every command of this room shares: its words, its processes, and a file that a long run is taken up from."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fleettui.reports.table import Head, Table, render, wrap
from fleettui.simulation import run

Task = TypeVar("Task")
Result = TypeVar("Result")

WIDTH = 100
FAILED = 1


def count(text: str) -> int:
    """Return a whole number of at least 1, as argparse wants it."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text} is no whole number from 1 on")
    return int(text)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def say(text: str) -> None:
    """Write lines to the output at once, so that a long run shows what it has."""
    sys.stdout.write(text.rstrip("\n") + "\n")
    sys.stdout.flush()


def show(title: str, titles: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> None:
    """Write a table of at most WIDTH characters: first column to the left, the others to the right."""
    columns = (Head(title=titles[0], wrap=True), *(Head(title=name, align="right") for name in titles[1:]))
    say(render(Table(title=title, columns=columns, rows=tuple(map(tuple, rows)), note=note), WIDTH))


def note(text: str) -> None:
    """Write a sentence, wrapped."""
    say("\n".join(wrap(text, WIDTH)))


def alike(tokens: float) -> tuple[tuple[float, float], ...]:
    """Return percentiles about one length, two percent apart either way, as they have to rise."""
    return ((0.01, 0.98 * tokens), (0.99, 1.02 * tokens))


def verdict(checks: Sequence[tuple[str, bool]]) -> int:
    """Write each acceptance and whether it is met; return the exit code."""
    for words, met in checks:
        say("\n".join(wrap(words, WIDTH, head="met     " if met else "NOT MET ")))
    return 0 if all(met for _, met in checks) else FAILED


def work(function: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Result]]:
    """Yield each task with its result as it comes, from `jobs` processes; progress goes to the error stream."""
    run.compile_now()
    if jobs == 1 or len(tasks) <= 1:
        for done, task in enumerate(tasks):
            _progress(done, len(tasks))
            yield task, function(task)
    else:
        with multiprocessing.get_context("spawn").Pool(min(jobs, len(tasks))) as pool:
            for done, pair in enumerate(pool.imap_unordered(partial(_paired, function), tasks)):
                _progress(done, len(tasks))
                yield pair
    _progress(len(tasks), len(tasks))


def _paired(function: Callable[[Task], Result], task: Task) -> tuple[Task, Result]:
    return task, function(task)


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done}/{total}" + "\n" * (done == total))
        sys.stderr.flush()


class Ledger:
    """Results by key, each written as one JSON line when it is there; without a path they are only remembered."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._results: dict[str, Any] = {}
        if path is not None and path.exists():
            self._results = dict(_read(path))

    def __contains__(self, key: Sequence[Any]) -> bool:
        return json.dumps(key) in self._results

    def __getitem__(self, key: Sequence[Any]) -> Any:
        return self._results[json.dumps(key)]

    def add(self, key: Sequence[Any], result: Any) -> None:
        """Keep a result of plain values."""
        self._results[json.dumps(key)] = result
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "result": result}) + "\n")


def _read(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield what the file holds, and cut off a last line that was not finished."""
    whole = 0
    lines = path.read_bytes().splitlines(keepends=True)
    for line in lines:
        if not line.endswith(b"\n"):
            with path.open("r+b") as file:
                file.truncate(whole)
            return
        whole += len(line)
        entry = json.loads(line)
        yield json.dumps(entry["key"]), entry["result"]
