"""What every scheduler must do: the kernel admits as its twin does, and a leap ends where an arrival would be next."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.scheduling import SCHEDULERS
from fleettui.simulation.twin import play
from tests.simulation.samples import finished
from tests.simulation.test_kernel import TIMES, column, fleet


@pytest.mark.parametrize("name", SCHEDULERS.names)
@pytest.mark.parametrize("seed", range(20))
def test_the_kernel_is_its_twin(name: str, seed: int) -> None:
    engines, draws = fleet(seed)
    engines = [replace(one, scheduler=name) for one in engines]
    plain, leaped = (finished(engines, draws, leaping=leaping) for leaping in (False, True))
    twin = play(engines, draws)
    for time in TIMES:
        assert np.array_equal(plain.requests[time], column(twin, time)), time
        assert np.abs(leaped.requests[time] - plain.requests[time]).max() < 1e-9, time
    assert leaped.pools["preempted"].sum() == column(twin, "preempted").sum()
