"""The picture of intervals that narrow: one scale for a latency, its limit in the same place in every line."""

from fleettui.domain.progress import Interval
from fleettui.reports.narrowing import narrowing_lines


def interval(runs: int, half: float, name: str = "P99 TTFT", limit: float = 1.0) -> Interval:
    return Interval(name=name, low=0.6 - half, value=0.6, high=0.6 + half, limit=limit, runs=runs)


def test_the_rounds_of_the_tightest_limit_stand_before_the_last_of_the_others() -> None:
    rounds = [(interval(runs, half), interval(runs, half, "P99 TPOT", 5.0)) for runs, half in ((4, 0.3), (8, 0.1))]
    lines = narrowing_lines(rounds, 70, 5)
    assert [line.split("  ")[0] for line in lines] == ["P99 TTFT", "P99 TTFT", "P99 TPOT"]
    assert max(map(len, lines)) <= 70
    assert lines[0].index("|") == lines[1].index("|"), "the limit stays where it is"
    widths = [line.rindex(")") - line.index("(") for line in lines[:2]]
    assert widths[0] > widths[1]
    assert [line.split("  ")[0] for line in narrowing_lines(rounds, 70, 1)] == ["P99 TTFT"]


def test_nothing_is_drawn_of_nothing() -> None:
    assert narrowing_lines([], 70, 3) == []
    assert narrowing_lines([()], 70, 3) == []


def test_an_interval_without_width_and_one_beyond_the_limit_are_drawn() -> None:
    (line,) = narrowing_lines([(interval(4, 0.0),)], 60, 1)
    assert line.count("o") == 1
    (line,) = narrowing_lines([(interval(4, 0.1, limit=0.2),)], 60, 1)
    assert line.index("|") < line.index("(")
