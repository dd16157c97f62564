"""A histogram's cells as few bytes: the steps between cells, then the counts, each as a varint, then zlib.

A varint is 7 bits a byte, the low ones first, the top bit telling that more follow; a step below zero takes an odd
number (0, -1, 1, -2, ... are 0, 1, 2, 3, ...), since the first cell may be one of less than a second.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import accumulate

Cells = tuple[tuple[int, int], ...]


def pack(cells: Cells) -> bytes:
    """Return (cell, count) pairs, cells rising, as bytes."""
    indices = [index for index, _ in cells]
    steps = (after - before for before, after in zip([0, *indices], indices, strict=False))
    numbers = [step * 2 if step >= 0 else -2 * step - 1 for step in steps] + [count for _, count in cells]
    return zlib.compress(_varints(numbers), level=9)


def unpack(packed: bytes) -> Cells:
    """Return the (cell, count) pairs that `pack` made bytes of."""
    numbers = list(_numbers(zlib.decompress(packed)))
    half = len(numbers) // 2
    indices = accumulate(-(one + 1) // 2 if one % 2 else one // 2 for one in numbers[:half])
    return tuple(zip(indices, numbers[half:], strict=True))


def _varints(numbers: Iterable[int]) -> bytes:
    packed = bytearray()
    for number in numbers:
        rest = number
        while rest > 0x7F:
            packed.append(rest & 0x7F | 0x80)
            rest >>= 7
        packed.append(rest)
    return bytes(packed)


def _numbers(varints: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in varints:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0
