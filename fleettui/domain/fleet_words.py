"""A fleet in a few words, as every message, list and page writes it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from fleettui.domain.fleet import Fleet, Pool


def fleet_words(value: Fleet, replicas: Sequence[int] = (), *, beside: Fleet | None = None) -> str:
    """Return a fleet in a few words: H100 tp4 x4 + tp4 x2, and the gamma of one that compresses.

    A GPU's name stands where it changes, a pool's number format where the pools, those of the fleet `beside` which it
    is told with them, do not have the same. `replicas` stand in place of the pools' own, where they are said.
    """
    pools = value.pools if beside is None else (*value.pools, *beside.pools)
    parts, previous, mixed = [], "", len({pool.dtype for pool in pools}) > 1
    sizes = [str(count) for count in replicas] or [replicas_words(pool) for pool in value.pools]
    for pool, size in zip(value.pools, sizes, strict=True):
        name = "" if pool.gpu == previous else f"{pool.gpu.upper()} "
        parts.append(f"{name}{f'{pool.dtype} ' if mixed else ''}{pool.division} x{size}")
        previous = pool.gpu
    compressed = f" g{value.gamma:g}" if value.gamma > 1.0 else ""
    return " + ".join(parts) + compressed


_POOL = re.compile(
    r"(?:(?P<gpu>[A-Z]\S*) )?(?:[a-z]\S* )?(?P<stage>(?:[td]p\d+)+)(?:/(?:(?:tp|ep)\d+)+)?(?:pp(?P<stages>\d+))?"
    r" x(?P<serve>\d+)(?:\+(?P<spare>\d+))?"
)
"""A pool in the words of a fleet; a stage has as many GPUs as attention is divided among."""


def gpus_in(words: str) -> dict[str, int]:
    """Return how many GPUs of each type a fleet in a few words has, in the order of its pools; none of other words.

    >>> gpus_in("H100 tp4 x4+1 + tp2 x2 + A100 tp8pp2 x1 g1.5"), gpus_in("H200 fp8 dp4/tp2ep2pp2 x8"), gpus_in("none")
    ({'h100': 24, 'a100': 16}, {'h200': 64}, {})
    """
    found, gpu = Counter[str](), ""
    for pool in _POOL.finditer(words):
        gpu = (pool["gpu"] or gpu).lower()
        each = math.prod(map(int, re.findall(r"\d+", pool["stage"])))
        found[gpu] += each * int(pool["stages"] or 1) * (int(pool["serve"]) + int(pool["spare"] or 0))
    return dict(found)


def instead_words(pools: int, others: int) -> str:
    """Return a number of pools in place of another.

    >>> instead_words(1, 2)
    'one pool instead of two pools'
    """
    words = {1: "one pool", 2: "two pools", 3: "three pools", 4: "four pools"}
    return f"{words[pools]} instead of {words[others]}"


def pool_words(pool: Pool) -> str:
    """Return a pool's GPUs with how they form replicas: 16 H100 tp4 x4, or 20 H100 tp4 x4+1 with one to spare."""
    return f"{pool.gpus} {pool.gpu.upper()} {pool.division} x{replicas_words(pool)}"


def replicas_words(pool: Pool) -> str:
    """Return how many replicas serve, and how many stand by: 4, 4+1."""
    return f"{pool.replicas}+{pool.spares}" if pool.spares else str(pool.replicas)
