"""The worst minutes of requests that come again."""

import numpy as np

from fleettui.domain.slo import Slo
from fleettui.domain.storm import Storm
from fleettui.simulation.records import REQUEST
from fleettui.simulation.storm import Stays, storm_of

SLO = Slo(ttft=1.0)


def stays(arrivals: list[float], ttfts: list[float], attempts: list[int]) -> Stays:
    requests = np.zeros(len(arrivals), REQUEST)
    requests["arrival"] = requests["admitted"] = arrivals
    requests["first"] = requests["finish"] = np.add(arrivals, ttfts)
    requests["admitted"][np.isnan(ttfts)] = np.nan
    requests["output"] = 1
    return Stays(requests=requests, attempts=np.array(attempts, np.int32))


def test_the_worst_span_is_that_in_which_fewest_keep_their_limits_and_its_attempts_are_told() -> None:
    late, gone = 5.0, np.nan
    arrivals = [100.0, 200.0, 401.0, 500.0, 550.0, 690.0, 710.0]
    again = stays(arrivals, [0.1, 0.1, late, gone, 0.1, gone, 0.1], [1, 1, 2, 4, 1, 5, 1])
    calm = stays(arrivals, [0.1, 0.1, gone, 0.1, 0.1, 0.1, 0.1], [1] * 7)
    found = storm_of(again, calm, SLO, 0.0)
    assert found == Storm(seconds=300.0, met=0.4, attempts=2.6, without=0.8)


def test_a_run_shorter_than_a_span_is_one() -> None:
    own = stays([10.0, 40.0], [0.1, 3.0], [1, 2])
    assert storm_of(own, own, SLO, 0.0) == Storm(seconds=30.0, met=0.5, attempts=1.5, without=0.5)


def test_nobody_has_no_worst_minutes() -> None:
    assert storm_of(stays([], [], []), stays([], [], []), SLO, 0.0) is None
