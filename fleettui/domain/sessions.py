"""Requests that belong to sessions: rounds of which each comes after the answer to the one before."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from fleettui.errors import InputError


class Round(NamedTuple):
    """Tokens of a round's whole prompt and of its answer, and the seconds before it, 0 for the first."""

    prompt: int
    output: int
    wait: float


MOST_ROUNDS = 12
"""From this round on all are told as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSeen:
    """What a pool was asked for in a round of sessions, 1 the first: `requests`, their `prompt` tokens in all, and of
    them those that its caches `found`.
    """

    number: int
    requests: int
    prompt: int
    found: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """Sessions as they were recorded or made up; a row is (prompt, output, wait, prompt, output, wait, ...).

    A later round's prompt holds the prompt and the answer before it where it is long enough for them. Its wait are the
    seconds from the answer to the round before, in which somebody thinks or a tool runs; or where they are `recorded`,
    from when that came, answered in the meantime: then it comes no sooner, and no sooner than the answer. All prompts
    begin with the same `common` tokens.
    """

    rows: tuple[tuple[float, ...], ...]
    recorded: bool = False
    common: int = 0

    def __post_init__(self) -> None:
        if not self.rows:
            raise InputError("there are no sessions", accepted="one session of one round at least")
        for place, row in enumerate(self.rows):
            if not row or len(row) % 3:
                raise InputError(
                    "a session without rounds" if not row else "a session whose last round is not whole",
                    where=f"session {place + 1}",
                    accepted="prompt tokens, output tokens and seconds before it, for each round",
                    remedy="leave the session out, or complete it",
                )
            for one in rounds_of(row):
                check_round(one, f"session {place + 1}")

    @property
    def requests(self) -> int:
        """How many rounds there are."""
        return sum(len(row) for row in self.rows) // 3

    @property
    def rounds(self) -> float:
        """Rounds of a session on average."""
        return self.requests / len(self.rows)

    def longest_wait(self, longer: float) -> float:
        """Return the seconds that later rounds wait at most, but for a share `longer` of them."""
        waits = sorted(one.wait for row in self.rows for one in rounds_of(row[3:]))
        return waits[min(int(len(waits) * (1.0 - longer)), len(waits) - 1)] if waits else 0.0

    def within(self, tokens: int) -> SessionRecord:
        """Return the sessions up to their first round of more than so many total tokens."""
        kept = []
        for row in self.rows:
            long = (place for place, one in enumerate(rounds_of(row)) if one.prompt + one.output > tokens)
            kept.append(row[: 3 * next(long, len(row) // 3)])
        return replace(self, rows=tuple(row for row in kept if row))

    def reusable(self) -> float:
        """Return the share of prompt tokens that one cache without limit would find: the bound of what routers reach.

        The first session alone finds nothing of what all have in common.
        """
        found = asked = 0
        for row in self.rows:
            before = None
            for one in rounds_of(row):
                found += min(shared(before, one, self.common), one.prompt - 1)
                asked += one.prompt
                before = one
        return found / asked


def shared(before: Round | None, later: Round, common: int) -> int:
    """Return the tokens of a round's prompt that it has from the round before.

    Where the answer is not in it, that is the prompt; where that is not, it was cut, nobody knows where: then what all
    sessions have in `common`.
    """
    if before is not None and later.prompt >= before.prompt:
        held = before.prompt + before.output
        return held if later.prompt >= held else before.prompt
    return min(common, later.prompt)


def rounds_of(row: tuple[float, ...]) -> Iterator[Round]:
    """Yield the rounds of a row of a record."""
    for at in range(0, len(row), 3):
        yield Round(int(row[at]), int(row[at + 1]), float(row[at + 2]))


def check_round(one: Round, where: str) -> None:
    """Raise InputError for a round without tokens, or one that comes before the round before it."""
    if one.prompt < 1 or one.output < 1:
        raise InputError("a round has at least one prompt and one output token", where=where, value=one[:2])
    if not (math.isfinite(one.wait) and one.wait >= 0.0):
        raise InputError(
            "a round cannot come before the one before it",
            where=where,
            value=f"{one.wait:g} s",
            accepted="0 seconds or more, of thinking or of a tool",
            remedy="correct the time, or leave it out and give the times of all requests",
        )
