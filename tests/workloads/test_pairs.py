from __future__ import annotations

from collections import Counter

import numpy as np

from fleettui.workloads import pairs
from fleettui.workloads.pairs import PairCounts


def test_counts_are_those_of_a_counter(monkeypatch):
    monkeypatch.setattr(pairs, "_PENDING", 50)
    rng = np.random.default_rng(1)
    counted = PairCounts()
    expected: Counter[tuple[int, int]] = Counter()
    for _ in range(20):
        prompt, output = (rng.integers(1, 9, 30).astype(np.int32) for _ in range(2))
        counted.add(prompt, output)
        expected.update(zip(prompt.tolist(), output.tolist(), strict=True))
    columns = [column.tolist() for column in counted.table()]
    found = {(prompt, output): count for prompt, output, count in zip(*columns, strict=True)}
    assert found == dict(expected)
    assert list(found) == sorted(found)


def test_the_longest_lengths_do_not_run_over():
    counted = PairCounts()
    counted.add(np.array([2**31 - 1], dtype=np.int32), np.array([2**31 - 1], dtype=np.int32))
    assert [column.tolist() for column in counted.table()] == [[2**31 - 1], [2**31 - 1], [1]]


def test_merging_adds_up():
    first, second = PairCounts(), PairCounts()
    one, two = np.array([1], dtype=np.int32), np.array([2], dtype=np.int32)
    first.add(one, one)
    second.add(one, one)
    second.add(two, one)
    first.merge(second)
    assert [column.tolist() for column in first.table()] == [[1, 2], [1, 1], [2, 1]]
