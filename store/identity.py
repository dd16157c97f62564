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
    stamp = f"{milliseconds:012x}"
    return [_uuid(f"{stamp[:8]}-{stamp[8:]}", tail) for tail in range(start, start + count)]


def _uuid(stamp: str, tail: int) -> str:
    return f"{stamp}-7{tail >> 62:03x}-{0x8000 | tail >> 48 & 0x3FFF:04x}-{tail & 0xFFFFFFFFFFFF:012x}"


def new_handles(ids: Sequence[str], taken: Callable[[Collection[str]], set[str]]) -> list[str]:
    """Return a handle for each id: the shortest start of its SHA-256, 4 digits or more, that nobody has.

    `taken` is asked with handles and returns those that are in use. Earlier ids get the shorter handles.
    """
    found: dict[str, str] = {}
    pending = list(ids)
    for length in range(SHORTEST_HANDLE, LONGEST_HANDLE + 1):
        wanted = {identifier: handle_of(identifier, length) for identifier in pending}
        used = taken(set(wanted.values()))
        pending = []
        for identifier, handle in wanted.items():
            if handle in used:
                pending.append(identifier)
            else:
                used.add(handle)
                found[identifier] = handle
        if not pending:
            return [found[identifier] for identifier in ids]
    raise AssertionError(f"no handle is left for {pending[:3]}")
