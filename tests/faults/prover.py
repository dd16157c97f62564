"""A program that works on the last job of a store, for tests that run several of it or kill it.

`python -m tests.faults.prover FILE COUNT PATIENCE`: takes the job up, prints "ready", then the index of each
replication of the last plan's answer that it has kept, those that are there being passed over. After PATIENCE seconds
it ends.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from store import Store
from store.job_owner import present
from tests.store import samples


def main(file: str, count: str, patience: str) -> None:
    """Keep replications 0 to `count` - 1, each followed by a heartbeat."""
    signal.alarm(int(patience))
    with Store.open(Path(file), patience=60) as store:
        job = store.claim_job("last", present())
        candidate = store.candidate("last").candidate
        known = {one.index for one in store.replications(candidate, 7)}
        tell("ready")
        for index in sorted(set(range(int(count))) - known):
            store.add_replication(candidate, 7, samples.replication(index))
            store.beat(job.id, done=index + 1, total=int(count), message=f"replication {index}")
            tell(str(index))
        store.end_job(job.id, "done")


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
