"""What every scheduler must do: the kernel admits as its twin does, and a leap ends where an arrival would be next."""

from dataclasses import replace

import pytest

from fleettui.scheduling import SCHEDULERS
from tests.repeated import few
from tests.simulation.twins import fleet, played_alike

IN_TURNS = [one.name for one in SCHEDULERS if one.turns is not None]


@pytest.mark.parametrize("name", [name for name in SCHEDULERS.names if name not in IN_TURNS])
@pytest.mark.parametrize("seed", few(range(20), 1))
def test_the_kernel_is_its_twin(name: str, seed: int) -> None:
    engines, draws = fleet(seed)
    played_alike([replace(one, scheduler=name) for one in engines], draws)


@pytest.mark.parametrize("name", IN_TURNS)
@pytest.mark.parametrize("seed", few(range(20), 0, more=1))
def test_so_it_is_where_prompts_take_turns(name: str, seed: int) -> None:
    """An engine of its own; beside caches, which one more has, tests/simulation/test_turns.py plays every rule."""
    test_the_kernel_is_its_twin(name, seed)
