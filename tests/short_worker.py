"""The worker that tests lend each other: the program's own, whose simulations are an eighth as long.

A run is as long as it takes to narrow a tail's interval, which most tests do not ask about. How long it is in the
program is held in tests/simulation/test_lengths.py; tests marked `own_workers` get the program's worker.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fleettui.planning.worker_main import main

COMMAND = (sys.executable, "-P", str(Path(__file__).resolve()))
SHORTER = 8
SCALED = ("FIRST", "FEWEST", "HORIZON", "SERVICES", "MEMORIES")
"""What runs measure, and the least that they warm up with; the rest of the warm-up is needed at any length."""


@contextmanager
def shorter_runs() -> Iterator[None]:
    """Let fleets be staged in this process for runs of an eighth of their length."""
    from fleettui.simulation import lengths

    own = {name: getattr(lengths, name) for name in SCALED}
    vars(lengths).update({name: type(value)(value / SHORTER) for name, value in own.items()})
    try:
        yield
    finally:
        vars(lengths).update(own)


if __name__ == "__main__":
    with shorter_runs():
        main()
