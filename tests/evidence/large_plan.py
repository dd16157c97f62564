"""How long a plan of many candidates takes to store: `python -m tests.evidence.large_plan --candidates 1000000`.

The candidates are pairs of a short and a long pool, a thousand of each, as a sweep makes them. Time is the processor's,
and the wall clock's; a page is 50 candidates from the middle.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from fleettui.domain.plan import Answer, Candidate
from store import Store
from store.candidates import ORDERS
from tests.evidence.common import say
from tests.store import samples

SIZES, PAGE = 1_000, 50


def sweep(count: int) -> Answer:
    """Return an answer with `count` candidates, the cheapest first."""
    base = samples.candidate()
    short, long_ = base.fleet.pools
    first = [(replace(short, replicas=n), samples.figures("short", ttft=50.0 / n)) for n in range(1, SIZES + 1)]
    second = [(replace(long_, replicas=n), samples.figures("long", ttft=70.0 / n)) for n in range(1, SIZES + 1)]
    made: list[Candidate] = []
    for number in range(count):
        (pool, seen), (other, others) = first[number * 7919 % SIZES], second[number // SIZES % SIZES]
        fleet = replace(base.fleet, pools=(pool, other))
        gpus, cost = fleet.gpus, 2.1 * pool.gpus + 1.7 * other.gpus
        made.append(replace(base, gpus=gpus, cost_per_hour=cost, power=700.0 * gpus, fleet=fleet, pools=(seen, others)))
    made.sort(key=lambda one: one.cost_per_hour)
    return replace(samples.answer(1, name="wide"), answer=made[0], candidates=tuple(made))


def main() -> None:
    """Print how long it took to store them, how large the file is, and how long the slowest page takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=100_000)
    count = parser.parse_args().candidates
    given = sweep(count)
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "fleettui.db") as store:
        busy, began = time.process_time(), time.perf_counter()
        samples.add(store, given)
        busy, wall = time.process_time() - busy, time.perf_counter() - began
        size = store.size()
        say(f"{count:,} candidates: {wall:.1f} s, {busy:.1f} s of the processor, {size.file / 1e6:.0f} MB")
        slowest = 0.0
        for order in ORDERS:
            for share in (0.0, 0.25, 0.5, 0.75, 1.0):
                began = time.perf_counter()
                assert (
                    len(store.candidates("wide", order=order, offset=int(share * (count - PAGE)), limit=PAGE)) == PAGE
                )
                slowest = max(slowest, time.perf_counter() - began)
        say(f"the slowest of {len(ORDERS) * 5} pages of {PAGE}: {slowest:.3f} s")


if __name__ == "__main__":
    main()
