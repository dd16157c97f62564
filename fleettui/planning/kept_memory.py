"""Memory of large arrays that a worker's runs leave free, kept for the next run instead of given back to the system.

A run makes arrays of some 20 MB. glibc maps each anew and unmaps it, above all where Dask starts the process, which
sets MALLOC_TRIM_THRESHOLD_: 70,000 page faults a run took a quarter of the processor's time (mallopt(3)).
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

TRIM_THRESHOLD, TOP_PAD, MMAP_THRESHOLD = -1, -2, -3
"""glibc's M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD, from malloc.h."""
KEPT = 256 << 20
"""Bytes of free memory that a process may keep."""
LARGEST = 32 << 20
"""Bytes of the largest array that is made of kept memory: glibc takes no more."""


@cache
def keep_memory() -> None:
    """Have this process, all its threads, keep what large arrays leave free; nothing where the C library is another."""
    setting = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if setting is not None:
        setting(TRIM_THRESHOLD, KEPT)
        setting(TOP_PAD, KEPT)  # else a thread's heaps, of 64 MB each, go as soon as they are empty
        setting(MMAP_THRESHOLD, LARGEST)
