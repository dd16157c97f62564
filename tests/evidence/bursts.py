"""Bursts: P99 TTFT under Poisson arrivals and under the two rates fitted to a trace, beside the trace's own times.

`python -m tests.evidence.bursts TRACE...` simulates Llama-3.1-70B on eight-way H100, two fleets at three utilizations,
under the three. It is met when, wherever Poisson is off by more than 15 % of the replayed P99 TTFT, the fitted process
is within 15 % of it.

Copies of a record lie over each other in one way from the beginning of a run to its end, since all come again after
the same time. So a run is as long as the record, there are many, and P99 is that of the requests of all of them: the
mean of the runs' own is less, the more so the fewer bursts a run has. Its standard error is the jackknife's over runs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fleettui.domain.pooled_histogram import percentile, pooled
from fleettui.domain.simulation import PoolRun
from fleettui.reports import units
from fleettui.simulation.run import replicate
from tests.evidence import common
from tests.evidence.pools import Setup, staged

NEAR = 0.15
WARM = 1000.0
"""Seconds to warm up with at least: longer than what bursts left behind is waited for."""
PROCESSES = ("poisson", "bursty", "replay")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tails:
    """P99 TTFT of a fleet in seconds by process, and its standard error; `rate` is in requests per second."""

    trace: str
    replicas: int
    utilization: float
    rate: float
    found: dict[str, tuple[float, float]]

    def off(self, process: str) -> float:
        """Return how far a process is from the replayed times, as a share of them."""
        return self.found[process][0] / self.found["replay"][0] - 1.0

    @property
    def met(self) -> bool:
        """Whether the fitted process is near where Poisson is not."""
        return abs(self.off("poisson")) <= NEAR or abs(self.off("bursty")) <= NEAR


def tails(trace: str, replicas: int, utilization: float, *, runs: int) -> Tails:
    """Return what the three processes show of one fleet in so many runs, each as long as the trace."""
    found: dict[str, tuple[float, float]] = {}
    fleets = {
        process: staged(Setup(workload=trace, gpu="h100", replicas=replicas, utilization=utilization, arrivals=process))
        for process in PROCESSES
    }
    record = fleets["replay"].traffic.record
    assert record is not None, "replay rests on the trace's times"
    for process, one in fleets.items():
        rate = one.traffic.rate
        warm_up = max(one.length.warm_up, int(WARM * rate))
        length = replace(one.length, warm_up=warm_up, measured=int(record.duration * rate))
        seen = [
            replicate(one.fleet, one.traffic, [length], profiles=one.profiles, slo=one.slo, seed=1, index=index)
            for index in range(runs)
        ]
        found[process] = tail([run.pools[0] for run in seen])
    rate = fleets["replay"].traffic.rate
    return Tails(trace=Path(trace).name, replicas=replicas, utilization=utilization, rate=rate, found=found)


def tail(runs: Sequence[PoolRun]) -> tuple[float, float]:
    """Return P99 TTFT in seconds of the requests of all runs, and its standard error by leaving out each run once."""
    without = [p99([*runs[:place], *runs[place + 1 :]]) for place in range(len(runs))]
    return p99(runs), statistics.pstdev(without) * (len(runs) - 1) ** 0.5


def p99(runs: Sequence[PoolRun]) -> float:
    """Return P99 TTFT in seconds of the requests of all runs."""
    return percentile(pooled(runs, "ttft"), 0.99)


def main(words: Sequence[str] | None = None) -> int:
    """Simulate every fleet under every trace, write the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+", metavar="TRACE")
    parser.add_argument("--runs", type=common.count, default=160)
    asked = parser.parse_args(words)
    cells = [(trace, replicas, busy) for trace in asked.traces for replicas in (2, 8) for busy in (0.6, 0.7, 0.8)]
    rows = [tails(*cell, runs=asked.runs) for cell in cells]
    common.show(
        "P99 TTFT by how requests come, and how far it is from the replayed trace's",
        ("trace", "replicas", "busy", "req/s", *PROCESSES, "poisson", "bursty"),
        [
            (
                row.trace,
                str(row.replicas),
                f"{row.utilization:g}",
                units.per_second(row.rate),
                *(f"{value:.3g} +-{error:.1g}" for value, error in row.found.values()),
                *(f"{row.off(process):+.0%}" for process in PROCESSES[:2]),
            )
            for row in rows
        ],
    )
    return common.verdict(
        [
            (
                f"{trace}: two rates are within {NEAR:.0%} where Poisson is not",
                all(one.met for one in rows if one.trace == trace),
            )
            for trace in dict.fromkeys(row.trace for row in rows)
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
