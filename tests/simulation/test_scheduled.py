"""What schedulers are compared by: a session's mean TTFT over its measured rounds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fleettui.simulation.scheduled import session_means


def test_a_session_has_the_mean_of_its_measured_rounds_that_were_served() -> None:
    """Sessions of the requests 0, 3, 4 and 1, 5 and 2, which came in this order: 0, 1, 3, 2, 4, 5; the first is not
    measured.
    """
    sessions = SimpleNamespace(then=np.array([3, 5, -1, 4, -1, -1]), came=np.array([0, 1, 3, 2, 4, 5]))
    played: Any = SimpleNamespace(state=SimpleNamespace(sessions=sessions), first=1, last=6)
    found = session_means(played, np.array([1.0, 2.0, np.nan, 4.0, 5.0]))
    assert found == pytest.approx([3.0, 3.0])
