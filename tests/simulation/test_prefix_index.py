"""What a router remembers of what it sent: it keeps prompts with their replica, and forgets the oldest."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.routing import ROUTERS, prefix_aware
from fleettui.simulation.prefix_index import IndexTwin
from fleettui.simulation.prefixes import Prefixes
from tests.simulation.samples import engine, finished, requests
from tests.simulation.test_prefix_cache import shared


def test_a_prompt_goes_to_where_its_beginning_was_sent() -> None:
    work = requests(*[(64, 2)] * 6, arrivals=[float(count) for count in range(6)])
    work = shared(replace(work, tie=np.array([0.0, 0.9, 0.9, 0.0, 0.9, 0.0])), *[[0, 1], [2, 3]] * 3)
    by_prefix = finished([engine(replicas=2, router="prefix-aware")], work)
    assert by_prefix.requests["cached"].tolist() == [0, 0, 32, 32, 32, 32]
    assert finished([engine(replicas=2, router="random")], work).requests["cached"].tolist() == [0, 0, 0, 0, 32, 32]


def test_a_long_queue_outweighs_an_overlap() -> None:
    """Five wait where the prompt was: two of a score of three for the queue, and the memory of their prompts."""
    work = shared(
        requests(*[(640, 300)] * 7, arrivals=[0.0, *[0.001] * 6]), *[list(range(20))] * 3, *[list(range(13))] * 4
    )
    state = finished([engine(replicas=2, places=1, blocks=200, router="prefix-aware")], work)
    started = np.sort(state.requests["admitted"])
    assert started[1] < 0.01, "the second replica had nothing to do"


@pytest.mark.parametrize(("size", "others", "cached"), [(16, 4, 399_984), (16, 5, 0), (64, 4, 399_936), (64, 5, 0)])
def test_a_prompt_goes_anywhere_once_two_million_tokens_were_sent_after_it(size: int, others: int, cached: int) -> None:
    """Prompts of 400,000 tokens: the first comes again after so many others, to replicas that forget nothing."""
    count = 400_000 // size
    tie = np.zeros(others + 2)
    tie[-1] = 0.9
    work = requests(*[(400_000, 2)] * (others + 2), arrivals=[10_000.0 * at for at in range(others + 2)])
    hashes = [list(range(own * count, (own + 1) * count)) for own in [*range(others + 1), 0]]
    own = engine(replicas=2, blocks=200_000, budget=500_000, router="prefix-aware")
    found = finished([own], shared(replace(work, tie=tie), *hashes, size=size)).requests
    assert found["cached"].tolist() == [0] * (others + 1) + [cached]


@pytest.mark.parametrize("most", [2, 3])
def test_what_was_sent_longest_ago_is_forgotten_and_of_a_prompt_its_end(most: int) -> None:
    prefixes = Prefixes(
        size=16,
        offsets=np.array([0, 0, 1], np.int64),
        known=np.array([3, 1, 1], np.int32),
        runs=np.array([0, 1], np.int32),
        lengths=np.array([3, 1], np.int32),
    )
    index = IndexTwin.of(prefixes, most * 16)
    index.remember(0, 50)
    assert index.sent(0, 50) == most * 16
    index.remember(2, 16)
    assert index.sent(0, 50) == (most - 1) * 16
    index.remember(1, 16)
    assert list(index.blocks)[-1] == 0


def test_the_weights_are_those_of_a_public_gateway() -> None:
    assert (prefix_aware.OVERLAP, prefix_aware.QUEUE, prefix_aware.MEMORY) == (3.0, 2.0, 2.0)
    assert [one.name for one in ROUTERS if one.remembers] == ["prefix-aware"]
