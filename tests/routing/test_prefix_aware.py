"""The router `prefix-aware`: overlap against queue and memory, of equals any."""

import pytest

from fleettui.routing.prefix_aware import choose
from tests.routing.views import part_of_view


def chosen(*replicas: tuple[int, int, int, int], tie: float = 0.0) -> int:
    """Return which of replicas (load, running, prompt tokens, tokens sent) a prompt of 1,000 tokens goes to."""
    seen = [
        part_of_view(load=load, running=running, tokens=tokens, sent=sent) for load, running, tokens, sent in replicas
    ]
    pool = part_of_view(start=0, replicas=len(seen), blocks=1000, block=16)
    return choose(part_of_view(seen=seen), pool, part_of_view(prompt=1000, tie=tie))


@pytest.mark.parametrize(
    ("replicas", "expected"),
    [
        ([(1, 1, 0, 0), (1, 1, 0, 500)], 1),  # the overlap alone differs
        ([(5, 1, 0, 600), (1, 1, 0, 0)], 1),  # 3 x .6 is less than what the longest queue costs
        ([(5, 1, 0, 700), (1, 1, 0, 0)], 0),  # 3 x .7 is more
        ([(1, 1, 16_000, 600), (1, 1, 0, 0)], 1),  # and so it is with memory that is full
        ([(1, 1, 99_000, 700), (1, 1, 0, 0)], 0),  # which cannot be more than full
    ],
)
def test_overlap_is_weighed_against_queue_and_memory(replicas: list[tuple[int, int, int, int]], expected: int) -> None:
    assert chosen(*replicas) == expected


def test_of_equals_any_is_taken() -> None:
    assert [chosen(*[(0, 0, 0, 0)] * 4, tie=tie) for tie in (0.0, 0.3, 0.6, 0.99)] == [0, 1, 2, 3]
