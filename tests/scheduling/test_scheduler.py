"""What every scheduler must do: the kernel admits as its twin does, and a leap ends where an arrival would be next."""

from dataclasses import replace

import pytest

from fleettui.scheduling import SCHEDULERS
from tests.repeated import few
from tests.simulation.twins import fleet, played_alike


@pytest.mark.parametrize("name", SCHEDULERS.names)
@pytest.mark.parametrize("seed", few(range(20), 1))
def test_the_kernel_is_its_twin(name: str, seed: int) -> None:
    engines, draws = fleet(seed)
    played_alike([replace(one, scheduler=name) for one in engines], draws)
