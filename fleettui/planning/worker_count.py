"""How many workers there are where nobody says it."""

from __future__ import annotations

import os

MOST_WORKERS = 4


def default_workers() -> int:
    """Return the cores that this process may use less one, between 1 and 4."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(max(cores - 1, 1), MOST_WORKERS)
