"""The pace of two classes' waits: first come, first served lies between, and their means are no less than Cobham's."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.queueing import latency, tails
from fleettui.queueing.classes import ByClass, Classes
from fleettui.queueing.waiting import WaitTail
from tests.queueing.loads import load_of, random_load

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


@pytest.mark.parametrize("longer", [0.5, 0.8, 1.3, 2.0])
def test_the_tail_of_batch_falls_as_that_of_a_busy_period_of_interactive_requests(longer: float) -> None:
    """Exponential service: what is found falls at h = u(1 - r), u all requests' rate of service, v the interactive
    ones'. A wait is long where much was found, or where interactive ones come on: h(1 - l/(v - h)), l their rate,
    up to where they come on by themselves, (sqrt(v) - sqrt(l))^2.
    """
    share, rho = 0.6, np.linspace(0.05, 0.95, 19)
    v = 1.0 / longer
    arrivals = (1.0 - share) * rho
    found = np.minimum(1.0 - rho, v - np.sqrt(v * arrivals))
    falls = found * (1.0 - arrivals / (v - found))
    assert Classes(share, batch=True).pace(rho, longer) * (1.0 - rho) == pytest.approx(falls)
    assert Classes(share).pace(rho, longer) * (1.0 - rho) == pytest.approx(1.0 - arrivals * longer)


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


def test_where_the_class_decides_a_load_serves_others_than_its_own_lengths_have() -> None:
    """Row 0 is everything. To the rows above a split class batch of all lengths comes, here as much as of their own."""
    plain = random_load(3, busy=0.9)
    served = plain.ranges.moments.pick(np.zeros(len(plain.rows), np.int64))
    shares = np.full(len(plain.rows), 0.5)
    load = replace(plain, classes=Classes(shares), by_class=ByClass(served, np.zeros(len(plain.rows), np.int64)))
    batch = load.of_class(batch=True)
    assert (load.told == plain.rows).all()
    assert (batch.told == 0).all()
    assert load.moments is batch.moments is served
    assert tails.share_above(batch, latency.floor_delay(batch), np.full(len(plain.rows), 0.05)) == pytest.approx(
        tails.share_above(plain, latency.floor_delay(plain), np.full(len(plain.rows), 0.05))[0]
    )
    last = load.pick(np.array([len(plain.rows) - 1]))
    assert last.batch_share.tolist() == [0.5]
    assert last.moments.steps.tolist() == served.steps[-1:].tolist()
    assert last.of_class(batch=True).told.tolist() == [0]
    assert last.has(batch=True).all()
    assert not replace(last, classes=Classes(np.zeros(1))).has(batch=True).any()
    assert not replace(last, classes=Classes(np.ones(1))).has(batch=False).any()
    longer = float((plain.ranges.moments.uncached[plain.rows[-1]] / served.uncached[-1]).item())
    pace = Classes(0.5).pace(load.occupancy.prefill_share[-1], longer)
    assert float(load.prefill.rate[-1]) == pytest.approx(
        float(replace(plain, by_class=load.by_class).prefill.rate[-1] * pace)
    )


def test_a_tail_that_falls_faster_waits_as_often_and_shorter() -> None:
    tail = WaitTail.of(4, 0.9, 1.0, 1.0)
    twice = tail.faster(np.array(2.0))
    assert twice.probability == tail.probability
    assert float(twice.percentile(0.01)) == pytest.approx(float(tail.percentile(0.01)) / 2.0)


@pytest.mark.parametrize("batch", [False, True])
def test_each_queue_is_asked_for_the_work_that_a_class_brings_to_it(batch: bool) -> None:
    """A third of the requests is interactive and asks for less: 40 tokens of prompts for 100 of all, and of places
    w·steps + n·(h·context + p·tokens) seconds, at a full batch of n. Waits are in doubt beside.
    """
    w, h, p, n = 0.01, 1e-5, 1e-4, 8.0
    load = load_of(
        (1.0, 40.0, 5.0), (2.0, 130.0, 50.0), rate=8.0, base=w, per_context=h, per_prompt=p,
        concurrency=n, token_budget=512.0, chunk=512, splits=((0, 100), (0, 10_000)),
    )  # fmt: skip
    own, served = (load.ranges.moments.pick(np.array([row])) for row in (0, 1))
    work = [float((w * one.steps + n * (h * one.context + p * one.uncached))[0]) for one in (own, served)]
    assert float(own.uncached[0] / served.uncached[0]) == pytest.approx(0.4)
    plain = load.pick(np.array([0]))
    plain = replace(plain, arrival_rate=np.array([8.0]), by_class=ByClass(served, np.array([1])))
    busy = float(plain.occupancy.utilization[0])
    assert 0.6 < busy < 0.95
    classes = Classes(2.0 / 3.0, batch)
    found = replace(plain, classes=classes, service=replace(plain.service, waits=2.5))
    for name, utilization, longer in (
        ("place", busy, work[0] / work[1]),
        ("prefill", float(plain.occupancy.queued_share[0]), 0.4),
    ):
        one, same = getattr(found, name), getattr(plain, name)
        assert float(one.probability[0]) == float(same.probability[0])
        assert float(one.rate[0]) == pytest.approx(float(same.rate[0]) / 2.5 * classes.pace(utilization, longer))
