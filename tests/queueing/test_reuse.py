"""Che's approximation against caches that are played request by request."""

from collections import OrderedDict

import numpy as np
import pytest

from fleettui.queueing.reuse import WINDOWS, Accesses, Reuse

REQUESTS, PARTS = 30_000, 2_000


def requests() -> tuple[np.ndarray, Reuse]:
    """Return independent requests for single parts by Zipf's law, one a second, and their reuse."""
    weights = 1.0 / np.arange(1, PARTS + 1) ** 0.9
    asked = np.random.default_rng(5).choice(PARTS, size=REQUESTS, p=weights / weights.sum())
    accesses = Accesses(
        part=asked, time=np.arange(REQUESTS, dtype=float), tokens=np.ones(REQUESTS), requests=REQUESTS, prompt=1.0
    )
    return asked, Reuse.of(accesses)


def played(asked: np.ndarray, room: int, replicas: int) -> float:
    """Return the share that LRU caches of so many parts find when each request goes to one at random."""
    caches = [OrderedDict[int, None]() for _ in range(replicas)]
    places = np.random.default_rng(6).integers(replicas, size=len(asked))
    found = 0
    for one, place in zip(asked.tolist(), places.tolist(), strict=True):
        cache = caches[place]
        found += one in cache
        cache[one] = None
        cache.move_to_end(one)
        if len(cache) > room:
            cache.popitem(last=False)
    return found / len(asked)


@pytest.mark.parametrize(("room", "replicas"), [(50, 1), (200, 1), (800, 1), (200, 4)])
def test_it_finds_what_caches_find_that_are_played(room: int, replicas: int) -> None:
    asked, reuse = requests()
    by_formula = reuse.share(rate=1.0, replicas=replicas, room=room, together=replicas == 1)
    assert by_formula == pytest.approx(played(asked, room, replicas), abs=0.015)


def test_replicas_that_keep_together_what_begins_alike_are_one_cache() -> None:
    _, reuse = requests()
    apart, together = (reuse.share(rate=1.0, replicas=4, room=100, together=one) for one in (False, True))
    assert together == pytest.approx(reuse.share(rate=1.0, replicas=1, room=400, together=True), abs=1e-6)
    assert apart < together
    assert reuse.share(rate=1.0, replicas=1, room=0, together=True) == 0.0


def test_what_all_have_in_common_is_always_found_where_there_is_room_for_it() -> None:
    accesses = Accesses(
        part=np.arange(10), time=np.zeros(10), tokens=np.full(10, 60.0), requests=10, prompt=100.0, common=40.0
    )
    reuse = Reuse.of(accesses)
    assert reuse.share(rate=1.0, replicas=2, room=1e9, together=False) == pytest.approx(0.4)
    shares = [reuse.share(rate=1.0, replicas=2, room=room, together=False) for room in (10.0, 39.9, 40.0)]
    assert shares == [0.0, 0.0, pytest.approx(0.4)]


def test_where_nothing_was_asked_for_only_what_all_have_in_common_is_found() -> None:
    none = np.zeros(0)
    accesses = Accesses(part=none.astype(np.int64), time=none, tokens=none, requests=0, prompt=100.0, common=40.0)
    assert Reuse.of(accesses).share(rate=1.0, replicas=2, room=100.0, together=False) == pytest.approx(0.4)
    assert Reuse.of(accesses).share(rate=1.0, replicas=2, room=30.0, together=True) == 0.0


def test_copies_of_a_counted_trace_ask_again_as_late_as_in_the_trace() -> None:
    asked, _ = requests()
    accesses = Accesses(
        part=asked,
        time=np.arange(REQUESTS, dtype=float),
        tokens=np.ones(REQUESTS),
        requests=REQUESTS,
        prompt=1.0,
        is_counted=True,
    )
    reuse = Reuse.of(accesses)
    once = reuse.share(rate=1.0, replicas=1, room=200, together=True)
    twice = reuse.share(rate=2.0, replicas=1, room=200, together=True, copies=2)
    assert twice == pytest.approx(reuse.share(rate=1.0, replicas=1, room=100, together=True), abs=1e-6)
    assert twice < once


def counted(time: np.ndarray, *, tokens: float = 1.0, parts: np.ndarray | None = None, **figures: float) -> Reuse:
    """Return the reuse of a counted trace whose requests ask for a part each, the same if nothing else is said."""
    count = len(time)
    accesses = Accesses(
        part=np.zeros(count, np.int64) if parts is None else parts,
        time=time.astype(float),
        tokens=np.full(count, tokens),
        requests=count,
        prompt=1.0,
        is_counted=True,
        **figures,
    )
    return Reuse.of(accesses)


@pytest.mark.parametrize("rate", [0.01, 1.0, 300.0])
@pytest.mark.parametrize("copies", [1, 3])
def test_what_a_counted_trace_finds_does_not_depend_on_its_pace(rate: float, copies: int) -> None:
    """A cache forgets by what comes, not by the time; and copies share its room."""
    asked, _ = requests()
    reuse = counted(np.arange(REQUESTS), parts=asked)
    found = reuse.share(rate=rate, replicas=1, room=150.0 * copies, together=True, copies=copies)
    assert found == pytest.approx(played(asked, 150, 1), abs=0.015)


def test_every_part_but_the_first_was_asked_for_within_the_longest_window_and_none_within_no_time() -> None:
    """Ten requests for each of two parts in turn: of 2·9 in 20 the part was asked for before, once, twice and so on."""
    reuse = counted(np.arange(20), parts=np.arange(20) % 2, tokens=5.0)
    assert (len(reuse.windows), *reuse.windows[[0, 1, -1]]) == (WINDOWS, 0.0, pytest.approx(19e-4), 19.0)
    assert reuse.tokens[0].tolist() == [5.0, *[0.0] * 9]
    assert reuse.tokens[-1] == pytest.approx([0.5] * 10)
    within_two = int(np.searchsorted(reuse.windows, 2.0))
    assert reuse.tokens[within_two - 1, 0] == 5.0
    assert reuse.tokens[within_two][:2] == pytest.approx([0.5, 4.5])
    for together, expected in ((True, 0.5), (False, 5.0 * sum(0.75**seen for seen in range(10)) / 10.0)):
        assert float(reuse.missed(4.0, together=together)[-1]) == pytest.approx(expected)


def test_a_cache_holds_what_it_missed_within_the_time_of_its_blocks() -> None:
    """One part of a token is asked for each second: missed at first and held from then on, whatever the room."""
    reuse = counted(np.arange(1_000))
    for room in (2.0, 50.0):
        assert reuse.share(rate=1.0, replicas=1, room=room, together=True) == pytest.approx(0.999)
    assert reuse.share(rate=1.0, replicas=1, room=0.0, together=True) == 0.0


def test_requests_of_one_time_find_each_other_in_windows_longer_than_zero() -> None:
    accesses = Accesses(
        part=np.array([1, 1, 1, 2]), time=np.array([0.0, 0.0, 5.0, 5.0]), tokens=np.ones(4), requests=4, prompt=1.0
    )
    reuse = Reuse.of(accesses)
    assert reuse.tokens[0] == pytest.approx([1.0, 0.0, 0.0])
    assert reuse.tokens[1] == pytest.approx([0.75, 0.25, 0.0])
    assert reuse.tokens[-1] == pytest.approx([0.5, 0.25, 0.25])
