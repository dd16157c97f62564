"""The fleet of a stored plan's row, written as all pages write fleets."""

from __future__ import annotations

import re
from collections import Counter

_STORED = re.compile(r"(?P<gpus>\d+) (?P<gpu>\S+) (?P<how>(?:(?:tp|dp|ep|pp)\d+)+(?:/(?:(?:tp|ep|pp)\d+)+)?)x(?=\d)")
"""A pool of a stored plan's row, up to its replicas."""


def shown(text: str) -> str:
    """Return the fleet of a row in the list as all pages write fleets.

    >>> shown("48 h100 tp8x6 + 4 a100 tp4x1+1")
    '48 H100 tp8 x6 + 4 A100 tp4 x1+1'
    >>> shown("64 h200 tp2dp4/tp2ep4x8")
    '64 H200 tp2dp4/tp2ep4 x8'
    """
    return _STORED.sub(lambda found: f"{found['gpus']} {found['gpu'].upper()} {found['how']} x", text)


def gpus_by_type(text: str) -> dict[str, int]:
    """Return how many GPUs of each type the fleet of a row in the list has, in the order of its pools.

    >>> gpus_by_type("2 h100 tp2x1 + 48 h100 tp8x6+1 + 64 h200 tp2dp4/tp2ep4x8 + 16 a100 dp8x2")
    {'h100': 50, 'h200': 64, 'a100': 16}
    """
    found: Counter[str] = Counter()
    for pool in _STORED.finditer(text):
        found[pool["gpu"]] += int(pool["gpus"])
    return dict(found)
