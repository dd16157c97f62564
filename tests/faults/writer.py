"""A program that adds plans to a store, for tests that run several of it or kill it.

`python -m tests.faults.writer FILE COUNT CANDIDATES PATIENCE`: prints "ready" once the store is open, then one
handle per plan. After PATIENCE seconds it ends.
"""

from __future__ import annotations

import signal
import sys
from dataclasses import replace
from pathlib import Path

from store import Store
from tests.store import samples


def main(file: str, count: str, candidates: str, patience: str) -> None:
    """Add `count` plans of `candidates` candidates each."""
    signal.alarm(int(patience))
    given = samples.answer(int(candidates))
    with Store.open(Path(file), patience=60) as store:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        for number in range(int(count)):
            named = replace(given, plan=replace(given.plan, name=f"n{number}"))
            sys.stdout.write(samples.add(store, named).plan.handle + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
