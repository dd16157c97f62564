from __future__ import annotations

import numpy as np
import pytest

from fleettui.workloads import library
from fleettui.workloads.build import build_workload
from fleettui.workloads.statistics import ArrivalTally, length_statistics

# The tables of the traces' README: mean, p50, p90, p95, p99, max, CV² of prompt, output and total.
LENGTHS = {
    "azure-2023-code": (
        (2047.8, 1469, 5188, 7303, 7436, 7437, 0.93),
        (27.9, 13, 55, 90, 251, 1899, 4.61),
        (2075.7, 1493, 5208, 7331, 7462, 7841, 0.91),
    ),
    "azure-2023-conv": (
        (1154.7, 1020, 2734, 4083, 4142, 14050, 0.92),
        (211.1, 129, 424, 451, 601, 1000, 0.60),
        (1365.8, 1412, 2820, 4136, 4259, 14089, 0.65),
    ),
    "azure-2023-both": (
        (1434.2, 1046, 4073, 4141, 7435, 14050, 1.09),
        (153.8, 90, 413, 433, 581, 1899, 1.12),
        (1588.0, 1417, 4106, 4242, 7445, 14089, 0.86),
    ),
    "mooncake-conversation": (
        (12035.1, 6909, 27367, 39550, 85400, 126195, 1.72),
        (342.6, 350, 597, 698, 1119, 2000, 0.53),
        (12377.7, 7255, 27723, 40052, 85851, 126527, 1.63),
    ),
    "servegen-deepseek-r1-h10": (
        (1089.2, 116, 1379, 6937, 21087, 54645, 11.20),
        (2998.3, 2031, 6886, 9069, 14746, 31819, 1.07),
        (4087.6, 2801, 8905, 12315, 22886, 56455, 1.16),
    ),
    "servegen-deepseek-r1-h02": (
        (804.4, 88, 623, 3922, 17904, 45300, 14.23),
        (1228.0, 1065, 1757, 2563, 8453, 32768, 1.59),
        (2032.4, 1288, 3273, 6805, 19854, 49396, 2.77),
    ),
    "arxiv-summarization": (
        (2588.1, 2730, 3702, 3813, 3933, 4054, 0.13),
        (291.4, 167, 372, 736, 3271, 4056, 3.31),
        (2879.5, 2992, 3907, 4001, 4077, 4096, 0.09),
    ),
}

# duration, mean rate, index of dispersion at 1, 10, 60 s, CV of interarrival times.
ARRIVALS = {
    "azure-2023-code": ("recorded", 3436, 2.57, 13.19, 71.85, 166.89, 13.151),
    "azure-2023-conv": ("recorded", 3502, 5.53, 1.39, 3.87, 16.41, 1.094),
    "azure-2023-both": ("recorded", 3513, 8.02, 5.10, 25.63, 64.39, 1.331),
    "mooncake-conversation": ("ticks", 3537, 3.40, None, 2.10, 2.95, None),
    "servegen-deepseek-r1-h10": ("fitted", 3600, 13.10, 7.15, 16.08, 30.85, 1.641),
    "servegen-deepseek-r1-h02": ("fitted", 3600, 32.35, 1.79, 2.38, 2.63, 1.022),
    "arxiv-summarization": ("none", None, None, None, None, None, None),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_shipped_length_statistics_are_those_of_the_traces(name):
    lengths = library.load(name).slices[0].lengths
    for found, expected in zip((lengths.prompt, lengths.output, lengths.total), LENGTHS[name], strict=True):
        assert found is not None
        assert found.mean == pytest.approx(expected[0], abs=0.051)
        percentiles = (found.p50, found.p90, found.p95, found.p99, found.maximum)
        assert percentiles == pytest.approx(expected[1:6], abs=0.51)
        assert found.scv == pytest.approx(expected[6], abs=0.0051)


@pytest.mark.parametrize("name", ARRIVALS)
def test_shipped_arrival_statistics_are_those_of_the_traces(name):
    timing, duration, rate, at_1, at_10, at_60, cv = ARRIVALS[name]
    found = library.load(name).arrivals
    assert found.timing == timing
    assert found.duration == (duration and pytest.approx(duration, abs=0.51))
    assert found.mean_rate == (rate and pytest.approx(rate, abs=0.0051))
    assert [found.dispersion_at(window) for window in (1, 10, 60)] == [
        value and pytest.approx(value, abs=0.0051) for value in (at_1, at_10, at_60)
    ]
    assert found.interarrival_cv == (cv and pytest.approx(cv, abs=0.00051))


@pytest.mark.thorough
def test_the_normalized_traces_give_the_same_lengths_as_the_raw_ones(data):
    for raw, normalized in (
        ("AzureLLMInferenceTrace_code.csv", "azure-2023-code.csv.gz"),
        ("mooncake_conversation_trace.jsonl.gz", "mooncake-conversation.csv.gz"),
    ):
        first = build_workload([str(data / "raw" / raw)], name="x")
        second = build_workload([str(data / "traces" / normalized)], name="x")
        assert first.slices[0].lengths == second.slices[0].lengths
        assert first.arrivals.timing == second.arrivals.timing
        assert first.arrivals.mean_rate == pytest.approx(second.arrivals.mean_rate, rel=1e-5)


def test_length_statistics_agree_with_numpy():
    rng = np.random.default_rng(3)
    drawn = np.ceil(rng.lognormal(7, 2, 5001)).astype(np.int64)
    values, counts = np.unique(drawn, return_counts=True)
    found = length_statistics(values, counts)
    assert found.mean == pytest.approx(drawn.mean(), rel=1e-12)
    assert found.scv == pytest.approx(drawn.var() / drawn.mean() ** 2, rel=1e-12)
    percentiles = (found.p50, found.p90, found.p95, found.p99, found.maximum)
    assert percentiles == pytest.approx(np.percentile(drawn, (50, 90, 95, 99, 100)), rel=1e-12)


def test_squares_of_the_longest_lengths_do_not_run_over():
    values, counts = np.array([1, 2**32]), np.array([10**7, 10**7])
    found = length_statistics(values, counts)
    assert found.scv == pytest.approx((2**64 / 2) / (2**31) ** 2 - 1, rel=1e-6)


def test_arrivals_in_pieces_are_arrivals_at_once():
    times = np.cumsum(np.random.default_rng(5).gamma(0.4, 1.0, 4000))
    whole, pieces = ArrivalTally(), ArrivalTally()
    whole.add(times)
    for start in range(0, len(times), 37):
        pieces.add(times[start : start + 37])
    assert pieces.statistics("recorded") == whole.statistics("recorded")


def test_arrival_figures_are_the_textbook_ones():
    times = np.cumsum(np.random.default_rng(5).gamma(0.4, 1.0, 4000))
    tally = ArrivalTally()
    tally.add(times)
    found = tally.statistics("recorded")
    gaps, since = np.diff(times), times - times[0]
    counts = np.bincount((since // 10).astype(int))[: int(since[-1] // 10)]
    assert found.mean_rate == pytest.approx(4000 / since[-1], rel=1e-5)
    assert found.interarrival_cv == pytest.approx(gaps.std() / gaps.mean(), rel=1e-5)
    assert found.dispersion_at(10) == pytest.approx(counts.var(ddof=1) / counts.mean(), rel=1e-5)


def test_empty_windows_count():
    tally = ArrivalTally()
    tally.add(np.array([0.0, 0.1, 0.2, 0.3, 3.5]))
    assert tally.statistics("recorded").dispersion_at(1) == pytest.approx((16 - 16 / 3) / 2 / (4 / 3), rel=1e-5)


@pytest.mark.parametrize("minutes", [17, 99, 100, 250])
def test_the_busiest_minute_is_counted_of_many_the_one_that_99_of_100_do_not_exceed(minutes):
    counts = np.random.default_rng(minutes).poisson(30.0, minutes)
    counts[:2] = 90, 80
    times = np.concatenate([60.0 * place + np.linspace(0.0, 59.0, count) for place, count in enumerate(counts)])
    tally = ArrivalTally()
    for part in np.array_split(np.append(times, 60.0 * minutes + 1.0), 7):
        tally.add(part)
    busy = tally.statistics("recorded").busy
    assert busy is not None
    assert busy.minutes == minutes
    expected = np.sort(counts)[::-1][minutes // 100]
    assert busy.times == pytest.approx(expected / counts.mean(), rel=1e-5)


def test_minutes_are_not_counted_of_what_lasts_less_than_two_or_is_known_to_hours():
    tally = ArrivalTally()
    tally.add(np.array([0.0, 100.0]))
    assert tally.statistics("recorded").busy is None
    tally.add(np.array([3600.0, 7200.0]))
    assert tally.statistics("ticks", 3600.0).busy is None
    assert tally.statistics("recorded").busy is not None


@pytest.mark.parametrize("times", [[5.0], [5.0, 5.0]])
def test_arrivals_that_last_no_time_have_no_rate(times):
    tally = ArrivalTally()
    tally.add(np.array(times))
    found = tally.statistics("recorded")
    assert (found.timing, found.mean_rate, found.duration, found.dispersion) == ("recorded", None, None, ())
