"""Power against batch, and the largest batch under a cap; power by what a GPU does."""

import numpy as np
import pytest

from fleettui.hardware import catalog
from fleettui.hardware.power import largest_batch, power, working_power
from fleettui.hardware.power_laws import power_law

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


def test_a_working_gpu_draws_between_idle_and_its_limit() -> None:
    for gpu in catalog.gpus():
        law = power_law(gpu)
        arithmetic, bandwidth, waiting = np.meshgrid([0.0, 0.1, 0.6], [0.0, 0.3, 0.8], [0.0, 0.5, 1.0])
        for ways in (1, 8):
            watts = working_power(law, arithmetic=arithmetic, bandwidth=bandwidth, waiting=waiting, ways=ways)
            assert np.all((law.idle <= watts) & (watts <= law.limit))
            assert np.all(np.diff(watts, axis=1) >= 0)


def test_prefill_draws_the_limit_and_the_host_takes_from_what_work_draws() -> None:
    law = power_law(catalog.gpu("h100"))
    assert float(working_power(law, arithmetic=0.6, bandwidth=0.05, waiting=0.0, ways=1)) == law.limit
    busy, waits = (
        float(working_power(law, arithmetic=0.05 * (1 - host), bandwidth=0.3 * (1 - host), waiting=host, ways=1))
        for host in (0.0, 0.5)
    )
    base = law.idle + law.floor * law.limit
    assert waits - base == pytest.approx((busy - base) * 0.5)
