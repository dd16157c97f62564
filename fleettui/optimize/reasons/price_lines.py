"""What fleets cost as lines in the price of one GPU, and where the answer's is crossed first.

From a price at which another fleet wins, or from the best crossing already known, the search goes to where the two
lines cross and looks again just past it, until nothing is cheaper there: the price is exact, and of the fleets that
cross the answer's line there it is the one that costs least past it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.optimize.costs import rented
from fleettui.optimize.reasons.inputs import Ground
from fleettui.optimize.reasons.limits import gpus_of

DEAR, FREE = 1e3, 1e-6
"""Prices this many times the present one, or the dearest for what is free, stand for any price, and for none."""
MOST_CROSSINGS = 50
CLOSE = 1e-9
PAST = 1e-6
"""By what share a price is past another where fleets that cost the same there are told apart."""

Direction = Literal["below", "above"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A fleet's cost as a function of one GPU's price: `count` GPUs of it, and `rest` US dollars per hour."""

    count: int
    rest: float

    def at(self, price: float) -> float:
        """Return the cost at a price."""
        return self.count * price + self.rest

    def crossing(self, other: Line) -> float | None:
        """Return the price at which both cost the same, None for parallel lines."""
        return None if self.count == other.count else (other.rest - self.rest) / (self.count - other.count)


def is_proven(one: Candidate, ground: Ground) -> bool:
    """Return whether a fleet passed as simulated."""
    return ground.verdict(one.fleet) == "pass"


def is_put_aside(one: Candidate, best: Candidate, ground: Ground) -> bool:
    """Return whether a fleet is no rival: it did not pass, or costs less as it is than an answer that is proven."""
    if ground.verdict(one.fleet) not in (None, "pass") or ground.refuted(one, ground.question):
        return True
    return is_proven(best, ground) and one.cost_per_hour < best.cost_per_hour * (1.0 - CLOSE)


def at_price(question: Question, gpu: str, price: float) -> Question:
    """Return the question with one price set, as `--price` does."""
    return replace(question, prices=tuple(sorted({**dict(question.prices), gpu: price}.items())))


def line_of(candidate: Candidate, gpu: str, ground: Ground) -> Line:
    """Return a candidate's line in the price of `gpu`; whole nodes are paid for where the question says so."""
    count = gpus_of(candidate, gpu)
    if ground.question.whole_nodes and count:
        count = rented(count, next(profile for profile in ground.profiles if profile.gpu == gpu))
    return Line(count=count, rest=candidate.cost_per_hour - count * ground.prices[gpu])


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The answer's line in the price of one GPU, and the way to the cheapest fleet at any price of it."""

    ground: Ground
    gpu: str
    best: Candidate
    question: Question

    @property
    def own(self) -> Line:
        """The answer's line."""
        return line_of(self.best, self.gpu, self.ground)

    def start(self, known: Iterable[Candidate], direction: Direction) -> tuple[float, Candidate | None]:
        """Return the price to begin at, with who is known to win past it; nobody at the end of all prices.

        Of several that cost as much as the answer there, past it the fewest GPUs cost least where they are dearer, and
        the most where they are cheaper.
        """
        now = self.ground.prices[self.gpu]
        end = now * FREE if direction == "below" else (now or max(self.ground.prices.values()) or 1.0) * DEAR
        crossings = [
            (price, one)
            for one in known
            if (price := self.own.crossing(line_of(one, self.gpu, self.ground))) is not None
            and (end <= price < now if direction == "below" else now < price <= end)
        ]
        pick = max if direction == "below" else min
        if not crossings:
            return end, None
        turn = pick(price for price, _ in crossings)
        alike = [one for price, one in crossings if math.isclose(price, turn, rel_tol=CLOSE)]
        return turn, pick(alike, key=lambda one: line_of(one, self.gpu, self.ground).count)

    def settle(
        self, price: float, winner: Candidate | None, direction: Direction
    ) -> tuple[float | None, Candidate | None]:
        """Return the price at which the answer is overtaken, and by whom; of rivals that are all known no more come."""
        nearest, step = (max, 1.0 - PAST) if direction == "below" else (min, 1.0 + PAST)
        line = self.own if winner is None else line_of(winner, self.gpu, self.ground)
        for _ in range(MOST_CROSSINGS if self.ground.sized is None else 0):
            past = price * step
            rival = self._rival(past)
            if rival is None:
                break
            its = self._line_at(rival, past)
            if its.at(past) >= line.at(past) - CLOSE * max(1.0, self.own.at(past)):
                break
            crossing = self.own.crossing(its)
            if crossing is None:  # cheaper at any price: a search of one topology alone tries more splits
                break
            price, winner, line = nearest(price, crossing), rival, its
        return (None, None) if winner is None else (price, winner)

    def _rival(self, price: float) -> Candidate | None:
        """Return the best fleet at a price of those that are not put aside."""
        asked = at_price(self.question, self.gpu, price)
        best = self.ground.best(asked)
        if best is None or not self._is_put_aside(best, price):
            return best
        return next((one for one in self.ground.ranked(asked) if not self._is_put_aside(one, price)), None)

    def _is_put_aside(self, one: Candidate, price: float) -> bool:
        now = self._line_at(one, price).at(self.ground.prices[self.gpu])
        return is_put_aside(replace(one, cost_per_hour=now), self.best, self.ground)

    def _line_at(self, rival: Candidate, price: float) -> Line:
        """Return a rival's line; its cost is that at `price`."""
        count = line_of(rival, self.gpu, self.ground).count
        return Line(count=count, rest=rival.cost_per_hour - count * price)
