from datetime import date

import pytest

from fleettui.errors import InputError
from fleettui.reports.question.time_spans import LEAD_TIME, read_day, read_growth, read_growth_range


@pytest.mark.parametrize(("text", "year"), [("8%/month", 1.08**12), ("150%/year", 2.5), ("20%/quarter", 1.2**4)])
def test_growth_compounds(text: str, year: float) -> None:
    assert (1 + read_growth(text)) ** 12 == pytest.approx(year)


def test_days_and_weeks_fit_into_the_year() -> None:
    assert (1 + read_growth("1%/day")) ** 12 == pytest.approx(1.01**365)
    assert (1 + read_growth("1%/week")) ** 12 == pytest.approx(1.01 ** (365 / 7))


def test_a_range_of_growth_has_its_middle() -> None:
    middle, ends = read_growth_range("4%:10%/month")
    assert ends == (0.04, 0.1)
    assert (1 + middle) ** 2 == pytest.approx(1.04 * 1.1)
    assert read_growth_range("150%/year")[1] is None
    for text in ("10%:4%/month", "4%:x/month", "0%:4%/month", "4%:10%"):
        with pytest.raises(InputError):
            read_growth_range(text, "--growth")


@pytest.mark.parametrize(("text", "days"), [("12w", 84.0), ("90d", 90.0), ("0d", 0.0), ("3months", 91.25)])
def test_lead_times_are_days(text: str, days: float) -> None:
    assert LEAD_TIME.parse(text) == days


@pytest.mark.parametrize(
    "text", ["8%", "8/month", "0%/month", "-3%/month", "8%/fortnight", "9999999%/day", "", "x/month"]
)
def test_other_growth_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_growth(text, "--growth")
    assert 1 <= len(str(refusal.value).splitlines()) <= 3


@pytest.mark.parametrize("text", ["12", "-1w", "1e9w", "soon"])
def test_other_lead_times_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        LEAD_TIME.parse(text, "--lead-time")


def test_a_day_is_a_day() -> None:
    assert read_day(" 2026-12-01 ") == date(2026, 12, 1)
    for text in ("2026-13-01", "tomorrow", ""):
        with pytest.raises(InputError, match="no day"):
            read_day(text, "--start")


def test_growth_without_its_percent_sign_says_so() -> None:
    with pytest.raises(InputError, match="the percent sign is missing") as refused:
        read_growth("6/month", "--growth")
    assert "do: write 6%/month" in str(refused.value)
