"""The pace of two classes' waits: first come, first served lies between, and their means are no less than Cobham's."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.queueing.classes import Classes
from fleettui.queueing.waiting import WaitTail
from tests.queueing.loads import random_load

LOADS = np.linspace(0.05, 0.99, 40)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.7, 0.99])
def test_the_mean_of_batch_is_no_less_than_cobhams_and_that_of_the_others_is_it(share: float) -> None:
    """Means of those that wait over that of first come, first served: (1 - r)/(1 - r1), and 1/(1 - r1)."""
    first = (1.0 - share) * LOADS
    assert 1.0 / Classes(share).pace(LOADS) == pytest.approx((1.0 - LOADS) / (1.0 - first))
    assert (1.0 / Classes(share, batch=True).pace(LOADS) >= 1.0 / (1.0 - first)).all()


def test_a_class_of_nearly_all_waits_as_without_classes() -> None:
    assert Classes(1e-9).pace(LOADS) == pytest.approx(np.ones(40), rel=1e-6)
    assert Classes(1.0 - 1e-9, batch=True).pace(LOADS) == pytest.approx(np.ones(40), rel=1e-6)


def test_the_pace_has_no_step_where_its_formula_changes() -> None:
    share = 0.3
    edge = 1.0 - share  # where the square of the load is that of the first class
    low, high = Classes(share, batch=True).pace([edge * (1 - 1e-9), edge * (1 + 1e-9)])
    assert low == pytest.approx(high)


def test_an_overloaded_queue_has_no_pace_of_its_own() -> None:
    assert Classes(0.3).pace([1.0, 1.5]).tolist() == [1.0, 1.0]


def test_a_load_tells_the_waits_of_either_class() -> None:
    plain = random_load(3, busy=0.9)
    load = replace(plain, classes=Classes(0.4))
    batch = load.of_class(batch=True)
    assert plain.of_class(batch=True) is plain
    assert load.of_class(batch=False) is load
    for first, all_, last in (
        (load.place, plain.place, batch.place),
        (load.prefill, plain.prefill, batch.prefill),
    ):
        assert (first.probability == all_.probability).all()
        waiting = all_.probability > 0.01
        for one, slower in ((first, all_), (all_, last)):
            assert (one.percentile(0.01) < slower.percentile(0.01))[waiting].all()


def test_a_tail_that_falls_faster_waits_as_often_and_shorter() -> None:
    tail = WaitTail.of(4, 0.9, 1.0, 1.0)
    twice = tail.faster(np.array(2.0))
    assert twice.probability == tail.probability
    assert float(twice.percentile(0.01)) == pytest.approx(float(tail.percentile(0.01)) / 2.0)
