from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.measured import Measured, Seen
from fleettui.reports import observed_figures
from fleettui.reports.measured_text import measured_text, next_commands, prefix_hit
from fleettui.reports.units import SHARE
from fleettui.workloads.measured import measure
from tests.workloads.scrapes import Server, pair


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measure(pair(tmp_path_factory.mktemp("scrapes")), name="chat", between=300.0)


def test_it_fits_the_screen_but_for_the_commands_to_copy(measured: Measured) -> None:
    text = measured_text(measured, "chat.json", 80)
    above, _, commands = text.partition("next:\n")
    assert max(map(len, above.splitlines())) <= 80
    assert "prefix cache: 25% of the prompt tokens were found in it" in above
    assert commands.splitlines() == [f"  {command}" for command in next_commands(measured, "chat.json")]


def test_the_backtest_is_asked_for_what_was_seen_and_for_no_more(measured: Measured) -> None:
    """A percentile is known by the edges of its bucket, a mean exactly; the window is that between the scrapes.

    Found: the middle of the edges was told as seen, 7.07 s, where the scrapes are read as 5.3 s.
    """
    plan, backtest = next_commands(measured, "my chat.json")
    assert plan == "fleettui plan 'my chat.json' --rate 10/s --model llama-3.1-70b --prefix-hit 25% --slo-ttft 500ms"
    assert " --over 300s --observed " in backtest
    asked = observed_figures.read(backtest.rpartition(" ")[2])
    seen = {one.name: one for one in measured.seen}
    assert {observed_figures.name(one.figure) for one in asked} == {
        name for name in seen if not name.startswith(("prompt", "output"))
    }
    for one in asked:
        known = seen[observed_figures.name(one.figure)]
        assert known.high is not None
        if one.figure.share is not None:
            assert (one.low, one.high) == (pytest.approx(known.low), pytest.approx(known.high))
        assert one.value == pytest.approx(known.value, rel=1e-3 if one.figure.share else 0.01)


def test_a_bucket_that_starts_at_nothing_is_not_asked_for(measured: Measured) -> None:
    first = Seen(name="tpot.p50", value=0.006, low=0.0, high=0.01, metric="m")
    assert len(next_commands(replace(measured, seen=(first,)), "chat.json")) == 1


def test_what_is_above_every_bucket_is_not_asked_for(measured: Measured) -> None:
    open_ended = Seen(name="ttft.p99", value=None, low=2560.0, high=None, metric="m")
    found = replace(measured, seen=(open_ended,), prefix_hit=None)
    assert next_commands(found, "chat.json") == (
        "fleettui plan chat.json --rate 10/s --model llama-3.1-70b --slo-ttft 500ms",
    )
    assert "43 min   -  m" in measured_text(found, "chat.json")


def test_the_model_that_is_served_is_the_one_that_is_planned(measured: Measured) -> None:
    """Found: what a server of another model was seen to do was planned for the model that is the default."""
    other = replace(measured, model_name="Qwen/Qwen3-32B")
    assert all(" --model qwen3-32b " in one for one in next_commands(other, "chat.json"))
    unknown = replace(measured, model_name="prod")
    assert all(" --model MODEL " in one for one in next_commands(unknown, "chat.json"))
    assert "MODEL: prod as served; a name of `fleettui model list`" in measured_text(unknown, "chat.json", 120)


def test_gaps_are_not_taken_for_the_time_per_output_token(tmp_path: Path) -> None:
    found = measure(pair(tmp_path, Server(old=True)), name="chat", between=300.0)
    assert "tpot" not in next_commands(found, "chat.json")[1]
    assert "a gap is between two tokens" in measured_text(found, "chat.json")


def test_a_share_is_written_as_it_is_typed() -> None:
    assert SHARE.parse(prefix_hit(0.43127)) == 0.431
    assert prefix_hit(0.0) == "0%"
