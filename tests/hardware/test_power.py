"""Power against batch, and the largest batch under a cap."""

import numpy as np
import pytest

from fleettui.hardware import catalog
from fleettui.hardware.power import largest_batch, power

H100 = catalog.gpu("h100").power


def test_the_published_points_of_h100() -> None:
    assert power(H100, [1, 128]) == pytest.approx([304.4, 582.8], abs=0.05)


@pytest.mark.parametrize(("share", "batch"), [(0.1, 48), (0.2, 24), (0.3, 13), (0.4, 7), (0.5, None)])
def test_the_caps_of_h100(share: float, batch: int | None) -> None:
    assert largest_batch(H100, 600 * (1 - share)) == batch


@pytest.mark.parametrize("name", catalog.gpu_names())
def test_the_inverse_is_the_largest_batch_below_its_target(name: str) -> None:
    curve = catalog.gpu(name).power
    for watts in np.linspace(float(power(curve, 1)), curve.nominal, 40)[:-1]:
        batch = largest_batch(curve, float(watts), most=4096)
        assert batch is not None
        assert power(curve, batch) <= watts
        assert batch == 4096 or power(curve, batch + 1) > watts


def test_an_idle_gpu_draws_idle_power_and_arrays_keep_their_shape() -> None:
    assert float(power(H100, 0)) == H100.idle
    assert power(H100, np.ones((2, 3))).shape == (2, 3)
    assert np.all(np.diff(power(H100, np.arange(1, 500))) > 0)


def test_a_negative_batch_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="below zero"):
        power(H100, -1)


def test_a_generous_target_is_bounded_by_most() -> None:
    assert largest_batch(H100, 700, most=256) == 256
    assert largest_batch(H100, 600, most=256) == 256
