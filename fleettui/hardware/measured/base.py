"""What a format of measured runs is: a name, a test on a file's content, and a reader of its runs as they stand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fleettui.domain.validation import Protocol

MILLISECOND = 1e-3
Object = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A row of a file that is no usable run: its line, or its place among the runs, and why."""

    line: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A file taken apart: JSON objects with their lines, or rows of cells with theirs; what did not parse is skipped.

    The first row is the header. `digest` is the SHA-256 of the file's bytes, empty for a text of no file.
    """

    objects: tuple[tuple[int, Object], ...] = ()
    rows: tuple[tuple[int, Sequence[str]], ...] = ()
    skipped: tuple[Skipped, ...] = ()
    digest: str = ""

    @property
    def first(self) -> Object:
        """The first object, or none at all of a table."""
        return self.objects[0][1] if self.objects else {}

    @property
    def header(self) -> tuple[str, ...]:
        """The cells of the first row, or nothing of objects."""
        return tuple(cell.strip() for cell in self.rows[0][1]) if self.rows else ()

    def records(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield every row below the header by the header's names, with its line; missing cells are empty."""
        names = self.header
        for line, cells in self.rows[1:]:
            yield line, {name: cells[at] if at < len(cells) else "" for at, name in enumerate(names)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The statistics of a time as a file has them, in units of so many seconds; None: not said."""

    mean: object
    median: object = None
    p99: object = None
    unit: float = MILLISECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One benchmark run as a file states it, unchecked; None: not said.

    `concurrency` are the clients of a closed loop, `rate` the requests a second that were asked for and `sent_rate`
    those that were sent. `version` is the engine's, `duration` is in seconds, `output_throughput` in tokens a second.
    Lengths that are `exact` are those of every request. `beyond` are settings that cannot be said here unless they are
    empty, no or 1.
    """

    line: int
    model: object = None
    gpu: object = None
    engine: object = None
    version: object = None
    dtype: object = None
    kv_dtype: object = None
    tp: object = None
    ep: object = None
    prompt_tokens: object
    output_tokens: object
    concurrency: object = None
    rate: object = None
    sent_rate: object = None
    duration: object = None
    requests: object = None
    failed: object = None
    output_throughput: object = None
    ttft: Times
    tpot: Times
    protocol: Protocol | None = None
    uniform: bool = False
    exact: bool = False
    beyond: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What one tool writes; `sniff` looks at the first object or the header alone."""

    name: str
    help: str
    sniff: Callable[[Content], bool]
    read: Callable[[Content], Iterator[Run]]


def inner(value: object, *names: str) -> object:
    """Return what stands under `names` one inside the other, None where one is missing.

    >>> inner({"a": {"b": 3}}, "a", "b"), inner({"a": 1}, "a", "b")
    (3, None)
    """
    for name in names:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def ratio(total: object, count: object) -> object:
    """Return the mean of a total over a count, None where they are no numbers, infinity where it is too large for one.

    >>> ratio(10, 4), ratio(None, 4), ratio(1, 0), ratio(10**400, 4)
    (2.5, None, None, inf)
    """
    if isinstance(total, (int, float)) and isinstance(count, (int, float)) and count:
        try:
            return total / count
        except OverflowError:
            return math.inf
    return None
