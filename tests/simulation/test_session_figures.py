"""What rounds found, counted by their number."""

import numpy as np

from fleettui.domain.sessions import MOST_ROUNDS, RoundSeen
from fleettui.simulation.records import REQUEST
from fleettui.simulation.session_figures import added, by_round


def test_rounds_are_counted_by_their_number_and_late_ones_together() -> None:
    requests = np.zeros(5, REQUEST)
    requests["prompt"] = (100, 200, 300, 400, 500)
    requests["cached"] = (0, 50, 350, 100, 100)
    requests["first"] = (1.0, 2.0, 3.0, 4.0, np.nan)
    found = by_round(requests, np.array([0, 1, 1, MOST_ROUNDS + 3, 1]))
    assert found == (
        RoundSeen(number=1, requests=1, prompt=100, found=0),
        RoundSeen(number=2, requests=2, prompt=500, found=350),
        RoundSeen(number=MOST_ROUNDS, requests=1, prompt=400, found=100),
    )
    assert added([found, found[:1]])[0] == RoundSeen(number=1, requests=2, prompt=200, found=0)
