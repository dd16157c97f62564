"""What a router must know to do what a plan counts on."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.advice import MUST_KNOW
from fleettui.domain.fleet import Fleet
from fleettui.routing import ROUTERS


def router_words(fleet: Fleet, length_error: float | None) -> Iterator[str]:
    """Yield what a reader should know of how requests find the pools of `fleet`, by outputs known or guessed."""
    if len(fleet.pools) > 1 and length_error:
        yield f"router {fleet.router} guesses outputs {100 * length_error:.3g}% off; by formula it knows them: verify"
    elif len(fleet.pools) > 1:
        yield f"router {fleet.router}{MUST_KNOW}"
    elif ROUTERS.named(fleet.router).meets:
        yield f"in one pool router {fleet.router} does what {ROUTERS.default.name} does"


def caution(fleet: Fleet) -> str:
    """Return how the formulas differ from what the router of `fleet` does, "" where they do not."""
    router = ROUTERS.named(fleet.router)
    return "" if router.meets and len(fleet.pools) == 1 else router.caution


def of_caches(fleet: Fleet) -> str:
    """Return what a reader should know of prefix caches, "" where the router keeps together what begins alike.

    A study of routers simulates what others would do.
    """
    if ROUTERS.named(fleet.router).together:
        return ""
    return f"caches hit by chance behind {fleet.router}: fleettui routers plays others"
