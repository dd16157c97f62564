"""What requests share, as runs of blocks: the same blocks as their hashes, in as few runs as there are ways."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fleettui.simulation.prefixes import Prefixes


def prefixes(*hashes: list[int]) -> Prefixes:
    known = np.array([len(one) for one in hashes], np.int32)
    return Prefixes.of(size=16, known=known, hashes=np.array([one for own in hashes for one in own], np.int64))


def test_what_has_one_way_through_is_one_run() -> None:
    found = prefixes([5, 6, 7, 8], [5, 6, 9], [], [5], [3, 4])
    assert found.lengths.tolist() == [2, 2, 2, 1]
    assert [found.runs[place] for place in found.offsets[[0, 1, 3, 4]]] == [1, 1, 1, 0]
    assert found.blocks(0)[:2] == found.blocks(1)[:2]
    assert found.blocks(2) == []
    assert found.blocks(3) == found.blocks(0)[:1]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("chained", [True, False])
def test_blocks_are_equal_where_their_hashes_are(seed: int, *, chained: bool) -> None:
    """Also where a trace's hashes do not tell what stands before a block."""
    rng = np.random.default_rng(seed)
    hashes: list[list[int]] = []
    names: dict[tuple[int, ...], int] = {}
    for _ in range(30):
        walk = rng.integers(0, 3, rng.integers(0, 12)).tolist()
        ends = [tuple(walk[: end + 1]) for end in range(len(walk))]
        hashes.append([names.setdefault(one, len(names)) for one in ends])
    if not chained:
        hashes = [list(dict.fromkeys(rng.integers(0, 9, len(one)).tolist())) for one in hashes]
    found = prefixes(*hashes)
    blocks = [found.blocks(place) for place in range(len(hashes))]
    assert [len(one) for one in blocks] == [len(one) for one in hashes]
    pairs = {pair for own, other in zip(blocks, hashes, strict=True) for pair in zip(own, other, strict=True)}
    assert len(pairs) == len({own for own, _ in pairs}) == len({other for _, other in pairs})
    follows: dict[int, set[int]] = {}
    for own in hashes:
        for one, other in pairwise(own):
            follows.setdefault(one, set()).add(other)
    assert found.lengths.sum() == len({one for own in hashes for one in own})
    if chained:
        begins = {own[0] for own in hashes if own}
        branches = sum(len(after) for after in follows.values() if len(after) > 1)
        assert len(found.lengths) == len(begins) + branches
