"""Demands refuse what cannot be meant."""

from typing import Any

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.errors import InputError


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_a_rate_is_finite_and_above_zero(rate: float) -> None:
    with pytest.raises(InputError, match="rate must be above zero"):
        Demand(form="rate", rate=rate)


@pytest.mark.parametrize(
    "fields",
    [{"form": "rate"}, {"form": "users", "users": 5.0}, {"form": "tokens"}, {"form": "concurrency"}],
)
def test_a_form_needs_its_fields(fields: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="needs"):
        Demand(**fields)


def test_a_peak_is_no_less_than_the_average() -> None:
    with pytest.raises(InputError, match="below the average"):
        Demand(form="users", users=5.0, requests_per_user=1.0, peak_factor=0.5)


@pytest.mark.parametrize("rate", [1e300, 1e-300, 2e7])
def test_a_demand_beyond_any_fleet_is_refused(rate: float) -> None:
    with pytest.raises(InputError, match="beyond any fleet"):
        DerivedDemand(rate=rate, arithmetic="")
