"""The router `least-tokens`: prompts count by their tokens, and outputs, which nobody knows, not at all."""

from tests.simulation.samples import engine, finished, requests


def test_a_long_prompt_keeps_others_away_and_a_long_output_does_not() -> None:
    engines = [engine(replicas=2, places=1, router="least-tokens")]
    lengths = [(50, 300), (500, 3), (10, 3), (10, 3)]
    served = finished(engines, requests(*lengths, arrivals=[0.0, 0.001, 0.002, 0.003])).requests
    assert served["admitted"][2] == served["finish"][0]
    assert served["admitted"][3] == served["finish"][2]
