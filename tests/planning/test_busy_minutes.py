"""A fleet that was given is told the minutes that its traffic has, as a plan is."""

from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.stock import Stock
from fleettui.domain.workload import ArrivalStatistics, BusyMinute, Workload
from fleettui.planning.busy_minutes import below, busy_rate, of_given, simulated_by
from tests.reports.conftest import too_slow
from tests.store import samples

ASKED = Question(slo=Slo(ttft=0.5))
BURSTY = replace(samples.workload(), arrivals=ArrivalStatistics(dispersion=((60.0, 16.4),), mean_rate=5.0))
HOLDS = Stock(replicas=(1,), gpus=(8,), cost=20.0, simulated=True, rate=2.5, rate_simulated=True)
GIVEN = Answer(
    verdict="pass",
    demand=DerivedDemand(rate=2.0, arithmetic=""),
    answer=replace(too_slow(), shortfalls=()),
    stock=HOLDS,
)


def test_a_given_fleet_is_told_the_minutes_that_it_does_not_hold() -> None:
    told = of_given(GIVEN, ASKED, BURSTY)
    assert of_given(replace(GIVEN, verdict="fail"), ASKED, BURSTY) == told, "what is short is at the mean rate"
    assert told == ("bursts: 99% of minutes are below 3.09/s, the fleet holds to at least 2.5/s: --rate 3.09/s",)
    by_formula = replace(GIVEN, stock=replace(HOLDS, rate_simulated=False))
    assert "holds to 2.5/s by formula:" in of_given(by_formula, ASKED, BURSTY)[0]
    unknown = replace(GIVEN, stock=None)
    assert of_given(unknown, ASKED, BURSTY) == (
        "bursts: 99% of minutes are below 3.09/s: --rate 3.09/s judges it there",
    )


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        (replace(GIVEN, stock=replace(HOLDS, rate=3.09)), ASKED),
        (GIVEN, replace(ASKED, arrivals="bursty")),
        (GIVEN, replace(ASKED, demand=Demand(form="concurrency", concurrency=9))),
        (GIVEN, Question(slo=Slo())),
    ],
    ids=["holds them", "has them", "no rate of its own", "no limit"],
)
def test_bursts_that_change_nothing_are_not_told(given: Answer, asked: Question) -> None:
    assert of_given(given, asked, BURSTY) == ()


def test_arrivals_as_even_as_poissons_have_no_busy_minutes() -> None:
    even: Workload = replace(BURSTY, arrivals=ArrivalStatistics(dispersion=((60.0, 2.0),), mean_rate=5.0))
    assert (busy_rate(ASKED, even, 2.0), busy_rate(ASKED, BURSTY, 2.0)) == (None, 3.09)


COUNTED = replace(
    BURSTY,
    arrivals=ArrivalStatistics(
        dispersion=((10.0, 3.0), (60.0, 9.7)), mean_rate=3.0, duration=1020.0, busy=BusyMinute(minutes=17, times=1.29)
    ),
)


def test_the_minutes_of_a_trace_are_told_as_they_were_counted() -> None:
    """Found: "99% of minutes are below 18.4/s" of 17 minutes, the busiest of which had 1.29 times the mean, 15.5/s."""
    most = busy_rate(ASKED, COUNTED, 12.0)
    waves, chance = (9.7 - 1.0) / 180.0, (1.0 / 180.0, 1.0 / 720.0)
    shrunk = ((waves + chance[1]) / (waves + chance[0])) ** 0.5
    assert most == pytest.approx(12.0 * (1.0 + 0.29 * shrunk), abs=0.05)
    assert busy_rate(ASKED, COUNTED, 3.0) == 3.87, "at its own rate it is what was counted"
    assert below(15.3, COUNTED) == "bursts: busiest of 17 minutes at 15.3/s"
    seen = replace(COUNTED.arrivals, busy=BusyMinute(minutes=100, times=1.29))
    assert below(15.3, replace(COUNTED, arrivals=seen)) == "bursts: 99% of minutes are below 15.3/s"


def test_what_has_the_bursts_in_it_is_named_and_warns_no_more() -> None:
    """Found: who followed the warning to its rate was warned again, of a higher one, without end."""
    assert simulated_by(ASKED, COUNTED, 12.0).startswith("Poisson's; --arrivals bursty plans with the bursts in it")
    assert simulated_by(ASKED, BURSTY, 12.0) == "", "of one window nothing is fitted"
    bursty = replace(ASKED, arrivals="bursty")
    assert busy_rate(bursty, COUNTED, 12.0) is None
    assert simulated_by(bursty, COUNTED, 12.0) == ""
