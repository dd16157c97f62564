"""How sure it is that a fleet suffices, over what is known of its step times."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.fleet import Fleet
from fleettui.domain.serialization import later
from fleettui.domain.typed_range import TypedRange

LIKELY = 0.9
"""Share of the cases in which a fleet suffices that is as good as sure."""
AS_MUCH = 1e-4
"""By how much a share may be below the wished one, as both are found by halves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SureFleet:
    """A fleet, and what it costs in US dollars an hour; the GPUs `paid` for in whole nodes, None: those it has.

    `speeds` says how its step times are known where that is much less well than those of the fleet that it is told
    beside, which a search for the step times predicted sets aside, or else which are without the question's own fit.
    `beyond` says which limit that others share holds no such fleet, where a page knows them; it is not kept.
    """

    fleet: Fleet
    cost: float
    paid: int | None = later(None)
    speeds: str = later("")
    beyond: str = later("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """In what share of the cases a fleet of a plan `holds`, and what suffices in LIKELY of them.

    A case is a step time that the evidence on the hardware allows, each as likely as it makes it, and a value of each
    input that was typed as one of `ranges`. `replicas` are those of each pool, `gpus` and `cost` (US dollars an hour)
    the fleet's with its spare ones; None where no size suffices. `span` are the GPUs at both ends of the error: those
    that suffice in one case of twenty, and in nineteen, with waits that may be further off than steps. `instead` is the
    best fleet of another shape that suffices in LIKELY of the cases by formula, where it is better than one like these.
    `paid` are the GPUs that `cost` pays for in whole nodes, None where these are the `gpus`. `better_known` is the best
    such fleet whose hardware is known as well as the plan's, where that of `instead` is not, and `alike` the best of
    the plan's GPU types, where both are of others. `beyond` says of the `gpus` what a SureFleet's does.
    """

    holds: float
    replicas: tuple[int, ...] | None
    gpus: int | None
    cost: float | None
    span: tuple[int | None, int | None]
    ranges: tuple[TypedRange, ...] = later(())
    instead: SureFleet | None = later(None)
    paid: int | None = later(None)
    better_known: SureFleet | None = later(None)
    beyond: str = later("")
    alike: SureFleet | None = later(None)

    @property
    def is_likely(self) -> bool:
        """Whether the fleet is as good as sure, as far as shares are found."""
        return self.holds >= LIKELY - AS_MUCH

    @property
    def best_cost(self) -> float | None:
        """US dollars an hour of the best that suffices in LIKELY of the cases, None where nothing is known to."""
        return self.cost if self.instead is None else self.instead.cost

    @property
    def best_gpus(self) -> int | None:
        """The GPUs of that fleet."""
        return self.gpus if self.instead is None else self.instead.fleet.gpus

    @property
    def best_paid(self) -> int | None:
        """The GPUs that are paid for with it in whole nodes, None where these are the fleet's own."""
        return self.paid if self.instead is None else self.instead.paid
