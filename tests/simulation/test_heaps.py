"""The compiled heaps against Python's own, over random operations."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

from fleettui.simulation.heaps import pop_key, push_key, remove_key, rise, sink
from fleettui.simulation.records import REPLICA
from tests.repeated import few

SEEDS = pytest.mark.parametrize("seed", few(range(6), 2, more=4))


def is_heap(keys: list[int]) -> bool:
    return all(keys[(at - 1) >> 1] <= keys[at] for at in range(1, len(keys)))


@SEEDS
def test_keys_come_out_in_order_whatever_went_in_between(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys, plain = np.zeros(64, np.int64), list[int]()
    for _ in range(2_000):
        if len(plain) == 64 or (plain and rng.random() < 0.5):
            smallest = heapq.heappop(plain)
            assert keys[0] == smallest
            pop_key(keys, len(plain) + 1)
        else:
            key = int(rng.integers(0, 40 if seed % 2 else 2**40))
            push_key(keys, len(plain), key)
            heapq.heappush(plain, key)
        assert sorted(keys[: len(plain)].tolist()) == sorted(plain)
        assert is_heap(keys[: len(plain)].tolist())


@SEEDS
def test_any_key_can_be_taken_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for size in range(1, 40):
        plain = rng.permutation(1_000)[:size].tolist()
        keys = np.array([*plain, *[0] * 3], np.int64)
        heap = plain.copy()
        heapq.heapify(heap)
        keys[:size] = heap
        while plain:
            gone = plain.pop(int(rng.integers(len(plain))))
            remove_key(keys, len(plain) + 1, gone)
            assert sorted(keys[: len(plain)].tolist()) == sorted(plain)
            assert is_heap(keys[: len(plain)].tolist())


def test_of_equal_keys_one_is_taken_out() -> None:
    keys = np.array([3, 3, 5, 3], np.int64)
    remove_key(keys, 4, 3)
    assert sorted(keys[:3].tolist()) == [3, 3, 5]


def test_keys_are_seconds_too() -> None:
    keys, times = np.zeros(50), np.random.default_rng(1).random(50)
    for size, time in enumerate(times):
        push_key(keys, size, time)
    for size, time in zip(range(50, 0, -1), sorted(times), strict=True):
        assert keys[0] == time
        pop_key(keys, size)


@SEEDS
def test_replicas_wake_in_order_and_equal_ones_by_number(seed: int) -> None:
    """Replicas fall in, wake, sleep on, wake earlier and fall out; the top is always the next, `spot` where each is."""
    rng = np.random.default_rng(seed)
    replicas = np.zeros(30, REPLICA)
    heap, spot = np.zeros(30, np.int32), np.full(30, -1, np.int32)
    busy = 0
    for _ in range(3_000):
        what, one = rng.random(), int(rng.integers(30))
        time = float(rng.integers(0, 20))
        if spot[one] < 0:
            replicas["wake"][one] = time
            heap[busy] = one
            rise(heap, spot, replicas, busy)
            busy += 1
        elif what < 0.4:  # an arrival shortens its leap
            replicas["wake"][one] = min(time, replicas["wake"][one])
            rise(heap, spot, replicas, spot[one])
        elif what < 0.7:  # the next one wakes, and works on
            replicas["wake"][heap[0]] += time
            sink(heap, spot, replicas, busy)
        else:  # the next one wakes, and has nothing to do
            spot[heap[0]] = -1
            busy -= 1
            heap[0] = heap[busy]
            if busy:
                sink(heap, spot, replicas, busy)
        inside = sorted(heap[:busy].tolist(), key=lambda replica: (replicas["wake"][replica], replica))
        assert sorted(inside) == np.flatnonzero(spot >= 0).tolist()
        assert [int(heap[spot[replica]]) for replica in inside] == inside
        assert not inside or heap[0] == inside[0]
