"""The router `kv-use`: a request goes where the fewest blocks of the cache are in use, however many wait there."""

from tests.simulation.samples import engine, finished, requests


def test_a_long_prompt_keeps_others_away_and_many_short_ones_do_not() -> None:
    engines = [engine(replicas=2, places=3, blocks=200, router="kv-use")]
    lengths = [(800, 300), (10, 100), (10, 100), (10, 100), (10, 3)]
    served = finished(engines, requests(*lengths, arrivals=[0.0, 1.0, 1.01, 1.02, 1.03])).requests
    assert served["admitted"][4] == served["finish"][1:4].min() < served["finish"][0]
