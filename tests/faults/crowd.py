"""One of a crowd: a program that keeps replications of a job of its own as fast as it can.

`python -m tests.faults.crowd FILE SECONDS`: prints "ready", then, once its input ends, how many milliseconds each
replication took to be kept, one a line.
"""

from __future__ import annotations

import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from store import Store
from tests.store import samples


def main(file: str, seconds: str) -> None:
    """Keep replications for so many seconds."""
    signal.alarm(round(float(seconds)) + 120)
    with Store.open(Path(file)) as store:
        begun, _ = samples.begin(store)
        assert begun.answer
        sys.stdout.write(f"{begun.answer.candidate}\n")
        sys.stdout.flush()
        run = samples.replication()
        sys.stdin.read()
        end, index = time.monotonic() + float(seconds), 0
        while time.monotonic() < end:
            made = replace(run, index=index, digest=f"{index:064x}")
            before = time.monotonic()
            store.add_replication(begun.answer.candidate, 7, made)
            index += 1
            sys.stdout.write(f"{(time.monotonic() - before) * 1e3:.3f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
