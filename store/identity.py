"""Names for acts: ids that sort by time, and the short handles that people type."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime

from fleettui.domain.digest import SHORTEST_HANDLE, handle_of

RANDOM_BITS = 74
LONGEST_HANDLE = 64


def now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


def entropy() -> int:
    """Return RANDOM_BITS random bits."""
    return secrets.randbits(RANDOM_BITS)


def timestamp(moment: datetime) -> str:
    """Return a moment as ISO-8601 in UTC with milliseconds, which sorts as text.

    >>> timestamp(datetime(2026, 3, 1, 12, tzinfo=UTC))
    '2026-03-01T12:00:00.000Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_ids(count: int, *, moment: datetime, randomness: int, after: str = "") -> list[str]:
    """Return `count` UUIDs of version 7 (RFC 9562, its monotonic random method), rising, all later than `after`.

    `randomness` gives the 74 bits behind the milliseconds. A clock that was set back is overruled by `after`.

    >>> new_ids(2, moment=datetime(2026, 3, 1, tzinfo=UTC), randomness=41)
    ['019ca6b1-dc00-7000-8000-000000000029', '019ca6b1-dc00-7000-8000-00000000002a']
    """
    milliseconds = int(moment.timestamp() * 1000)
    if after:
        milliseconds = max(milliseconds, int(after[:8] + after[9:13], 16) + 1)
    start = randomness % (1 << (RANDOM_BITS - 1))
    return [_joined(milliseconds, tail) for tail in range(start, start + count)]


def id_after(identifier: str, count: int) -> str:
    """Return the id that is `count` ids after this one, as one call of `new_ids` gives them.

    >>> id_after("019ca6b1-dc00-7000-8000-000000000029", 2)
    '019ca6b1-dc00-7000-8000-00000000002b'
    """
    milliseconds, tail = _split(identifier)
    return _joined(milliseconds, tail + count)


def ids_between(first: str, last: str) -> int | None:
    """Return how many ids after `first` the id `last` is; None where they cannot be of one call of `new_ids`.

    >>> ids_between("019ca6b1-dc00-7000-8000-000000000029", "019ca6b1-dc00-7000-8000-00000000002b")
    2
    """
    (began, start), (ended, end) = _split(first), _split(last)
    return end - start if began == ended else None


def _joined(milliseconds: int, tail: int) -> str:
    stamp, high = f"{milliseconds:012x}", tail >> 48
    return f"{stamp[:8]}-{stamp[8:]}-7{high >> 14:03x}-{0x8000 | high & 0x3FFF:04x}-{tail & 0xFFFFFFFFFFFF:012x}"


def _split(identifier: str) -> tuple[int, int]:
    """Return the milliseconds of an id, and the RANDOM_BITS bits behind them."""
    stamp, middle, high, low = identifier[:8] + identifier[9:13], identifier[15:18], identifier[19:23], identifier[24:]
    return int(stamp, 16), int(middle, 16) << 62 | (int(high, 16) & 0x3FFF) << 48 | int(low, 16)


def new_handles(ids: Sequence[str], taken: Callable[[Collection[str]], set[str]]) -> list[str]:
    """Return a handle for each id: the shortest start of its SHA-256, 4 digits or more, that nobody has.

    `taken` is asked with handles and returns those that are in use. Earlier ids get the shorter handles.
    """
    whole = [handle_of(identifier, LONGEST_HANDLE) for identifier in ids]
    found = [""] * len(whole)
    pending: Sequence[int] = range(len(whole))
    for length in range(SHORTEST_HANDLE, LONGEST_HANDLE + 1):
        used = taken({whole[place][:length] for place in pending})
        later = list[int]()
        for place in pending:
            handle = whole[place][:length]
            if handle in used:
                later.append(place)
            else:
                used.add(handle)
                found[place] = handle
        if not later:
            return found
        pending = later
    raise AssertionError(f"no handle is left for {[ids[place] for place in pending[:3]]}")
