"""What a router must know to do what a plan counts on."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.fleet import Fleet
from fleettui.routing import ROUTERS


def router_words(fleet: Fleet, length_error: float | None) -> Iterator[str]:
    """Yield what a reader should know of how requests find the pools of `fleet`, by outputs known or guessed."""
    if len(fleet.pools) > 1 and length_error:
        yield (
            f"router {fleet.router} guesses outputs with a coefficient of variation of {100.0 * length_error:.3g} %; "
            "the formulas take the true lengths, the simulation serves what outgrows its pool on in a longer one"
        )
    elif len(fleet.pools) > 1:
        yield f"router {fleet.router} must know each output beforehand"
    elif ROUTERS.named(fleet.router).across is not None:
        yield f"the fleet has one pool: there router {fleet.router} does what {ROUTERS.default.name} does"


def caution(fleet: Fleet) -> str:
    """Return what the formulas take otherwise than the router of `fleet` does it, "" where they do not."""
    router = ROUTERS.named(fleet.router)
    return "" if router.across is not None and len(fleet.pools) == 1 else router.caution
