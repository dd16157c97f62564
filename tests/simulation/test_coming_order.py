"""Requests in the order in which they came: what is told of each goes with it, and parts are one request."""

from __future__ import annotations

import numpy as np

from fleettui.simulation.coming_order import in_order_of_coming
from fleettui.simulation.layout import prepare
from tests.simulation.samples import engine, requests
from tests.simulation.test_sessions import in_sessions


def test_what_is_told_of_a_request_and_of_its_stay_goes_with_it() -> None:
    """Of five, the last two of sessions, these came second and last, and the third did not."""
    draws = in_sessions(requests(*[(20, 2 + place) for place in range(5)]), [0, 1, 2, 0, 1])
    state = prepare([engine(queue=3, blocks=40)], draws)
    assert state.sessions is not None
    assert state.bounds is not None
    state.sessions.came[:] = [0, 2, -1, 1, 3]
    state.bounds.stays["asked"], state.requests["first"] = np.arange(5.0), np.arange(5.0) + 0.5
    joined, order, outgrown = in_order_of_coming(state)
    assert joined.bounds is not None
    assert order.tolist() == [0, 3, 1, 4, 2]
    assert not outgrown.any()
    assert joined.bounds.stays["asked"].tolist() == [0.0, 3.0, 1.0, 4.0, 2.0]
    assert (joined.requests["first"] - joined.bounds.stays["asked"]).tolist() == [0.5] * 5
    assert joined.requests["output"].tolist() == [2, 5, 3, 6, 4]


def test_a_request_in_parts_ends_with_its_last_and_has_the_tokens_of_all() -> None:
    """Three requests, of which the first and the last went on in a part each."""
    draws = in_sessions(requests(*[(20, 2 + place) for place in range(5)]), [0, 1, 2, 0, 2])
    state = prepare([engine(blocks=40)], draws)
    assert state.sessions is not None
    state.sessions.counts[2] = 1
    state.sessions.came[:] = [1, 2, 0, -3, -5]
    state.requests["finish"] = np.arange(5.0)
    joined, order, outgrown = in_order_of_coming(state)
    assert order.tolist() == [2, 0, 1]
    assert outgrown.tolist() == [True, True, False]
    assert joined.requests["output"].tolist() == [4 + 6, 2 + 5, 3]
    assert joined.requests["finish"].tolist() == [4.0, 3.0, 1.0]
    assert state.requests["output"].tolist() == [2, 3, 4, 5, 6], "what ran is as it was"
