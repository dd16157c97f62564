"""The router `random`: each replica is an M/G/1 queue of its own."""

import pytest

from tests.routing.test_router import COUNT, queues


def test_its_waits_are_those_of_a_queue_of_ones_own() -> None:
    waits, apart = queues("random")
    assert waits[COUNT // 20 :].mean() == pytest.approx(apart, rel=0.05)
