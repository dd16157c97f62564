"""Which routers differ on a fleet under a question, and why others do not apply there."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.scenario import Question
from fleettui.routing import ROUTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Applying:
    """The routers that apply to a question's fleets of so many pools: `names`; the others, by why they do not.

    `blind` send by prefixes where replicas keep none, `lone` by sessions where requests come in none, and `alone`
    between pools where that is not played, because of what `apart` says and with the `remedy`.
    """

    blind: tuple[str, ...]
    lone: tuple[str, ...]
    alone: tuple[str, ...]
    apart: str
    remedy: str

    @classmethod
    def to(cls, question: Question, pools: int) -> Applying:
        """Return which routers apply to fleets of so many pools.

        In one pool none sends to another. Nor is one played that sends between pools where requests come again, or
        prefixes of a trace are cached, nor one that sends by prefixes, or by sessions, where there are none.
        """
        apart, remedy = "", ""
        if question.bounds.retries:
            apart, remedy = "requests come again", "plan without --retries"
        elif question.length_error:
            apart, remedy = "lengths are guessed", "plan without --length-error"
        elif question.prefix_cache and not question.sessions:
            apart, remedy = "prefix caches are played pool by pool", "plan without --prefix-cache"
        elif pools == 1:
            apart, remedy = "the fleet has one", "plan with --pools 2"
        return cls(
            alone=tuple(one.name for one in ROUTERS if one.across is not None and apart),
            blind=tuple(one.name for one in ROUTERS if one.remembers and not question.prefix_cache),
            lone=tuple(one.name for one in ROUTERS if one.of_sessions and not question.sessions),
            apart=apart,
            remedy=remedy,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The routers that apply, in their own order."""
        return self.but(*self.alone, *self.blind, *self.lone)

    def but(self, *left_out: str) -> tuple[str, ...]:
        """Return all routers but some."""
        return tuple(name for name in ROUTERS.names if name not in left_out)
