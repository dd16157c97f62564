"""The kinds of bytes, by which compiled functions read text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]


def kinds_of(named: Mapping[int, str | bytes], other: int) -> Bytes:
    """Return the kind of each byte: those of a text in ASCII, or bytes, have the kind that names them."""
    found = np.full(256, other, np.uint8)
    for kind, own in named.items():
        found[list(own.encode() if isinstance(own, str) else own)] = kind
    return found
