"""Bursts: P99 TTFT under Poisson arrivals and under the two rates fitted to a trace, beside the trace's own times.

`python -m tests.evidence.bursts TRACE...` simulates Llama-3.1-70B on eight-way H100, two fleets at three utilizations,
under the three. It is met when, wherever Poisson is off by more than 15 % of the replayed P99 TTFT, the fitted process
is within 15 % of it; both are means of a few runs, whose standard error stands beside them.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fleettui.reports import units
from fleettui.simulation.run import replicate
from tests.evidence import common
from tests.evidence.pools import Setup, staged

NEAR = 0.15
WARM = 200.0
"""Seconds to warm up with at least: longer than any burst here."""
PROCESSES = ("poisson", "bursty", "replay")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tails:
    """Mean P99 TTFT of a fleet in seconds by process, and its standard error; `rate` is in requests per second."""

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


def tails(trace: str, replicas: int, utilization: float, *, requests: int, runs: int) -> Tails:
    """Return what the three processes show of one fleet, in runs of so many measured requests."""
    found: dict[str, tuple[float, float]] = {}
    rate = 0.0
    for process in PROCESSES:
        one = staged(Setup(workload=trace, gpu="h100", replicas=replicas, utilization=utilization, arrivals=process))
        rate = one.traffic.rate
        length = replace(one.length, warm_up=max(one.length.warm_up, int(WARM * rate)), measured=requests)
        seen = [
            replicate(one.fleet, one.traffic, [length], profiles=one.profiles, slo=one.slo, seed=1, index=index)
            for index in range(runs)
        ]
        values = [run.pools[0].ttft or 0.0 for run in seen]
        found[process] = statistics.mean(values), statistics.stdev(values) / len(values) ** 0.5
    return Tails(trace=Path(trace).name, replicas=replicas, utilization=utilization, rate=rate, found=found)


def main(words: Sequence[str] | None = None) -> int:
    """Simulate every fleet under every trace, write the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+", metavar="TRACE")
    parser.add_argument("--requests", type=common.count, default=250_000)
    parser.add_argument("--runs", type=common.count, default=10)
    asked = parser.parse_args(words)
    cells = [(trace, replicas, busy) for trace in asked.traces for replicas in (2, 8) for busy in (0.6, 0.7, 0.8)]
    rows = [tails(*cell, requests=asked.requests, runs=asked.runs) for cell in cells]
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
