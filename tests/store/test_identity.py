"""Ids sort by time; handles are the shortest free start of a digest."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from fleettui.domain.digest import handle_of
from store.identity import entropy, new_handles, new_ids, timestamp

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def test_ids_are_uuids_of_version_7_that_rise() -> None:
    ids = new_ids(5000, moment=MOMENT, randomness=2**74 - 1)
    assert ids == sorted(ids)
    assert len(set(ids)) == 5000
    assert {(uuid.UUID(one).version, uuid.UUID(one).variant) for one in ids} == {(7, uuid.RFC_4122)}


def test_the_counter_carries_over_into_the_upper_bits() -> None:
    first, second = new_ids(2, moment=MOMENT, randomness=2**62 - 1)
    assert first.split("-")[2:] == ["7000", "bfff", "ffffffffffff"]
    assert second.split("-")[2:] == ["7001", "8000", "000000000000"]


def test_later_ids_sort_after_whatever_the_clock_says() -> None:
    (before,) = new_ids(1, moment=MOMENT, randomness=2**73 - 1)
    for moment in (MOMENT, MOMENT - timedelta(days=3), MOMENT + timedelta(days=3)):
        assert new_ids(1, moment=moment, randomness=0, after=before)[0] > before


def test_handles_grow_on_a_clash_only() -> None:
    assert new_handles(["a", "b"], lambda _: set()) == [handle_of("a"), handle_of("b")]
    taken = {handle_of("a", 4), handle_of("a", 5)}
    assert new_handles(["a", "b"], lambda wanted: taken & set(wanted)) == [handle_of("a", 6), handle_of("b")]


def test_ids_of_one_batch_do_not_share_a_handle() -> None:
    ids = [str(number) for number in range(3000)]
    handles = new_handles(ids, lambda _: set())
    assert len(set(handles)) == 3000
    assert {len(handle) for handle in handles} == {4, 5}


def test_no_handle_left_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="no handle is left"):
        new_handles(["a"], set)


def test_timestamps_are_utc() -> None:
    zoned = datetime.fromisoformat("2026-03-01T02:00:00.123456+02:00")
    assert timestamp(zoned) == "2026-03-01T00:00:00.123Z"


def test_entropy_fits_its_bits_and_varies() -> None:
    assert all(0 <= entropy() < 2**74 for _ in range(20))
    assert entropy() != entropy()
