import pytest

from fleettui.domain.workload import ArrivalStatistics, LengthDistribution, LengthStatistics, TimeSlice, Workload
from fleettui.reports.canvas import Glyphs
from fleettui.reports.chart_text import draw
from fleettui.reports.workload_charts import lengths_chart, rate_chart
from fleettui.workloads import library

CONV = library.load("azure-2023-conv")
LENGTHS = CONV.slices[0].lengths
TOTAL = LengthDistribution(kind="total", cdf=((1000.0, 0.5), (3000.0, 1.0)), output_share=0.2)


def workload(*rates: float | None, duration: float = 60.0, arrivals: ArrivalStatistics | None = None) -> Workload:
    slices = (
        TimeSlice(start=100.0 + duration * index, duration=duration, rate=rate, lengths=TOTAL)
        for index, rate in enumerate(rates)
    )
    return Workload(name="w", slices=tuple(slices), arrivals=arrivals or ArrivalStatistics())


def test_joint_lengths_show_three_series_and_the_originals_percentiles() -> None:
    chart = lengths_chart(LENGTHS)
    assert [(one.name, one.style) for one in chart.series] == [
        ("output", "step"),
        ("prompt", "step"),
        ("total", "step"),
    ]
    assert [(mark.value, mark.label) for mark in chart.stops] == [(1412.0, "p50 1,412"), (4259.0, "p99 4,259")]
    assert chart.notes == (
        "F(4,096) .917",
        "F(8,192) .9999",
        "p50       1,412",
        "p99       4,259",
        "longest  14,089",
    )
    assert chart.summary == "total tokens: p50 1,412, p99 4,259; 8% above 4,096 carry 26% of the tokens"


def test_what_is_said_of_the_long_ones_is_a_sum_over_the_atoms() -> None:
    above = [(weight, prompt + output) for weight, prompt, output in LENGTHS.atoms if prompt + output > 4096]
    requests = sum(weight for weight, _ in above) / sum(weight for weight, _, _ in LENGTHS.atoms)
    tokens = sum(weight * length for weight, length in above) / sum(w * (p + o) for w, p, o in LENGTHS.atoms)
    assert f"{requests:.0%} above 4,096 carry {tokens:.0%}" in lengths_chart(LENGTHS).summary


def test_a_split_is_marked_noted_and_told() -> None:
    chart = lengths_chart(LENGTHS, (1024, 4096))
    assert [mark.label for mark in chart.stops[2:]] == ["split 1,024", "split 4,096"]
    assert chart.notes[0].startswith("F(1,024) .")
    assert "above 1,024 carry" in chart.summary


def test_the_band_of_borderline_requests_ends_at_gamma_splits() -> None:
    chart = lengths_chart(LENGTHS, (2048,), 1.5)
    assert [(mark.value, mark.label) for mark in chart.stops[2:]] == [(2048, "split 2,048"), (3072, "γ 3,072")]
    total = sum(weight for weight, _, _ in LENGTHS.atoms)
    within = sum(weight for weight, prompt, output in LENGTHS.atoms if 2048 < prompt + output <= 3072) / total
    assert chart.notes[-1] == f"band {within:.0%}"
    assert chart.summary.endswith(f"; {within:.0%} are borderline, 2,049 to 3,072")
    assert lengths_chart(LENGTHS, (2048,), 1.0) == lengths_chart(LENGTHS, (2048,))


def test_totals_are_read_off_their_own_curve() -> None:
    chart = lengths_chart(TOTAL)
    (series,) = chart.series
    assert (series.name, series.style) == ("total", "line")
    assert [mark.label for mark in chart.stops] == ["p50 1,000", "p99 2,960"]
    assert dict(series.points)[1000.0] == 0.5
    assert chart.notes[:2] == ("F(4,096) 1", "F(8,192) 1")
    assert chart.summary == "total tokens: p50 1,000, p99 2,960; 24% above 2,048 carry 48% of the tokens"


def test_a_limit_that_no_request_passes_is_said() -> None:
    assert lengths_chart(TOTAL, (4096,)).summary.endswith("none above 4,096")


def test_prompt_and_output_apart_have_no_total() -> None:
    known = LengthStatistics(mean=1, p50=7.0, p90=1, p95=1, p99=9.0, maximum=1, scv=1)
    apart = LengthDistribution(kind="marginals", prompt_cdf=((1000.0, 1.0),), output_cdf=((10.0, 1.0),), output=known)
    chart = lengths_chart(apart)
    assert [one.name for one in chart.series] == ["output", "prompt"]
    assert (chart.stops, chart.notes) == ((), ())
    assert chart.summary == "tokens: prompt p50 500, p99 990; output p50 7, p99 9; how they pair is not known"


def test_one_length_alone_makes_a_chart() -> None:
    chart = lengths_chart(LengthDistribution(kind="joint", atoms=((1.0, 1.0, 1.0),)))
    assert chart.summary == "total tokens: p50 2, p99 2; 100% above 1 carry 100% of the tokens"
    assert draw(chart, 80, 12, "half")


def test_rates_by_slice_with_the_band_of_poisson() -> None:
    chart = rate_chart(workload(4.0, 6.0, 5.0, 5.0, duration=100.0))
    assert chart is not None
    high, low, rate = chart.series
    room = 2 * (5.0 * 100.0) ** 0.5 / 100.0
    assert [y for _, y in rate.points] == [4.0, 6.0, 5.0, 5.0, 5.0]
    assert [x for x, _ in rate.points] == pytest.approx([0.0, 100 / 60, 200 / 60, 300 / 60, 400 / 60])
    assert [y for _, y in high.points] == pytest.approx([5.0 + room] * 5)
    assert [y for _, y in low.points] == pytest.approx([5.0 - room] * 5)
    assert chart.x.label == "time, minutes"
    assert chart.notes == ("highest 6.00/s", "mean    5.00/s", "lowest  4.00/s")
    assert chart.summary == ("4.00 to 6.00 requests/s; 2 of 4 slices outside the Poisson band: bursty")


def test_even_slices_are_like_poisson() -> None:
    chart = rate_chart(workload(5.0, 5.1, 4.9))
    assert chart is not None
    assert chart.summary.endswith("0 of 3 slices outside the Poisson band: like Poisson")


@pytest.mark.parametrize(
    ("duration", "unit"), [(10.0, "seconds"), (300.0, "minutes"), (7200.0, "hours"), (100_000.0, "days")]
)
def test_time_is_in_a_unit_that_fits(duration: float, unit: str) -> None:
    chart = rate_chart(workload(1.0, 2.0, duration=duration))
    assert chart is not None
    assert chart.x.label == f"time, {unit}"


def test_one_slice_shows_bursts_by_window() -> None:
    chart = rate_chart(CONV)
    assert chart is not None
    assert chart.series[0].points == ((1.0, 1.38554), (10.0, 3.86805), (60.0, 16.4112))
    assert [(mark.value, mark.label) for mark in chart.levels] == [(1.0, "Poisson 1")]
    assert chart.x.log
    assert chart.y.log
    assert chart.notes == (" 1s   1.4", "10s   3.9", "60s  16.4", "5.53 requests/s")
    assert chart.summary == "very bursty: variance/mean 1.4 in 1s, 3.9 in 10s, 16.4 in 60s (Poisson 1)"


@pytest.mark.parametrize(
    ("ratio", "word"),
    [(1.0, "like Poisson"), (2.0, "somewhat bursty"), (8.0, "bursty"), (11.0, "very bursty")],
)
def test_bursts_have_a_word(ratio: float, word: str) -> None:
    chart = rate_chart(workload(None, arrivals=ArrivalStatistics(dispersion=((1.0, None), (60.0, ratio)))))
    assert chart is not None
    assert chart.summary.startswith(f"{word}: ")
    assert len(chart.series[0].points) == 1


def test_where_nothing_is_known_there_is_no_chart() -> None:
    assert rate_chart(workload(None)) is None
    assert rate_chart(workload(None, None)) is None
    assert rate_chart(workload(5.0, arrivals=ArrivalStatistics(mean_rate=5.0, dispersion=((1.0, None),)))) is None


def test_every_shipped_workload_can_be_drawn_and_its_words_fit_a_screen() -> None:
    every: tuple[Glyphs, ...] = ("braille", "half", "ascii")
    for name in library.names():
        shown = library.load(name)
        for chart in (lengths_chart(shown.slices[0].lengths, (4096,)), rate_chart(shown)):
            if chart is not None:
                assert [len(draw(chart, 80, 10, glyphs)) for glyphs in every] == [10, 10, 10]
                assert len(chart.summary) <= 80


def test_slices_without_a_rate_are_left_out() -> None:
    chart = rate_chart(workload(4.0, None, 6.0))
    assert chart is not None
    assert "of 2 slices" in chart.summary
