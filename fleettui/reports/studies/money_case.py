"""What is asked of money, and what the ways to pay for a kept plan's GPUs come to: what its study tells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fleettui.domain.money import Period, Tariff, Tariffs, Way, ways
from fleettui.domain.need import HOURS, Need
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.study import Study
from fleettui.reports.money_text import Terms

MONTH = 730.0 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What is served: the tokens of a request on average (None: not known), its `share` served, and the users."""

    prompt: float | None
    output: float | None
    share: float
    users: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What an interruption does as simulated: shares of the requests within every limit while it lasts.

    `none` with all up, `one` with a spot unit gone, `all` with all that is spot of the plan's fleet gone at once: None
    where that is one unit. The others are None where the runs showed none.
    """

    none: float | None
    one: float | None
    all: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked: the plan, its fleet, what is needed when, what it is asked of money, and the prices.

    `replays` are the plan's studies of autoscaling, newest first.

    `day_option` says the day where it is not the plan's own; `day_caution` may say whose it is. `over` are the prices
    where fewer years are looked at, by years, if GPUs are bought, and `for_life` those of a GPU that is bought for all
    years that it serves; `batch` is the share of the requests of class
    batch; `longest` is a request's time at the SLO's percentile, seconds, or None; `sure` is how sure each size is to
    be, None at nominal speed; `power_price` is US dollars for a kWh of GPUs that are bought, None where nobody says it.
    """

    plan: Answer
    best: Candidate
    day: str
    need: Need
    terms: Terms
    tariffs: Mapping[str, Tariffs]
    use: Use
    taken: Taken | None = None
    for_life: Mapping[str, Tariff] = field(default_factory=dict)
    over: tuple[tuple[int, Mapping[str, Tariffs]], ...] = ()
    batch: float | None = None
    longest: float | None = None
    sure: float | None = None
    power_price: float | None = None
    day_option: str = ""
    replays: tuple[Study, ...] = ()
    day_caution: str = ""


def cheapest(found: Sequence[Way]) -> Way:
    """Return the way that costs least of those that hold the peak of each day, which anybody can run.

    Of equals it is the first, which commits to less.
    """
    return _least([one for one in found if one.static])


def _least(found: Sequence[Way]) -> Way:
    return min(found, key=lambda one: round(one.dollars, 6))


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """The ways to pay, the cheapest of them, and what is paid beside the GPUs.

    `bound` is the cheapest if replicas followed the rate at once, sized as planned; None where it saves nothing.
    """

    asked: Asked
    ways: Sequence[Way] = field(init=False)
    best: Way = field(init=False)
    bound: Way | None = field(init=False)

    def __post_init__(self) -> None:
        found = ways(self.asked.need, self.asked.tariffs, spot=self.asked.terms.spot)
        object.__setattr__(self, "ways", found)
        best, bound = cheapest(found), _least([one for one in found if not one.static])
        object.__setattr__(self, "best", best)
        object.__setattr__(self, "bound", bound if round(bound.dollars, 6) < round(best.dollars, 6) else None)

    @property
    def peak(self) -> Way:
        """The most GPUs that each day needs on demand, paid for all day."""
        return self.ways[0]

    @property
    def everything(self) -> list[Tariff]:
        """Every price that is used, on demand first."""
        found = []
        for own in self.asked.tariffs.values():
            found += [own.on_demand, *own.committed.values(), *([own.spot] if own.spot else [])]
        return found

    @property
    def served(self) -> float:
        """The requests that are served over all years."""
        return self.asked.need.requests * self.asked.use.share

    @property
    def host(self) -> float:
        """US dollars an hour, of those of the cheapest way, for shares of servers."""
        paid = 0.0
        for one in self.best.periods:
            own = self.asked.tariffs[one.gpu]
            held = one.committed.host * one.cut.reserved if one.committed is not None else 0.0
            spot = own.spot.host * one.cut.spot_use if own.spot is not None else 0.0
            paid += one.unit * one.hours * (held + spot + own.on_demand.host * one.cut.on_demand_use)
        return paid / (HOURS * self.asked.terms.years)

    @property
    def egress(self) -> float:
        """US dollars an hour for the bytes of the answers that are served; 0 where their tokens are not known."""
        terms, output = self.asked.terms, self.asked.use.output or 0.0
        return terms.egress * terms.token_bytes * output * self.served / (HOURS * terms.years)

    @property
    def egress_per_token(self) -> float:
        """US dollars for the bytes that leave for a token, of the prompt or answered; 0 where these are not known."""
        terms, use = self.asked.terms, self.asked.use
        if not (use.prompt and use.output):
            return 0.0
        return terms.egress * terms.token_bytes * use.output / (use.prompt + use.output)

    @property
    def extras(self) -> float:
        """US dollars an hour of what stands beside the GPUs."""
        return self.egress + self.asked.terms.storage

    @property
    def beside(self) -> str:
        """What stands beside the GPUs."""
        return " and ".join(
            name for name, cost in (("egress", self.egress), ("storage", self.asked.terms.storage)) if cost
        )

    @property
    def per_hour(self) -> float:
        """US dollars an hour of all that is paid, the cheapest way and what stands beside the GPUs."""
        return self.best.per_hour + self.extras

    @property
    def per_request(self) -> float:
        """US dollars for a request that is served."""
        return self.per_hour * HOURS * self.asked.terms.years / self.served if self.served else math.inf

    @property
    def spot(self) -> tuple[Period, ...]:
        """The periods of the cheapest way's first term that take spot GPUs."""
        return tuple(one for one in self.best.periods if one.start == 0 and one.cut.spot)

    def lost(self) -> tuple[int, float]:
        """Return the spot units of the cheapest way, and how many are missing at a moment on average."""
        count = sum(one.cut.spot for one in self.spot)
        hazard = -math.log(1.0 - self.asked.terms.lost) / MONTH
        return count, count * hazard * self.asked.terms.missing

    def spare(self, count: int) -> float:
        """Return US dollars an hour of so many spare units on demand, where GPU types differ of the dearest spot."""
        return count * max(map(self._on_demand, self.spot), default=0.0)

    def instead(self) -> float:
        """Return US dollars an hour of as many units on demand as are spot."""
        return math.fsum(one.cut.spot * self._on_demand(one) for one in self.spot)

    def _on_demand(self, one: Period) -> float:
        return one.unit * self.asked.tariffs[one.gpu].on_demand.paid
