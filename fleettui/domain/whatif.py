"""What-if findings: points of a sweep, steps of a fleet, growth along them, and how far inputs move the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, get_args

from fleettui.domain.confidence import Confidence
from fleettui.domain.fleet import Fleet
from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.domain.limiting import limited_by
from fleettui.domain.plan import Answer, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import later
from fleettui.domain.study import Quantity
from fleettui.errors import InputError

Orders = Literal["quarter", "month", "each"]
ORDERS: tuple[Orders, ...] = get_args(Orders)
ORDER_MONTHS: dict[Orders, float] = {"quarter": 3.0, "month": 1.0, "each": 0.0}
"""The months that one order covers."""
DAYS_PER_MONTH = 365 / 12
"""A twelfth of the year of 8,760 hours in which costs per year are told."""


def at_a_time(owned: int, per_node: int, orders: Orders, *, whole_nodes: bool) -> int:
    """Return how many GPUs of a type are ordered at a time beside those `owned`: those of a node, or one.

    It is a node where `whole_nodes` are paid for, or where an order covers months and a node is there already.

    >>> [at_a_time(own, 8, "quarter", whole_nodes=whole) for own, whole in ((2, False), (8, False), (2, True))]
    [1, 8, 8]
    """
    by_node = whole_nodes or (orders != "each" and owned >= per_node)
    return per_node if by_node else 1


def rate_after(rate: float, per_month: float, months: float) -> float:
    """Return the rate after so many months that each add the share `per_month` to what is there."""
    return rate * math.exp(months * math.log1p(per_month))


def months_until(rate: float, per_month: float, reached: float) -> float:
    """Return the months until a growing `rate` comes to `reached`: ln(reached/rate) / ln(1 + growth)."""
    return math.log(reached / rate) / math.log1p(per_month)


def whole_days(months: float) -> int:
    """Return the whole days of so many months, from the last of which on is needed what is needed then.

    >>> whole_days(12.0), whole_days(6.25)
    (365, 190)
    """
    return math.floor(months * DAYS_PER_MONTH + 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What a sweep moves, and where to: `values` in SI units, or texts where `quantity` is "text"."""

    name: str
    quantity: Quantity
    values: tuple[float | str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One question of a sweep, with its value on each axis; `lengths` scales the requests of its workload."""

    values: tuple[float | str, ...]
    question: Question
    lengths: Lengths = AS_RECORDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The axes of a sweep and every point of their grid, the last axis moving fastest."""

    axes: tuple[Axis, ...]
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a point came to: the cheapest fleet with its figures, or why there is none.

    It is by formula unless it was `simulated`.

    `rate` is the demand in requests/s, `cost` US dollars an hour, `ttft` seconds in the worst pool, `limited_by` what
    limits the pool with least room, or the reason where no fleet holds. A wait without end is None.
    """

    verdict: Verdict
    rate: float | None = None
    fleet: Fleet | None = None
    gpus: int | None = None
    cost: float | None = None
    ttft: float | None = None
    limited_by: str = ""
    simulated: bool = False

    @property
    def told(self) -> str:
        """The verdict in a word: ~pass is by formula alone."""
        return f"~{self.verdict}" if self.verdict in ("pass", "fail") and not self.simulated else self.verdict

    @classmethod
    def refused(cls, refusal: InputError) -> Outcome:
        """Return what a question comes to that cannot be served."""
        return cls(verdict="infeasible", limited_by=refusal.what)

    @classmethod
    def of(cls, answer: Answer, question: Question | None = None) -> Outcome:
        """Return what an answer comes to; what limits a simulated fleet under its `question` is as that shows."""
        best = answer.answer
        if best is None:
            reason = answer.why[0] if answer.why else ""
            return cls(verdict=answer.verdict, rate=answer.demand.rate, limited_by=reason)
        tightest = min(best.pools, key=lambda pool: pool.margin)
        by_formula = tuple(one.limited_by for one in best.pools)
        limits = by_formula if question is None else limited_by(best, question, answer.candidates)
        ttft = max(one.ttft for one in best.pools)
        pool = f"{tightest.name}: " if len(best.pools) > 1 else ""
        return cls(
            verdict=answer.verdict,
            rate=answer.demand.rate,
            fleet=best.fleet,
            gpus=best.gpus,
            cost=best.cost_per_hour,
            ttft=ttft if math.isfinite(ttft) else None,
            limited_by=f"{pool}{limits[best.pools.index(tightest)]}",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A fleet of one shape and the rate, in requests per second, up to which it holds: by formula unless `simulated`.

    `replicas` are those of each pool, spare ones left out; `gpus` and `cost` (US dollars an hour) count them.
    `runs_out` are the pools that fail beyond, `limited_by` what fails there; `ttft` is that of the worst pool at the
    rate, in seconds; `shortfalls` are the constraints that the fleet breaks. `there` are the GPUs by type of a fleet
    on the way of growth, `idle` those on which no replica is, and `lots` how many of each are ordered at a time;
    empty else.
    """

    replicas: tuple[int, ...]
    up_to: float
    gpus: int
    cost: float
    runs_out: tuple[str, ...]
    limited_by: str
    ttft: float
    shortfalls: tuple[str, ...] = ()
    simulated: bool = False
    there: tuple[tuple[str, int], ...] = later(())
    lots: tuple[tuple[str, int], ...] = later(())
    idle: tuple[tuple[str, int], ...] = later(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """A rate that grows by a share `per_month` from the day `start` on for `months`, and how GPUs are ordered for it.

    `span` are the least and the most that it may grow by, None where one growth is as good as known. GPUs are there
    `lead_days` after their order. An order is `late` whose day is before `today`. The days are ISO dates. One of
    `orders` covers what a quarter or a month takes, or "each" fleet is ordered for itself.
    """

    per_month: float
    span: tuple[float, float] | None
    start: str
    today: str
    lead_days: float
    months: int
    orders: Orders

    def from_today(self, days: float) -> str:
        """Return the ISO date so many days after today, the later one of whole days."""
        return (date.fromisoformat(self.today) + timedelta(days=math.ceil(days))).isoformat()

    def rate_on(self, rate: float, on: str) -> float:
        """Return what a `rate` of the start has grown to on an ISO date."""
        days = (date.fromisoformat(on) - date.fromisoformat(self.start)).days
        return rate_after(rate, self.per_month, max(days, 0) / DAYS_PER_MONTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A fleet on the way of growth: needed from the day `reached` on, to be ordered by `order_by` (ISO dates).

    `rate` is that of the day, by formula unless it was `simulated`; `ordered` are the GPUs of the order, and `earliest`
    and `latest` the ends of its day, empty where they are not known or beyond a century. The first stage is there from
    the start and has nothing to order (`order_by` empty).
    """

    reached: str
    order_by: str
    late: bool
    rate: float
    step: Step
    simulated: bool = False
    ordered: int = 0
    earliest: str = ""
    latest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swing:
    """One input at its low and high end, and the fleet's GPUs and dollars an hour there; None: no size holds."""

    name: str
    quantity: Quantity
    low: float
    high: float
    gpus: tuple[int | None, int | None]
    cost: tuple[float | None, float | None]

    @property
    def width(self) -> float:
        """By how many GPUs the ends differ, without end where only one of them can be served."""
        if None in self.gpus:
            return 0.0 if self.gpus == (None, None) else float("inf")
        low, high = self.gpus
        assert low is not None, "checked above"
        assert high is not None, "checked above"
        return float(abs(high - low))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A joint draw of the inputs: what was drawn, and per draw the replicas of each pool (None: no size holds).

    `drawn` are (input, distribution in words); `confidence` is over step times and typed ranges; `gpus` and `cost` are
    those of each draw, in order.
    """

    drawn: tuple[tuple[str, str], ...]
    confidence: Confidence
    replicas: tuple[tuple[int, ...] | None, ...]
    gpus: tuple[int | None, ...]
    cost: tuple[float | None, ...]
