"""Steps of attention and feed-forward layers on GPUs of their own: the closed form is the recurrence."""

import numpy as np
import pytest

from fleettui.errors import InputError
from fleettui.hardware.afd_pipeline import by_recurrence, step_seconds

SHAPES = 1000


def test_the_closed_form_is_the_recurrence_on_a_thousand_random_shapes() -> None:
    rng = np.random.default_rng(21)
    for _ in range(SHAPES):
        layers, micro_batches = int(rng.integers(1, 80)), int(rng.integers(1, 9))
        a, f, c = (10.0 ** rng.uniform(-5, -2, 3) * rng.integers(0, 2, 3)).tolist()
        shape = (layers, micro_batches)
        events = by_recurrence(np.full(shape, a), np.full(shape, f), np.full(shape, c))
        assert float(step_seconds(layers, micro_batches, a, f, c)) == pytest.approx(events, rel=1e-12, abs=1e-15)


def test_one_micro_batch_waits_for_everything_in_turn() -> None:
    assert float(step_seconds(61, 1, 3e-5, 5e-5, 2e-5)) == pytest.approx(61 * (3e-5 + 5e-5 + 4e-5))


def test_many_micro_batches_take_as_long_as_the_busier_role_works() -> None:
    seconds = float(step_seconds(60, 4, 1e-4, 2e-4, 1e-6))
    assert seconds == pytest.approx(60 * 4 * 2e-4, rel=0.01)


def test_it_broadcasts_and_never_falls_as_a_time_rises() -> None:
    rising = np.linspace(0.0, 3.0, 40)
    for place in range(3):
        times = [np.ones(40), np.ones(40), np.ones(40)]
        times[place] = rising
        found = step_seconds(5, 3, *times)
        assert found.shape == (40,)
        assert (np.diff(found) >= 0.0).all()


def test_uneven_layers_lie_between_those_of_the_shortest_and_the_longest() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        uneven = rng.uniform(0.5, 1.5, (20, 3))
        moved = np.full(uneven.shape, 0.1)
        slow = by_recurrence(np.ones(uneven.shape), uneven, moved)
        assert slow >= by_recurrence(np.ones(uneven.shape), np.full(uneven.shape, uneven.min()), moved)
        assert slow <= by_recurrence(np.ones(uneven.shape), np.full(uneven.shape, uneven.max()), moved)


def test_what_is_no_step_is_refused() -> None:
    with pytest.raises(InputError, match="no micro-batch"):
        step_seconds(3, 0, 1.0, 1.0, 0.0)
    with pytest.raises(InputError, match="no layer"):
        step_seconds(0, 1, 1.0, 1.0, 0.0)
    with pytest.raises(InputError, match="transfer are below zero"):
        step_seconds(3, 1, 1.0, 1.0, -0.1)
    with pytest.raises(InputError, match="unlike shapes"):
        by_recurrence(np.ones((2, 3)), np.ones((3, 2)), np.ones((2, 3)))
