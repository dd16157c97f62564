"""What a fleet costs per unit of what it serves: over the day where the demand tells one, else at the asked rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import later
from fleettui.domain.unit_served import cost_per_million, served_share

HOURS_PER_DAY, HOURS_PER_MONTH = 24.0, 730.0
SECONDS_PER_HOUR = 3600.0


def per_million_tokens(cost_per_hour: float, rate: float) -> float:
    """Return US dollars for a million tokens of a fleet at `cost_per_hour` that makes `rate` tokens per second.

    >>> per_million_tokens(3.6, 100.0)
    10.0
    """
    return cost_per_hour / (rate * SECONDS_PER_HOUR) * 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitCost:
    """US dollars per unit served by a fleet that is paid every hour, at `mean_rate` in requests/s.

    `basis` is `day` where it is known how far the day's mean is below its peak (tokens per day, users with a peak
    factor, a day of arrivals), `rate` where the asked rate is all that is known, which then counts as held all day.
    What a million output tokens cost at the peak is the candidate's own figure. Only requests that are `served` count,
    as a share of those that are asked, where a simulation saw some turned away or leave. `cost_per_user_month` is per
    user and 730 hours, None where no users were typed.
    """

    basis: Literal["day", "rate"]
    mean_rate: float
    cost_per_million_output_tokens_at_mean: float
    cost_per_request: float
    cost_per_user_month: float | None
    served: float = later(1.0)

    @classmethod
    def of(cls, candidate: Candidate, question: Question, derived: DerivedDemand | None = None) -> UnitCost | None:
        """Return what `candidate` costs under the demand of `question`; None where it serves no requests.

        `derived` is what that demand came to, where it is known.
        """
        peak, demand = sum(pool.arrival_rate for pool in candidate.pools), question.demand
        if not peak:
            return None
        share, hourly, served = mean_over_peak(demand, derived), candidate.cost_per_hour, served_share(candidate)
        if not served:
            return None
        return cls(
            basis="day" if share < 1 else "rate",
            mean_rate=peak * share,
            cost_per_million_output_tokens_at_mean=cost_per_million(candidate) / share,
            cost_per_request=hourly / (peak * share * served * SECONDS_PER_HOUR),
            cost_per_user_month=None if demand.users is None else hourly * HOURS_PER_MONTH / demand.users,
            served=served,
        )


def per_million_at_mean(candidate: Candidate, question: Question, derived: DerivedDemand | None = None) -> float | None:
    """Return US dollars per million output tokens as they are paid: over the day, where one is told.

    None where nothing is served.
    """
    cost = UnitCost.of(candidate, question, derived)
    return None if cost is None else cost.cost_per_million_output_tokens_at_mean


def mean_over_peak(demand: Demand, derived: DerivedDemand | None = None) -> float:
    """Return the day's mean rate over the rate that is planned for, 1 where nothing tells a day.

    That is what the demand itself says, else the day of the arrivals, by what the demand was `derived` to.

    >>> round(mean_over_peak(Demand(form="tokens", tokens=3e9 / 86_400, peak_hour=0.09)), 3)
    0.463
    """
    if demand.form == "tokens":
        return min(1.0, 1.0 / (HOURS_PER_DAY * demand.peak_hour))
    if demand.form == "users" and demand.peak_factor > 1.0:
        return 1.0 / demand.peak_factor
    return 1.0 if derived is None else derived.day_share
