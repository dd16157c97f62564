"""The router `round-robin`: each replica in turn, in every pool from its own first on."""

from tests.routing.test_router import COUNT, queues
from tests.simulation.samples import engine, finished, requests


def test_replicas_take_turns_in_each_pool() -> None:
    """Two long requests of a pool keep one replica busy, because every other one goes there."""
    lengths, pool = [(10, 300), (10, 3), (10, 300), (10, 3)], [0, 0, 0, 0]
    engines = [engine(replicas=2, places=1, router="round-robin")]
    served = finished(engines, requests(*lengths, arrivals=[0.0, 0.01, 0.02, 0.03], pool=pool)).requests
    assert served["admitted"][2] == served["finish"][0]
    assert served["admitted"][3] == served["finish"][1]


def test_it_makes_requests_wait_for_less_than_chance_does() -> None:
    waits, apart = queues("round-robin")
    assert 0.3 * apart < waits[COUNT // 20 :].mean() < 0.9 * apart
