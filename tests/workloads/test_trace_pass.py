from __future__ import annotations

import tracemalloc

import pytest

from fleettui.errors import InputError
from fleettui.workloads import pairs
from fleettui.workloads.build import build_workload
from fleettui.workloads.formats import csv_traces
from fleettui.workloads.formats.line_blocks import blocks

HEADER = "arrival_s,input_tokens,output_tokens\n"


def test_slices_split_one_clock(write):
    first = write(HEADER + "0,10,1\n9,20,1\n10,30,1\n", "a")
    second = write(HEADER + "5,40,1\n35,50,1\n40,60,1\n", "b")
    workload = build_workload([str(first), str(second)], name="x", slices=10.0)
    assert [(part.start, part.duration, part.rate, part.lengths.n_samples) for part in workload.slices] == [
        (0.0, 10.0, 0.3, 3),
        (10.0, 10.0, 0.1, 1),
        (30.0, 10.0, 0.2, 2),
    ]
    assert [atom[1] for atom in workload.slices[0].lengths.atoms] == [10.0, 20.0, 40.0]


def test_a_short_last_slice_joins_the_one_before(write):
    path = write(HEADER + "0,10,1\n12,20,1\n24,30,1\n")
    workload = build_workload([str(path)], name="x", slices=10.0)
    assert [(part.start, part.duration, part.lengths.n_samples) for part in workload.slices] == [
        (0.0, 10.0, 1),
        (10.0, 14.0, 2),
    ]


@pytest.mark.evidence
def test_five_minutes_of_azure_have_the_rates_of_the_readme(data):
    workload = build_workload(
        [str(data / "traces" / f"azure-2023-{one}.csv.gz") for one in ("code", "conv")], name="x", slices=300.0
    )
    rates = [part.rate for part in workload.slices if part.rate is not None]
    assert len(rates) == len(workload.slices)
    assert (min(rates), max(rates)) == (pytest.approx(5.18, abs=0.0051), pytest.approx(10.95, abs=0.0051))
    assert sum(part.lengths.n_samples for part in workload.slices) == 28_185


@pytest.mark.evidence
def test_ticks_are_spread_and_said(data):
    workload = build_workload([str(data / "raw" / "mooncake_conversation_trace.jsonl.gz")], name="x", slices=1000.0)
    assert workload.arrivals.timing == "ticks"
    assert "3-second ticks, over which they are spread evenly" in workload.notes[0]
    assert [part.start for part in workload.slices] == [0.0, 1000.0, 2000.0]


def test_two_ticking_traces_merge_spread(write):
    rows = "".join(f"{3 * (i // 4)},10,1\n" for i in range(400))
    paths = [str(write(HEADER + rows, name)) for name in "ab"]
    workload = build_workload(paths, name="x")
    assert (workload.arrivals.timing, workload.arrivals.dispersion_at(1.0)) == ("ticks", None)
    assert workload.slices[0].lengths.n_samples == 800


def test_one_source_with_times_and_one_without_are_refused(write):
    paths = [str(write(HEADER + "0,1,2\n", "a")), str(write(HEADER + ",1,2\n", "b"))]
    with pytest.raises(InputError, match="some sources have times and some have none"):
        build_workload(paths, name="x")


def test_untimed_sources_add_up(write):
    paths = [str(write(HEADER + ",1,2\n", "a")), str(write(HEADER + ",3,4\n", "b"))]
    workload = build_workload(paths, name="x")
    assert (workload.arrivals.timing, workload.slices[0].rate) == ("none", None)
    assert workload.slices[0].lengths.n_samples == 2


def test_an_untimed_trace_cannot_be_sliced(write):
    with pytest.raises(InputError, match="the trace has no times to slice"):
        build_workload([str(write(HEADER + ",1,2\n"))], name="x", slices=300.0)


def test_backwards_times_are_found_before_requests_are_dropped(write):
    path = write(HEADER + "5,1,2\n4,900,2\n6,1,2\n")
    with pytest.raises(InputError, match="line 3: the time runs backwards"):
        build_workload([str(path)], name="x", drop_above=100)


@pytest.mark.thorough
def test_memory_does_not_grow_with_the_rows(write, monkeypatch):
    """Four times the rows, at the same distinct pairs, need less than 1.3 times the memory."""
    monkeypatch.setattr(csv_traces, "blocks", lambda path: blocks(path, 1 << 17))
    monkeypatch.setattr(pairs, "_PENDING", 1 << 14)
    peaks = []
    for name, number in (("a", 50_000), ("b", 200_000)):
        path = write(HEADER + "".join(f"{i / 10:.1f},{1 + i % 100},{1 + i % 7}\n" for i in range(number)), name)
        tracemalloc.start()
        build_workload([str(path)], name="x")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def test_the_last_grid_point_is_the_longest_request(write):
    path = write(HEADER + "0,10,1\n1,100,200\n")
    lengths = build_workload([str(path)], name="x").slices[0].lengths
    assert lengths.cdf[-1] == (300.0, 1.0)
    assert all(fraction == 0.5 for _, fraction in lengths.cdf[:-1])


def test_a_column_of_times_of_another_name_is_told(write):
    path = write("timestamp,input_tokens,output_tokens\n1,10,1\n3,20,1\n")
    workload = build_workload([str(path)], name="x")
    assert workload.notes == ("the times are those of column timestamp",)
    assert workload.arrivals.duration == 2.0
