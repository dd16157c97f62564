"""How long a plan of many candidates takes to store: `python -m tests.evidence.large_plan --candidates 1000000`.

The candidates are pairs of a short and a long pool, a thousand of each, as a sweep makes them. Time is the processor's,
and the wall clock's; a page is 50 candidates from the middle.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fleettui.domain.plan import Answer, Candidate
from store import Store
from store.candidate_orders import ORDERS
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
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fleettui.db"
        store_many(file, count)
        gc.collect()
        with Store.open(file) as store:
            store.candidates("wide", limit=1)
            pages = [
                measured(store.candidates, "wide", order=order, offset=int(share * (count - PAGE)), limit=PAGE)
                for order in ORDERS
                for share in (0.0, 0.25, 0.5, 0.75, 1.0)
            ]
        wall, busy = (max(one) for one in zip(*pages, strict=True))
        say(f"the slowest of {len(pages)} pages of {PAGE}: {wall:.3f} s, {busy:.3f} s of the processor")


def store_many(file: Path, count: int) -> None:
    """Store a plan of so many candidates, and print how long that took and how large the file is."""
    given = sweep(count)
    with Store.open(file) as store:
        wall, busy = measured(samples.add, store, given)
        say(f"{count:,} candidates: {wall:.1f} s, {busy:.1f} s of the processor, {store.size().file / 1e6:.0f} MB")


def measured(call: Callable[..., object], *values: object, **named: object) -> tuple[float, float]:
    """Return the seconds that a call takes, on the wall's clock and of the processor."""
    busy, wall = time.process_time(), time.perf_counter()
    call(*values, **named)
    return time.perf_counter() - wall, time.process_time() - busy


if __name__ == "__main__":
    main()
