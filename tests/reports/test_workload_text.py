import dataclasses
import re

from fleettui.domain.workload import (
    ArrivalStatistics,
    LengthDistribution,
    LengthStatistics,
    Origin,
    TimeSlice,
    Workload,
)
from fleettui.reports.table import render
from fleettui.reports.workload_text import workload_text, workloads_table

LENGTH = LengthStatistics(mean=1154.7, p50=1020, p90=2734, p95=4083, p99=4142, maximum=14_050, scv=0.92)
JOINT = LengthDistribution(kind="joint", atoms=((1, 100, 10),), n_samples=19_366, prompt=LENGTH, output=LENGTH)
TRACE = Workload(
    name="chat",
    slices=(TimeSlice(start=0, duration=3480, rate=5.5, lengths=JOINT),),
    arrivals=ArrivalStatistics(timing="ticks", mean_rate=5.53, duration=3480, dispersion=((1.0, 1.4), (60.0, None))),
    origin=Origin(source="a log", licence="CC-BY-4.0"),
    dropped=3,
    notes=("every tick was spread",),
)
TOTAL = Workload(
    name="paper",
    slices=(
        TimeSlice(
            start=0,
            duration=0,
            rate=None,
            lengths=LengthDistribution(kind="total", cdf=((64, 0.5), (128, 1.0)), output_share=0.2),
        ),
    ),
)


def test_a_workload_tells_lengths_arrivals_and_origin() -> None:
    text = workload_text(TRACE)
    for part in (
        "joint prompt and output, 1 atoms",
        "5.53 requests/s over 58 min",
        "recorded in ticks, spread evenly over each",
        "1.0 s: 1.4, 60 s: -",
        "3 requests longer than the context",
        "CC-BY-4.0",
        "every tick was spread",
        "prompt 1,155 1,020 2,734 4,083 4,142 14,050 0.92",
    ):
        assert part in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_what_is_not_known_is_left_out() -> None:
    text = workload_text(TOTAL)
    assert "total tokens, 2 points, output 20% of it" in text
    assert "requests/s" not in text
    assert "tokens   mean" not in text


def test_unknown_pairing_and_slices_are_said() -> None:
    apart = LengthDistribution(kind="marginals", prompt_cdf=((8, 1.0),), output_cdf=((8, 1.0),))
    part = dataclasses.replace(TOTAL.slices[0], lengths=apart)
    later = dataclasses.replace(TRACE.slices[0], start=600, duration=300)
    text = workload_text(dataclasses.replace(TOTAL, slices=(part, later)))
    assert "pairing unknown" in text
    assert "2; lengths are those of the first" in text
    assert re.search(r"^2 +10 min +300 s +5\.50 +19,366", text, re.MULTILINE), text


def test_the_list_fits_80_columns() -> None:
    table = workloads_table([TRACE, dataclasses.replace(TOTAL, name="servegen-deepseek-r1-h02")])
    assert table.rows[0] == ("chat", "joint", "19,366", "5.53", "1,020", "4,142", "1,020", "4,142")
    assert table.rows[1][1:] == ("total", "-", "-", "-", "-", "-", "-")
    assert max(map(len, render(table).splitlines())) <= 80
