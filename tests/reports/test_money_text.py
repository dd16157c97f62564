"""What a study of money is asked with."""

import pytest

from fleettui.errors import InputError
from fleettui.reports.money_text import AGAIN, LOST, Terms, read_terms, write_terms


def test_what_is_written_reads_back() -> None:
    given = {
        "years": "3",
        "growth": "5%/month",
        "pay": ("coreweave/reserved-1y", "aws/spot", "capacity-block=4.9"),
        "prices": "mine.csv",
        "buy": "38k",
        "life": "5",
        "hosting": "146/kW-month",
        "power-price": "0.12/kWh",
        "spot": "25%",
        "interrupted": "15%/month",
        "again": "5min",
        "notice": "1min",
        "block": "3",
        "host": "0.25/GPU-h",
        "egress": "0.09/GB",
        "token-bytes": "4B",
        "storage": "500/month",
        "api": "0.60/1M",
    }
    terms = read_terms(given)
    assert terms.purchase is not None
    assert (terms.purchase.capex, terms.purchase.life) == (38_000.0, 5)
    assert terms.purchase.hosting == pytest.approx(0.2)  # 146 a kW and month of 730 hours
    assert (terms.lost, terms.again, terms.power_price) == (0.15, 300.0, 0.12)
    assert (terms.notice, terms.missing, terms.block) == (60.0, 240.0, 3)
    assert (terms.host, terms.egress, terms.token_bytes) == (0.25, pytest.approx(9e-11), 4.0)
    assert terms.storage == pytest.approx(500 / 730)
    words = write_terms(terms).split()
    again: dict[str, object] = {}
    for option, text in zip(words[::2], words[1::2], strict=True):
        name = option.removeprefix("--")
        again[name] = (*again.get(name, ()), text) if name == "pay" else text  # type: ignore[misc]
    assert read_terms(again) == terms


def test_a_warning_that_nobody_says_is_that_of_the_provider() -> None:
    assert read_terms({"pay": ("aws/spot",)}).notice == 120.0
    assert read_terms({"pay": ("nebius/spot",)}).notice == read_terms({"pay": ("spot=1",)}).notice == 0.0
    assert read_terms({"again": "1min", "notice": "2min"}).missing == 0.0


def test_unsaid_is_a_year_without_growth() -> None:
    assert read_terms({"growth": "0%/month"}) == read_terms({})
    assert read_terms({}) == Terms(years=1, growth=0.0, spot=0.0, lost=LOST, again=AGAIN)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"pay": ("reserved-3y=1.5",), "years": "2"}, "this commits for longer than is looked ahead"),
        ({"pay": ("reserved-1y=-1",)}, "must not be negative"),
        ({"pay": ("capacity-block",), "block": "7"}, "these are no months"),
        ({"block": "2"}, "this goes with --pay capacity-block"),
        ({"token-bytes": "4B"}, "this goes with --egress"),
        ({"host": "-0.25/GPU-h"}, "must be above zero"),
        ({"host": "0.25/month"}, "GPU-h"),
        ({"egress": "0.09EUR/GB"}, "price of egress"),
        ({"pay": ("reserved-1y=1.80EUR",)}, "price"),
        ({"pay": ("spot=1", "aws/spot")}, "a class is said twice"),
        ({"pay": ("spots",)}, "unknown class of price"),
        ({"years": "11"}, "these are no years"),
        ({"life": "4"}, "this goes with --buy"),
        ({"buy": "38k", "hosting": "150/month"}, "kW-month"),
        ({"interrupted": "15%/day"}, "this is no rate"),
        ({"interrupted": "100%"}, "all of them a month"),
        ({"spot": "0%"}, "share of spot"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_terms(given)
    assert told in str(refused.value)
