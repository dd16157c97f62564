"""Shapes that are shipped, and files of times and rates."""

from pathlib import Path

import pytest

from fleettui.domain.day import Day, Window
from fleettui.errors import InputError, UnknownNameError
from fleettui.reports.studies.autoscale import CHANGES
from fleettui.workloads.days import names, read_day


def written(folder: Path, text: str) -> str:
    path = folder / "mine.csv"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("name", "mean"), [("servegen-deepseek-r1", 16.0147 / 42.52), ("servegen-m-large", 213.6 / 386.6)]
)
def test_a_shipped_shape_has_its_highest_rate_where_it_is_wanted(name: str, mean: float) -> None:
    day = read_day(name, peak=20.0)
    assert (day.name, day.hours, len(day.windows), day.peak) == (name, 24.0, 144, 20.0)
    assert day.mean == pytest.approx(20.0 * mean, rel=1e-3)
    assert "ServeGen" in day.source


def test_a_file_says_start_and_rate_or_the_end_too(tmp_path: Path) -> None:
    even = read_day(written(tmp_path, "time,rate\n00:00,2\n00:30,4/s\n"), peak=1.0)
    assert [(one.start, one.end, one.rate) for one in even.windows] == [(0, 1800, 2), (1800, 3600, 4)]
    ends = read_day(written(tmp_path, "start,end,rate_rps,who\n0,60,1,a\n\n60,90,3,b\n"), peak=1.0)
    assert [(one.start, one.end, one.rate) for one in ends.windows] == [(0, 60, 1), (60, 90, 3)]
    assert ends.name == "mine.csv"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("start,rate\n0,1\n60,1\n180,1\n", "row 3: there is a gap before it"),
        ("start,rate\n0,1\n60,1\n90,1\n", "row 3: it overlaps the one before it"),
        ("start,end,rate\n0,60,1\n90,120,1\n", "row 2: there is a gap before it"),
        ("start,end,rate\n0,60,1\n30,120,1\n", "row 2: it overlaps the one before it"),
        ("start,rate\n0,1\n", "how long its row lasts"),
        ("start,rate\n0,much\n60,1\n", "row 1: this is no rate"),
        ("start,rate\n0,-1\n60,1\n", "row 1: the rate must not be negative"),
        ("start,rate\nnoon,1\n60,1\n", "row 1: this is no time"),
        ("start,rate\n0\n60,1\n", "row 1: it has fewer cells"),
        ("start,load\n0,1\n60,1\n", "its columns are not known"),
        ("", r"(?s)this is no day.*write a header"),
    ],
)
def test_what_is_no_day_is_refused_with_its_row(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_day(written(tmp_path, text), peak=1.0)


def test_a_column_names_the_lengths_of_each_window_where_these_may_be_mixed(tmp_path: Path) -> None:
    file = written(tmp_path, "start,rate,workload\n00:00,2,\n01:00,5,azure-2023-code\n02:00,1, chat.json\n")
    found = read_day(file, peak=1.0, mixed=True)
    assert [one.workload for one in found.windows] == ["", "azure-2023-code", "chat.json"]
    assert found.workloads == ("azure-2023-code", "chat.json")
    with pytest.raises(InputError, match=r"(?s)--day: the lengths of this day change.*azure-2023-code, chat.json"):
        read_day(file, peak=1.0, where="--day")


def test_a_file_that_does_not_end_is_refused() -> None:
    with pytest.raises(InputError, match="larger than 16 MB"):
        read_day("/dev/zero", peak=1.0)


def test_what_is_neither_a_name_nor_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean servegen-m-large"):
        read_day("servegen-m-larg", peak=1.0, where="--day")
    with pytest.raises(InputError, match="cannot be read"):
        read_day(str(tmp_path / "none.csv"), peak=1.0)
    assert names() == ("servegen-deepseek-r1", "servegen-m-large")


RATES = Path(__file__).parents[2].resolve().parent / "shared/data/measured/servegen-rate-10min.csv"


def test_what_a_perfect_autoscaler_pays_of_a_static_fleet_on_a_shipped_day() -> None:
    own = read_day("servegen-deepseek-r1", peak=20.0)
    assert [own.perfect_share(every) for every in CHANGES] == pytest.approx((0.38, 0.45, 0.65), abs=0.01)
    assert own.perfect_share(own.end) >= 1.0


@pytest.mark.skipif(not RATES.exists(), reason="the measured rates are not here")
@pytest.mark.parametrize(
    ("model", "shares"), [("language/m-large", (0.38, 0.44, 0.55)), ("multimodal/mm-image", (0.71, 0.80, 0.97))]
)
def test_what_a_perfect_autoscaler_pays_on_measured_days(model: str, shares: tuple[float, ...]) -> None:
    rows = [line.split(",") for line in RATES.read_text().splitlines()[1:]]
    rates = [float(row[2]) for row in sorted(rows, key=lambda row: float(row[1])) if row[0] == model]
    windows = [Window(start=600.0 * at, end=600.0 * (at + 1), rate=rate) for at, rate in enumerate(rates)]
    own = Day(name=model, windows=tuple(windows))
    assert [own.perfect_share(every) for every in CHANGES] == pytest.approx(shares, abs=0.01)
