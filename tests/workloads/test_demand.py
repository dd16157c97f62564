from __future__ import annotations

import math

import pytest

from fleettui.domain.demand import Demand
from fleettui.errors import InputError
from fleettui.workloads.demand import derive_demand


def derived(demand, own_rate=None, residence=None):
    return derive_demand(demand, own_rate=own_rate, mean_prompt=1154.7, mean_output=211.1, residence=residence)


@pytest.mark.parametrize(
    ("demand", "rate", "arithmetic"),
    [
        (Demand(form="rate", rate=100.0), 100.0, "100 requests/s, as given"),
        (
            Demand(form="users", users=20_000, requests_per_user=6 / 3600, peak_factor=2.5),
            83.3333333,
            "20,000 users × 6 requests/h × peak 2.5 = 83.3 requests/s",
        ),
        (
            Demand(form="tokens", tokens=3e9 / 86_400, peak_hour=0.09),
            54.9128715,
            "3,000,000,000 tokens/day × 9 % in the peak hour / 3,600 s / 1,366 tokens per request = 54.9 requests/s",
        ),
    ],
)
def test_each_form_shows_its_arithmetic(demand, rate, arithmetic):
    found = derived(demand)
    assert found.rate == pytest.approx(rate)
    assert found.arithmetic == arithmetic


def test_a_trace_brings_its_own_rate():
    found = derived(Demand(), own_rate=5.53042)
    assert (found.rate, found.arithmetic) == (5.53042, "the workload's own mean rate = 5.53 requests/s")


def test_a_trace_without_times_brings_none():
    with pytest.raises(InputError) as caught:
        derived(Demand())
    assert "no rate of its own" in str(caught.value)
    assert "do: add --rate 100/s" in str(caught.value)


def test_concurrency_follows_littles_law():
    found = derived(Demand(form="concurrency", concurrency=400, think=20.0), residence=9.1)
    assert found.rate == pytest.approx(400 / 29.1)
    assert found.arithmetic == "400 clients / (9.1 s residence + 20 s think) = 13.7 requests/s (Little's law)"


def test_concurrency_without_residence_is_a_bug():
    with pytest.raises(AssertionError, match="residence"):
        derived(Demand(form="concurrency", concurrency=400))


@pytest.mark.parametrize("rate", [0.0, -1.0, math.nan, math.inf])
def test_a_rate_that_is_none_is_refused(rate):
    with pytest.raises(InputError, match="rate must be above zero"):
        derived(Demand(form="rate", rate=rate))
    with pytest.raises(InputError, match="rate must be above zero"):
        derived(Demand(), own_rate=rate)


def test_a_rate_that_overflows_is_refused():
    with pytest.raises(InputError, match="the derived rate must be above zero"):
        derived(Demand(form="users", users=1e300, requests_per_user=1e300))
