"""Coverage: how often the 95 % interval of P99 TTFT, from 10 replications, holds the value of a long run.

`python -m tests.evidence.coverage --out FILE` makes 200 such intervals for each case, two utilizations of three
workloads; it is met when at least 88 % of them hold the value. That value is the mean over separate replications ten
times as long, so that what a short horizon gets wrong counts as a miss; the mean over all short ones stands beside it,
and their difference is the bias. A run that was stopped goes on where it was when FILE is the same.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fleettui.domain.plan import Estimate
from fleettui.reports import units
from fleettui.simulation.statistics import LEAST, estimate
from tests.evidence import common
from tests.evidence.pools import Setup, staged

ENOUGH = 0.88
LONGER = 10
LONG_RUNS = 40
MOST_REQUESTS = 2_500_000
"""Requests of one long replication, at most: they are in memory together."""
LONG_SEED = 2**20
"""Root seed of the long replications; those of the intervals are 0, 1, 2 and so on."""

CASES = {
    f"{short}-{utilization:g}": Setup(workload=workload, gpu="h100", tp=8, replicas=replicas, utilization=utilization)
    for short, workload, replicas in (
        ("azure", "azure-2023-conv", 2),
        ("mooncake", "mooncake-conversation", 4),
        ("deepseek", "servegen-deepseek-r1-h10", 2),
    )
    for utilization in (0.7, 0.85)
}

Run = Callable[[int, int], float]
"""P99 TTFT in seconds of replication `index` under a root seed."""


def interval(run: Run, seed: int, runs: int = LEAST) -> tuple[Estimate, list[float]]:
    """Return the interval that a verification with this root seed gives, and what it was made from."""
    values = [run(seed, index) for index in range(runs)]
    return estimate(values), values


def coverage(intervals: Sequence[Estimate], value: float) -> float:
    """Return the share of `intervals` that hold `value`."""
    inside = [one.low is not None and one.high is not None and one.low <= value <= one.high for one in intervals]
    return sum(inside) / len(inside)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of work: one interval, or one long replication; also its key in the file."""

    case: str
    kind: str
    number: int

    @property
    def key(self) -> tuple[str, str, int]:
        """Say which it is in plain values."""
        return self.case, self.kind, self.number


def done(piece: Piece) -> list[float]:
    """Return the P99 TTFTs of a piece."""
    pool = staged(CASES[piece.case])

    def run(seed: int, index: int) -> float:
        return pool.run(seed, index).ttft or 0.0

    if piece.kind == "interval":
        return interval(run, piece.number)[1]
    return [pool.run(LONG_SEED, piece.number, times=LONGER, most=MOST_REQUESTS).ttft or 0.0]


def main(words: list[str] | None = None) -> int:
    """Print the table; return 0 when the acceptance is met."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.coverage", description=__doc__)
    parser.add_argument("--runs", type=common.count, default=200, help="intervals of each case")
    parser.add_argument("--long", type=common.count, default=LONG_RUNS, help="long replications of each case")
    parser.add_argument("--case", choices=list(CASES), action="append", help="only this one; may be repeated")
    parser.add_argument("--jobs", type=common.count, default=common.cores())
    parser.add_argument("--out", type=Path, help="file of results, from which a stopped run goes on")
    asked = parser.parse_args(words)
    cases, ledger = asked.case or list(CASES), common.Ledger(asked.out)
    pieces = [
        Piece(case, kind, number)
        for case in cases
        for kind, most in (("long", asked.long), ("interval", asked.runs))
        for number in range(most)
    ]
    for piece, values in common.work(done, [one for one in pieces if one.key not in ledger], asked.jobs):
        ledger.add(piece.key, values)
    rows, checks = [], []
    for case in cases:
        runs = [ledger[case, "interval", number] for number in range(asked.runs)]
        long = estimate([ledger[case, "long", number][0] for number in range(asked.long)])
        assert long.value is not None, "every long replication has a value"
        intervals = [estimate(values) for values in runs]
        mean = statistics.fmean(value for one in runs for value in one)
        share = coverage(intervals, long.value)
        half = statistics.fmean((one.high or 0.0) / (one.value or 1.0) - 1.0 for one in intervals)
        vague = (long.high or long.value) / long.value - 1.0
        rows.append(
            (
                case,
                f"{staged(CASES[case]).length.measured:,}",
                units.seconds(long.value),
                f"{vague:.1%}",
                f"{mean / long.value - 1.0:+.1%}",
                f"{half:.1%}",
                f"{coverage(intervals, mean):.1%}",
                f"{share:.1%}",
            )
        )
        checks.append((f"{case}: {share:.1%} of {asked.runs} intervals, at least {ENOUGH:.0%}", share >= ENOUGH))
    titles = ("case", "requests", "long run", "±", "bias", "interval ±", "holds mean", "holds long run")
    common.show("95 % intervals of P99 TTFT from 10 replications", titles, rows)
    return common.verdict(checks)


if __name__ == "__main__":
    sys.exit(main())
