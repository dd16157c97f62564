"""Whether what one kind of replicas is off by is that of others: `python -m tests.evidence.other_divisions`.

Every public run is played by kernels alone. Of each GPU, engine, model and format the median error of the time per
output token at one tensor parallelism, where it is above OFF, is held to that at each other: as it is, and corrected by
the first. The same is done of one GPU and another. An own fit corrects what it has seen alone; a plan's page says what
it would be were it right for the other divisions of the same GPUs, which exit 1 denies.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations

from fleettui.domain.validation import Comparison
from tests.evidence import common, newer_runs
from tests.evidence.accuracy import PUBLIC, played
from tests.evidence.public_runs import key_of, ratio

OFF = 0.05
FEWEST = 4
"""Runs of a kind of replicas below which nothing is said of it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Predicted over measured time of one kind of replicas, and of another that is alike but for one thing."""

    seen: float
    other: float

    @property
    def as_it_is(self) -> float:
        """The error of the other by kernels alone."""
        return abs(self.other - 1.0)

    @property
    def corrected(self) -> float:
        """The error of the other, corrected as the first asks for."""
        return abs(self.other / self.seen - 1.0)


def pairs(ratios: Iterable[tuple[Hashable, Hashable, float]]) -> Iterator[Pair]:
    """Yield each two kinds of what is alike, given with the ratio of each run, of which the first is off."""
    groups: dict[Hashable, dict[Hashable, list[float]]] = {}
    for alike, kind, one in ratios:
        groups.setdefault(alike, {}).setdefault(kind, []).append(one)
    for kinds in groups.values():
        medians = [statistics.median(own) for own in kinds.values() if len(own) >= FEWEST]
        yield from (Pair(*two) for two in permutations(medians, 2) if abs(two[0] - 1.0) > OFF)


def row(words: str, found: list[Pair]) -> tuple[str, ...]:
    """Return a line of the table."""
    before, after = (
        statistics.median(own) for own in ([one.as_it_is for one in found], [one.corrected for one in found])
    )
    nearer = sum(one.corrected < one.as_it_is for one in found)
    return words, str(len(found)), f"{before:.1%}", f"{after:.1%}", f"{nearer} of {len(found)}"


def main() -> int:
    """Print both; return 0 where other divisions of the same GPUs are mostly nearer once corrected."""
    runs: list[tuple[str, Comparison]] = [
        (path.name, one) for path in (PUBLIC, newer_runs.FILE) for one in played(path) if one.state == "unsaturated"
    ]
    divisions = [*pairs(((name, key_of(one)), one.point.tp, ratio(one)) for name, one in runs)]
    gpus = [*pairs((key_of(one)[1:], one.point.gpu, ratio(one)) for _, one in runs)]
    rows = [row("another tensor parallelism", divisions), row("another GPU", gpus)]
    common.show("what one is off by, of another", ("another", "pairs", "as it is", "corrected", "nearer"), rows)
    nearer = sum(one.corrected < one.as_it_is for one in divisions) / len(divisions)
    return common.verdict([("two in three of other tensor parallelisms are nearer", nearer >= 2 / 3)])


if __name__ == "__main__":
    sys.exit(main())
