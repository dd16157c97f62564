"""A run beside the engine: what is off, the worst requests, the batch over time; and played again it is itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.fleet import Fleet
from fleettui.simulation.against import SERVED, SPANS, batches, compared, played, worst
from tests.simulation.samples import pool


def run_of(*rows: tuple[float, float, float, int, int]) -> np.ndarray:
    return np.array(list(rows), SERVED)


RUN = run_of((0.0, 1.0, 3.0, 100, 5), (1.0, 2.0, 2.0, 100, 1), (2.0, 4.0, 6.0, 100, 3))
ENGINE = run_of((0.0, 1.5, 3.0, 100, 5), (1.0, 2.0, 2.0, 100, 1), (2.0, 3.0, 6.0, 100, 3))


def test_each_latency_is_compared_request_by_request() -> None:
    ttft, tpot, e2e = compared(RUN, ENGINE)
    assert (ttft.metric, ttft.requests) == ("ttft", 3)
    assert ttft.run == pytest.approx((4 / 3, 1.0, 2.0, 2.0))
    assert ttft.off == pytest.approx((0.5, 0.5, 0.5))
    assert ttft.bias == pytest.approx(3.5 / 4 - 1)
    assert tpot.requests == 2
    assert tpot.run[0] == pytest.approx(0.75)
    assert tpot.engine[0] == pytest.approx((0.375 + 1.5) / 2)
    assert e2e.run == pytest.approx((8 / 3, 3.0, 4.0, 4.0))
    assert e2e.off == (0.0, 0.0, 0.0)


def test_the_worst_are_told_with_their_rows() -> None:
    found = worst(RUN, ENGINE, np.array([7, 8, 9]))
    first = next(one for one in found if one.metric == "ttft")
    assert (first.row, first.run, first.engine) == (10, 2.0, 1.0)
    assert all(one.metric != "tpot" or one.output > 1 for one in found)


def test_the_batch_over_time_adds_up_to_the_time_that_requests_took() -> None:
    found = batches(RUN, ENGINE)
    assert [one.start for one in found] == pytest.approx([6.0 / SPANS * place for place in range(SPANS)])
    span = 6.0 / SPANS
    assert sum(one.run_waiting for one in found) * span == pytest.approx(4.0)
    assert sum(one.run_decoding for one in found) * span == pytest.approx(4.0)
    assert sum(one.decoding for one in found) * span == pytest.approx(4.5)


def test_nobody_waits_in_a_span_that_no_request_waits_in() -> None:
    """Found by trying: the last span of a run had 0.000000000002784 requests that waited."""
    rng = np.random.default_rng(2)
    run = np.zeros(400, SERVED)
    run["arrival"] = np.cumsum(rng.exponential(0.25, 400))
    run["first"] = run["arrival"] + rng.uniform(0.05, 0.3, 400)
    run["finish"] = run["first"] + 20.0
    assert batches(run, run)[-1].waiting == 0.0


@pytest.mark.parametrize("clients", [0, 3])
def test_what_the_engine_served_is_played_again_as_it_was(clients: int) -> None:
    fleet = Fleet(pools=(pool("only", replicas=1),))
    rng = np.random.default_rng(1)
    asked = np.zeros(40, SERVED)
    asked["arrival"] = 0.0 if clients else np.cumsum(rng.exponential(0.1, 40))
    asked["prompt"], asked["output"] = rng.integers(10, 900, 40), rng.integers(1, 60, 40)
    first, preempted = played(fleet, [None], asked, clients)
    again, _ = played(fleet, [None], first if not clients else asked, clients)
    assert preempted == 0
    assert np.array_equal(first, again)
    assert (first["first"] > first["arrival"]).all()
    assert all(one.off == (0.0, 0.0, 0.0) for one in compared(first, again))


def test_a_front_end_is_before_the_first_and_the_last_token_and_not_before_the_arrival() -> None:
    """Two pools with front ends of 0.5 and 2 s: each request is so much later, by its length."""
    asked = np.zeros(6, SERVED)
    asked["arrival"], asked["prompt"], asked["output"] = np.arange(6.0), [100, 3000] * 3, 9
    short, long = pool("short", up_to=1000), pool("long", above=1000)
    plain, _ = played(Fleet(pools=(short, long)), [None, None], asked, 0)
    behind = tuple(
        replace(one, profile=replace(one.profile, front_end=seconds)) for one, seconds in ((short, 0.5), (long, 2.0))
    )
    found, _ = played(Fleet(pools=behind), [None, None], asked, 0)
    assert found["arrival"].tolist() == plain["arrival"].tolist() == asked["arrival"].tolist()
    for name in ("first", "finish"):
        assert found[name] - plain[name] == pytest.approx([0.5, 2.0] * 3)
