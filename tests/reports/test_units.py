import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.errors import InputError
from fleettui.reports import units
from fleettui.reports.quantity import Quantity

READS: list[tuple[Quantity, str, float]] = [
    (units.DURATION, "500ms", 0.5),
    (units.DURATION, "0.5s", 0.5),
    (units.DURATION, "500 ms", 0.5),
    (units.DURATION, "2min", 120.0),
    (units.DURATION, "1h", 3600.0),
    (units.RATE, "100/s", 100.0),
    (units.RATE, "6000/min", 100.0),
    (units.RATE, "20000/h", 20_000 / 3600),
    (units.RATE, "20k/h", 20_000 / 3600),
    (units.RATE, "6/h", 6 / 3600),
    (units.TOKENS, "8k", 8000.0),
    (units.TOKENS, "8Ki", 8192.0),
    (units.TOKENS, "8192", 8192.0),
    (units.TOKENS, "1M", 1e6),
    (units.TOKENS, "1.5k", 1500.0),
    (units.TOKEN_RATE, "3e9/day", 3e9 / 86_400),
    (units.TOKEN_RATE, "3B/day", 3e9 / 86_400),
    (units.COUNT, "20000", 20_000.0),
    (units.COUNT, "20,000", 20_000.0),
    (units.COUNT, "20_000", 20_000.0),
    (units.SHARE, "55%", 0.55),
    (units.SHARE, ".55", 0.55),
    (units.SHARE, "0%", 0.0),
    (units.POWER, "40kW", 40_000.0),
    (units.POWER, "700W", 700.0),
    (units.MONEY_RATE, "60/h", 60.0),
    (units.MONEY_RATE, "$60/h", 60.0),
    (units.MONEY_RATE, "8760/yr", 1.0),
    (units.PRICE, "2.10", 2.1),
]


@pytest.mark.parametrize(("quantity", "text", "value"), READS)
def test_typed_quantities(quantity: Quantity, text: str, value: float) -> None:
    assert quantity.parse(text) == value


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        (units.DURATION, "500"),
        (units.DURATION, "5m"),
        (units.RATE, "100"),
        (units.TOKEN_RATE, "3e9"),
        (units.POWER, "40"),
        (units.MONEY_RATE, "60"),
        (units.DURATION, "1,500ms"),
        (units.DURATION, "$500ms"),
    ],
)
def test_bare_and_ambiguous_numbers_are_refused(quantity: Quantity, text: str) -> None:
    with pytest.raises(InputError):
        quantity.parse(text)


@pytest.mark.parametrize(
    ("text", "value"), [("99", 0.99), ("p99", 0.99), ("99.9%", 0.999), ("0.99", 0.99), ("P50", 0.5), ("p0.5", 0.005)]
)
def test_percentiles(text: str, value: float) -> None:
    assert units.percentile(text) == value


@pytest.mark.parametrize("text", ["0", "100", "p100", "-1", "x", "", "1e2", "1/2", "nan", "9" * 60])
def test_no_percentiles(text: str) -> None:
    with pytest.raises(InputError, match="this is no percentile"):
        units.percentile(text, "--percentile")


@given(value=st.floats(min_value=1e-6, max_value=1 - 1e-9))
def test_a_percentile_reads_back(value: float) -> None:
    assert units.percentile(units.write_percentile(value)) == value


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (units.seconds(3.4e-8), "0.034 us"),
        (units.seconds(0.0079), "7.9 ms"),
        (units.seconds(0.0999), "100 ms"),
        (units.seconds(0.443), "0.44 s"),
        (units.seconds(599.0), "599 s"),
        (units.seconds(3600.0), "60 min"),
        (units.seconds(86_400.0), "24.0 h"),
        (units.seconds(float("inf")), "-"),
        (units.seconds(0.0), "0 ms"),
        (units.limit(0.04), "40ms"),
        (units.limit(30.0), "30s"),
        (units.limit(14_400.0), "14400s"),
        (units.limit(0.99999), "1s"),
        (units.limit(1e-8), "0.00001ms"),
        (units.dollars_per_hour(9.99), "$9.99/h"),
        (units.dollars_per_year(71.0), "$622K/yr"),
        (units.dollars_per_year(2000.0), "$17.5M/yr"),
        (units.watts(14_000.0), "14.0 kW"),
        (units.percent(0.11), "11%"),
        (units.percent(0.0004), "<0.1%"),
        (units.percent(0.0006), "0.1%"),
        (units.fraction(0.0), ".00"),
        (units.per_second(None), "-"),
        (units.billions(671e9), "671B"),
        (units.dollars(float("nan")), "-"),
        (units.short_count(0), "0"),
        (units.short_count(999), "999"),
        (units.short_count(400_000), "400K"),
        (units.short_count(1_480_000), "1.48M"),
        (units.short_count(2.5e9), "2.50B"),
    ],
)
def test_shown_quantities(shown: str, text: str) -> None:
    assert shown == text
