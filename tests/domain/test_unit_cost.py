"""What a fleet costs per unit over the day: by hand, for every form of demand."""

import dataclasses

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.unit_cost import UnitCost, mean_over_peak
from tests.reports.conftest import two_pools

DAY = 86_400.0


def under(demand: Demand, candidate: Candidate) -> UnitCost:
    cost = UnitCost.of(candidate, Question(workload="w", slo=Slo(ttft=0.5), demand=demand))
    assert cost is not None
    return cost


def costing(per_million: float) -> Candidate:
    """Return a fleet of $71/h that 100 requests/s reach, with what a million output tokens cost at that rate."""
    return dataclasses.replace(two_pools(), cost_per_million_output_tokens=per_million)


def test_tokens_a_day_are_paid_for_at_the_mean_of_the_day() -> None:
    cost = under(Demand(form="tokens", tokens=3e9 / DAY, peak_hour=0.09), costing(2.74))
    assert (cost.basis, cost.cost_per_user_month) == ("day", None)
    assert cost.mean_rate == pytest.approx(100 / 2.16)
    assert cost.cost_per_million_output_tokens_at_mean == pytest.approx(5.92, abs=0.005)
    # all of a day's dollars over all of its requests
    assert cost.cost_per_request == pytest.approx(71 * 24 / (100 / 2.16 * DAY))


def test_users_with_a_peak_are_paid_for_at_their_mean() -> None:
    cost = under(Demand(form="users", users=24_000.0, requests_per_user=6 / 3600, peak_factor=2.5), costing(0.252))
    assert (cost.basis, cost.mean_rate) == ("day", pytest.approx(40.0))
    assert cost.cost_per_million_output_tokens_at_mean == pytest.approx(0.63)
    assert cost.cost_per_user_month == pytest.approx(71 * 730 / 24_000)


@pytest.mark.parametrize(
    "demand",
    [
        Demand(form="rate", rate=100.0),
        Demand(form="trace"),
        Demand(form="users", users=24_000.0, requests_per_user=15 / 3600),
        Demand(form="tokens", tokens=3e9 / DAY, peak_hour=0.04),
    ],
)
def test_without_a_day_the_asked_rate_is_all_that_is_known(demand: Demand) -> None:
    cost = under(demand, costing(2.74))
    assert (cost.basis, cost.mean_rate, cost.cost_per_million_output_tokens_at_mean) == ("rate", 100.0, 2.74)


def test_a_fleet_that_gets_nothing_has_no_cost_of_a_request() -> None:
    idle = dataclasses.replace(two_pools(), pools=())
    assert UnitCost.of(idle, Question(workload="w", slo=Slo(ttft=0.5))) is None


def test_a_day_of_arrivals_is_paid_for_at_its_mean_unless_the_demand_tells_its_own() -> None:
    """Found: $2.18 "at this rate" for a plan whose day's mean was 57 % of it, so $3.82 over the day."""
    derived, users = (
        DerivedDemand(rate=100.0, arithmetic="", day_share=0.4),
        Demand(form="users", users=24_000.0, requests_per_user=15 / 3600),
    )
    for demand in (Demand(form="trace"), Demand(form="rate", rate=100.0), users):
        cost = UnitCost.of(costing(1.0), Question(workload="w", slo=Slo(ttft=0.5), demand=demand), derived)
        assert cost is not None
        assert (cost.basis, cost.mean_rate, cost.cost_per_million_output_tokens_at_mean) == ("day", 40.0, 2.5)
    assert mean_over_peak(dataclasses.replace(users, peak_factor=2.0), derived) == 0.5
