import random

import pytest

from fleettui.queueing import availability


def test_the_published_availabilities() -> None:
    assert availability.availability(0.0065, 4 * 3600.0) == pytest.approx(0.9989, abs=1e-4)
    assert availability.availability(0.0065, 48 * 3600.0) == pytest.approx(0.9871, abs=1e-4)


@pytest.mark.parametrize("needed", [1, 2, 7, 40, 300])
@pytest.mark.parametrize("up", [0.9, 0.987, 0.9989])
@pytest.mark.parametrize("target", [0.5, 0.99, 0.9999])
def test_spares_reach_the_target_and_one_less_does_not(needed: int, up: float, target: float) -> None:
    found = availability.spares(needed, up, target)
    assert availability.all_up(needed, needed + found, up) >= target
    assert found == 0 or availability.all_up(needed, needed + found - 1, up) < target


def test_all_up_is_what_coins_show() -> None:
    rng = random.Random(1)
    held, needed, up = 12, 10, 0.9
    seen = sum(sum(rng.random() < up for _ in range(held)) >= needed for _ in range(20_000)) / 20_000
    assert availability.all_up(needed, held, up) == pytest.approx(seen, abs=0.01)


def test_the_papers_count_is_held_for_less_of_the_time() -> None:
    up = availability.replica_availability(0.9871, 1)
    counts = [(needed, availability.mean_count(needed, up)) for needed in (24, 100, 284)]
    assert all(0.5 < availability.all_up(needed, held, up) < 0.97 for needed, held in counts)
