import pytest

from fleettui.domain.backtest import Figure
from fleettui.errors import InputError
from fleettui.reports import observed_figures

SEEN = "ttft.p99=380ms,tpot.p50=28.0ms, running=61 ,e2e.mean=9.1s"


def test_figures_are_read_with_what_their_digits_leave_open() -> None:
    ttft, tpot, running, e2e = observed_figures.read(SEEN)
    assert ttft.figure == Figure(metric="ttft", share=0.99)
    assert (ttft.low, ttft.value, ttft.high) == pytest.approx((0.3795, 0.38, 0.3805))
    assert (tpot.low, tpot.value, tpot.high) == pytest.approx((0.02795, 0.028, 0.02805))
    assert (running.figure, running.low, running.high) == (Figure(metric="running"), 60.5, 61.5)
    assert (e2e.figure, e2e.low, e2e.high) == (Figure(metric="e2e"), pytest.approx(9.05), pytest.approx(9.15))
    assert ",".join(one.text for one in (ttft, tpot, running, e2e)) == SEEN.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("1s", 0.95, 1.05), ("1000ms", 0.9995, 1.0005), ("1.0s", 0.95, 1.05), ("9ms", 8.95e-3, 9.05e-3)],
)
def test_one_digit_is_read_as_two(text: str, low: float, high: float) -> None:
    """Found: 1s was 0.5 to 1.5 s, and a P99 TTFT predicted as 0.54 s held "within chance", +84%; 1000ms did not."""
    (one,) = observed_figures.read(f"ttft.p99={text}")
    assert (one.low, one.high) == pytest.approx((low, high))


def test_ends_may_be_given_and_names_are_read_back() -> None:
    (one,) = observed_figures.read("tpot.p99.9=25ms..50ms")
    assert (one.low, one.high) == (0.025, 0.05)
    assert one.low < one.value < one.high
    assert observed_figures.name(one.figure) == "tpot.p99.9"
    assert (
        observed_figures.read(f"{observed_figures.name(one.figure)}={observed_figures.value(one.figure, 0.0316)}")[
            0
        ].value
        == 0.0316
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "nothing was observed"),
        ("ttft=380ms", "nothing to observe"),
        ("running.p99=61", "nothing to observe"),
        ("queue.p99=3s", "nothing to observe"),
        ("ttft.p0=380ms", "no percentile"),
        ("ttft.p99=380", "needs a unit"),
        ("ttft.p99", "no value"),
        ("ttft.p99=-1ms", "above zero"),
        ("ttft.p99=0s", "above zero"),
        ("running=0", "above zero"),
        ("running=many", "number of sequences"),
        ("ttft.p99=500ms..250ms", "do not rise"),
        ("ttft.p99=250ms..600ms..500ms", "do not rise"),
        ("ttft.p99=380ms,TTFT.p99=390ms", "given twice"),
        ("tpot.p50=9ms,ttft.p50=900ms,ttft.p99=580ms", "lower percentile is above"),
    ],
)
def test_what_does_not_read_is_refused(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as refusal:
        observed_figures.read(text, "--observed")
    assert str(refusal.value).startswith("--observed: ")


def test_a_line_says_how_long_it_was_seen_for() -> None:
    seen, window = observed_figures.read_line("running=61 over 30min")
    assert (len(seen), window) == (1, 1800.0)
    with pytest.raises(InputError, match="duration"):
        observed_figures.read_line("running=61 over night")


def test_every_half_digit_is_inside_the_value() -> None:
    for text in ("running=0.4", "ttft.p50=1us", "tpot.p50=1e-3s"):
        (one,) = observed_figures.read(text)
        assert 0 < one.low <= one.value <= one.high
