"""Two classes by formula beside their simulation: `python -m tests.evidence.classes`, some minutes of one core.

Prints a line per pool: what the formula says of each class's P99 TTFT over what the simulation shows, and the same of
the pool without classes, whose errors both inherit.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from statistics import median

from fleettui.domain.limit import TTFT, Latency
from tests.evidence.pools import Setup, staged

BATCH = Latency(metric=TTFT.name, batch=True)
POOLS = (("azure-2023-conv", "h100", 4), ("azure-2023-code", "h100", 2), ("arxiv-summarization", "h100", 2))
LOADS, SHARES = (0.7, 0.85, 0.95), (0.1, 0.4, 0.8)
RUNS, MOST = 4, 100_000


def setups() -> Iterator[Setup]:
    """Yield the pools."""
    for (workload, gpu, replicas), load, share in product(POOLS, LOADS, SHARES):
        yield Setup(workload=workload, gpu=gpu, replicas=replicas, utilization=load, batch_share=share)


def ratios(setup: Setup, *latencies: Latency) -> list[float]:
    """Return formula over simulation of each latency."""
    own = staged(setup)
    runs = [own.run(1, index, most=MOST) for index in range(RUNS)]
    return [own.figures.at(one) * RUNS / sum(run.at(one) or 0.0 for run in runs) for one in latencies]


def main() -> int:
    """Print all of them, and the medians."""
    found = []
    for setup in setups():
        found.append(ratios(setup, TTFT.latency, BATCH) + ratios(replace(setup, batch_share=None), TTFT.latency))
        sys.stdout.write(_line(f"{setup.name} batch {setup.batch_share:.0%}", found[-1]))
    sys.stdout.write(_line(f"median of {len(found)}", [median(column) for column in zip(*found, strict=True)]))
    return 0


def _line(name: str, found: Sequence[float]) -> str:
    words = zip(("interactive", "batch", "one class"), found, strict=True)
    return f"{name:48}{'  '.join(f'{word} {value:.2f}' for word, value in words)}\n"


if __name__ == "__main__":
    sys.exit(main())
