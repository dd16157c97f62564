"""Which routers differ on a fleet under a question, and why others do not apply there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fleettui.domain.fleet import Fleet
from fleettui.domain.routers import LeftOut
from fleettui.domain.scenario import Question
from fleettui.routing import ROUTERS
from fleettui.routing.router import Router


@dataclass(frozen=True, slots=True, kw_only=True)
class Applying:
    """The routers that apply to a question's fleets of so many pools, by `names`; of the others why they do not."""

    left: tuple[LeftOut, ...]

    @classmethod
    def to(cls, question: Question, pools: int, fleet: Fleet | None = None) -> Applying:
        """Return which routers apply to fleets of so many pools: to a `fleet`, or to those of a search.

        In one pool none sends to another. Nor is one played that sends between pools where requests come again, lengths
        are guessed or prefixes of a trace are cached, nor one that sends by what the question does not have.
        """
        reasons = ((one, next(_reasons(one, question, pools, fleet), None)) for one in ROUTERS)
        return cls(left=tuple(LeftOut(router=one.name, why=why[0], remedy=why[1]) for one, why in reasons if why))

    @property
    def names(self) -> tuple[str, ...]:
        """The routers that apply, in their own order."""
        left = {one.router for one in self.left}
        return tuple(name for name in ROUTERS.names if name not in left)


def _reasons(router: Router, question: Question, pools: int, fleet: Fleet | None) -> Iterator[tuple[str, str]]:
    """Yield why a router does not apply, each reason with its remedy."""
    if router.meets:
        if question.bounds.retries:
            yield "sends between pools, and requests come again", "plan without --retries"
        if question.length_error:
            yield "sends between pools, and lengths are guessed", "plan without --length-error"
        if question.prefix_cache and not question.sessions:
            yield "sends between pools, and prefix caches are played pool by pool", "plan without --prefix-cache"
        if pools == 1:
            yield "sends between pools, and the fleet has one", "plan with --pools 2"
    if router.compresses:
        yield from _of_compression(router, question, fleet)
    if router.of_classes and not question.batch_share:
        yield "sends by class, and all requests are of one", "plan with --batch-share 30% --limit batch.ttft=60s"
    if router.remembers and not question.prefix_cache:
        yield (
            "sends prompts to where their beginnings are, and the plan's replicas keep none",
            "plan with --prefix-cache",
        )
    if router.of_sessions and not question.sessions:
        yield (
            "sends a session's rounds to one replica, and the plan's requests come in no sessions",
            "plan with --sessions",
        )


def _of_compression(router: Router, question: Question, fleet: Fleet | None) -> Iterator[tuple[str, str]]:
    if question.sessions:
        yield "rewrites prompts, and nobody knows what that leaves to later rounds", "plan without --sessions"
    if fleet is None:
        yield "does as every router does where --gamma is asked", "plan with --gamma 1.0:2.0"
    elif fleet.gamma > 1.0 and fleet.router != router.name:
        yield (
            f"rewrites prompts, and the plan does up to {fleet.gamma:g} splits behind every router",
            "plan without --gamma",
        )
