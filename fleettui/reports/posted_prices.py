"""What posted prices make of an answer: the fleet that would cost less at them, as a value and in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.plan import AT_POSTED_PRICES, Candidate
from fleettui.reports.fleet_text import gpu_total


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedPrices:
    """At these `prices`, US dollars an hour by GPU type, an answer costs `own` an hour, and `other` costs `cost`.

    As simulations of other fleets let expect the other takes `more` GPUs than the formulas say, where it was not
    simulated itself. Where it was, and is not shown to be the cheapest, that is what is paid `at_most`.
    """

    prices: tuple[tuple[str, float], ...]
    own: float
    other: Candidate
    cost: float
    more: bool
    at_most: bool = False

    @property
    def told(self) -> str:
        """The sentence, with what to type."""
        keys = ",".join(f"{gpu}={price:g}" for gpu, price in self.prices)
        simulated = self.other.simulation is not None
        guess = "" if simulated else "at least " if self.more else "~"
        own, its = (
            f"${self.own:,.2f}/h",
            f"{'at most ' if self.at_most else '' if simulated else '~'}${self.cost:,.2f}/h",
        )
        return f"{AT_POSTED_PRICES}--price {keys}: this {own}, {guess}{gpu_total(self.other.fleet)} {its}"
