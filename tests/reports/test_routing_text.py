"""What a plan says about routing, about prefill and decode, about power: figures of the plan, no others."""

import dataclasses
from collections.abc import Callable

import pytest

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from tests.reports.conftest import disagg_text, power_text, routing_text

Aspect = Callable[..., str]
ASPECTS: tuple[Aspect, ...] = (
    routing_text,
    disagg_text,
    power_text,
)


def joined(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def row(text: str, name: str) -> list[str]:
    """Return the cells of a pool's row."""
    return next(line for line in text.splitlines() if line.startswith(f"{name} ")).split()


@pytest.mark.parametrize("width", [40, 60, 78, 120])
@pytest.mark.parametrize("aspect", ASPECTS)
def test_a_sentence_stands_first_and_no_line_is_wider_than_the_screen(
    aspect: Aspect, best: Candidate, proven: Candidate, slow: Candidate, question: Question, width: int
) -> None:
    for candidate in (best, proven, slow):
        text = aspect(candidate, question, width)
        assert max(map(len, text.splitlines())) <= width
        sentence, *parts = text.split("\n\n")
        assert sentence.endswith(".")
        assert any(candidate.pools[0].name in part for part in parts)
        titles = [line for line in text.splitlines() if line.startswith("-- ")]
        assert len(titles) >= 2


def test_requests_go_by_their_length(best: Candidate, question: Question) -> None:
    text = routing_text(best, question)
    assert "up to 4,096 to pool short, longer ones to pool long" in joined(text)
    assert row(text, "short") == ["short", "1", "to", "4,096", "91.7", "92%", ".81", "4", "16"]
    assert row(text, "long") == ["long", "4,097", "to", "16,384", "8.30", "8%", ".81", "2", "8"]


def test_every_pool_is_named_and_what_is_compressed(best: Candidate, question: Question) -> None:
    short, long = best.fleet.pools
    middle = dataclasses.replace(short, name="middle", above=4096, up_to=8192)
    fleet = dataclasses.replace(
        best.fleet, pools=(short, middle, dataclasses.replace(long, above=8192)), gamma=1.5, compressible=0.75
    )
    three = dataclasses.replace(best, fleet=fleet, pools=(best.pools[0], *best.pools))
    text = joined(routing_text(three, question))
    assert "up to 4,096 to pool short, up to 8,192 to pool middle, longer ones to pool long" in text
    assert "compressed to fit below a split: 75% of the requests of up to 1.5 times its tokens." in text


def test_one_pool_says_whether_two_were_searched(best: Candidate, slow: Candidate, question: Question) -> None:
    for cost, said, told in (
        (71.0, "no such fleet is shown", True),
        (59.0, "it costs", True),
        (50.0, "no such", False),
    ):
        text = routing_text(slow, question, others=(slow, dataclasses.replace(best, cost_per_hour=cost)))
        assert f"was searched too: {said}" in joined(text)
        assert ("the cheapest of each number of pools" in text) is told, "what nothing has shown is not called cheaper"
    assert f"2 H100 tp4 x4 + tp4 x2 24 {71.0:.2f} formula" in joined(routing_text(slow, question, others=(best,)))
    assert "searched" not in joined(routing_text(slow, question, others=(slow,)))
    alone = dataclasses.replace(question, pools=(1,))
    assert "was not searched (pools 1)" in joined(routing_text(slow, alone))
    assert row(routing_text(slow, question), "all")[4:6] == ["100", "100%"]


def test_how_busy_is_as_simulated_where_it_is(proven: Candidate, question: Question) -> None:
    assert row(routing_text(proven, question), "short")[6] == ".80"
