"""How the plain oracle sends: where pools meet, by what its router knows of all of them."""

import pytest

from tests.simulation.samples import WAYS, engine, requests, story

LENGTHS = [(10, 5)] * 8


@pytest.mark.parametrize("way", WAYS)
def test_a_longer_pool_helps_out_once_five_wait(way: str) -> None:
    """One place per pool: one request is served, five wait, and the next two start in the other pool at once."""
    draws = requests(*LENGTHS, arrivals=[0.001 * count for count in range(8)], pool=[0] * 8)
    alone, helped = (
        story(way, [engine(places=1, router=name), engine(places=1, router=name)], draws)
        for name in ("length", "spillover")
    )
    assert alone.admitted[6] == pytest.approx(alone.finish[5])
    assert helped.admitted[5] == pytest.approx(helped.finish[4])
    assert helped.admitted[6] == 0.006
    assert helped.admitted[7] == pytest.approx(helped.finish[6])


@pytest.mark.parametrize("way", WAYS)
def test_a_router_that_has_not_looked_again_sees_no_queue(way: str) -> None:
    draws = requests(*LENGTHS, arrivals=[0.001 * count for count in range(8)], pool=[0] * 8)
    stale = story(way, [engine(places=1, router="spillover", refresh=10.0)] * 2, draws)
    assert stale.admitted[6] == pytest.approx(stale.finish[5])
