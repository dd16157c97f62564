"""Sessions of reasoning agents: some rounds that plan, unseen by the user, and a last one that answers.

A round has new prompt tokens beside all that went before, and an output. The templates are Frontier's (Table 7), which
does not say what share of sessions is heavy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fleettui.domain import checks
from fleettui.domain.schedulers import Figure
from fleettui.errors import InputError

Template = tuple[tuple[int, int], ...]
"""New prompt tokens and output tokens of each round."""

SHORT: Template = ((4096, 96), (1024, 64), (512, 64), (512, 64), (256, 192))
HEAVY: Template = ((32_768, 96), (16_384, 64), (8192, 64), (4096, 64), (256, 192))
MOST_ROUNDS, MOST_SESSIONS = 64, 20_000
WARM = 0.1
"""Share of a run's sessions, the first ones, that find an empty fleet and are not counted."""
FIGURES = (
    Figure(name="attft_p95", label="P95 aTTFT", quantity="seconds"),
    Figure(name="attft", label="mean aTTFT", quantity="seconds"),
    Figure(name="short_p95", label="P95 aTTFT of short sessions", quantity="seconds"),
    Figure(name="heavy_p95", label="P95 aTTFT of heavy sessions", quantity="seconds"),
    Figure(name="tpot_p95", label="P95 TPOT of answers", quantity="seconds"),
    Figure(name="hidden", label="hidden planning tokens per second", quantity="number", more_is_better=True),
)
"""What schedulers are compared by; aTTFT is from a session's arrival to the first token of its answer."""
_ROUND = re.compile(r"(\d{1,7})/(\d{1,7})")


def template(text: str, where: str) -> Template:
    """Return the rounds that a text says; raises InputError with the way to write them.

    >>> template("4096/96, 256/192", "--short")
    ((4096, 96), (256, 192))
    """
    found = [_ROUND.fullmatch(one.strip()) for one in text.split(",")]
    rounds = tuple((int(one[1]), int(one[2])) for one in found if one is not None)
    if len(rounds) < len(found) or not 2 <= len(rounds) <= MOST_ROUNDS or any(0 in one for one in rounds):
        raise InputError(
            "these are no rounds of a session",
            where=where,
            value=text,
            accepted=f"new prompt and output tokens of 2 to {MOST_ROUNDS} rounds, the last of which answers: "
            "4096/96,1024/64,256/192",
        )
    return rounds


def written(rounds: Template) -> str:
    """Return rounds as they are typed.

    >>> written(SHORT)
    '4096/96,1024/64,512/64,512/64,256/192'
    """
    return ",".join(f"{fresh}/{output}" for fresh, output in rounds)


def longest(rounds: Template) -> int:
    """Return the tokens that the last round of a session holds.

    >>> longest(HEAVY)
    62176
    """
    return sum(fresh + output for fresh, output in rounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """So many `sessions` of which a share is `heavy`, at random times; a tool takes `tool` seconds between rounds.

    They come at `rate` per second, or where that is None at such a rate that their prompts by themselves keep replicas
    busy for a part `load` of the time.
    """

    short: Template = SHORT
    heavy: Template = HEAVY
    share: float = 0.05
    load: float = 0.6
    rate: float | None = None
    sessions: int = 400
    tool: float = 0.001

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise InputError("this is no share of sessions", where="--heavy", value=self.share, accepted="0% to 100%")
        if not 0.0 < self.load <= 2.0:
            raise InputError("this is no load", where="--load", value=self.load, accepted="above 0%, up to 200%")
        if not 20 <= self.sessions <= MOST_SESSIONS:
            raise InputError(
                "this number of sessions cannot be played",
                where="--sessions",
                value=self.sessions,
                accepted=f"20 to {MOST_SESSIONS:,}",
            )
        checks.not_negative("time of a tool", self.tool)
        if self.rate is not None:
            checks.positive("rate of sessions", self.rate)
