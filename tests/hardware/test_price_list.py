"""The shipped price list, and one's own."""

import csv
import re
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest

from fleettui.domain.offers import PRICE_CLASSES, PriceTerms
from fleettui.errors import InputError
from fleettui.hardware import catalog, price_list
from fleettui.hardware.price_list import COLUMNS, DATE, HEADER, offered, offers, read_offers, shipped

ROW = "h100,spot,mine,any,16,8,node,2026-05-20,our contract"


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for settings, which is empty."""
    monkeypatch.setenv("FLEETTUI_CONFIG", str(tmp_path / "config.toml"))
    return tmp_path


def test_every_shipped_price_has_a_known_gpu_a_class_a_date_and_a_source() -> None:
    text = resources.files("fleettui.hardware").joinpath("catalog", "prices.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == len(shipped())
    for row, one in zip(rows, shipped(), strict=True):
        assert one.gpu in catalog.gpu_names()
        assert one.price_class in PRICE_CLASSES
        assert DATE.fullmatch(one.date)
        assert one.source
        assert one.per_hour * int(row["gpus"]) == pytest.approx(float(row["usd_per_hour"]))
        assert 0.2 < one.per_hour < 20.0


def test_eight_gpus_have_four_classes_and_all_classes_are_there() -> None:
    found = {(one.gpu, one.price_class) for one in shipped()}
    by_gpu = Counter(gpu for gpu, _ in found)
    assert len([gpu for gpu, classes in by_gpu.items() if classes >= 4]) >= 8
    assert {one for _, one in found} == set(PRICE_CLASSES)


def test_a_price_that_was_worked_out_says_of_what() -> None:
    for one in shipped():
        if one.source.startswith("derived"):
            start, less = re.findall(r"on-demand ([\d.]+) less (\d+) %", one.source)[0]
            assert one.per_hour * one.gpus == pytest.approx(float(start) * (1 - int(less) / 100))
            rented = (one.gpu, one.provider, "on-demand")
            rents = [other for other in shipped() if (other.gpu, other.provider, other.price_class) == rented]
            assert any(other.per_hour * other.gpus == pytest.approx(float(start)) for other in rents)


def test_eight_gpus_come_as_one_instance_and_each_costs_an_eighth() -> None:
    found = offered(PriceTerms(price_class="on-demand", provider="aws", region="us-east-1"))
    (h100,) = (one for one in found.offered if one.gpu == "h100")
    assert (h100.gpus, h100.instance) == (8, "p5.48xlarge")
    assert h100.per_hour == pytest.approx(6.88)


def test_ones_own_prices_take_the_place_of_those_shipped(config: Path) -> None:
    own = ROW.replace("mine", "nebius")
    (config / "prices.csv").write_text(f"{HEADER}\n{own}\n")
    assert offered(PriceTerms(price_class="spot", provider="nebius")).prices()["h100"] == 2.0
    named = config / "other.csv"
    named.write_text(f"{HEADER}\n{own.replace('16', '24')}\n")
    assert offered(PriceTerms(price_class="spot", provider="nebius"), str(named)).prices()["h100"] == 3.0
    assert len(offers()) == len(shipped())
    (mine,) = (one for one in offers() if one.own)
    assert mine.seller == "nebius node (8 GPUs) (own list)"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEADER.replace("class,", ""), "the column class is missing"),
        (HEADER.replace("usd_per_hour", "eur_per_hour"), "convert it: prices are US dollars an hour"),
        (f"{HEADER}\n{ROW.replace('spot', '')}", "row 2: the class is missing"),
        (f"{HEADER}\n{ROW.replace('spot', 'spots')}", "did you mean spot?"),
        (f"{HEADER}\n{ROW.replace(',16,', ',-16,')}", "this is no price"),
        (f"{HEADER}\n{ROW.replace(',16,', ',nan,')}", "this is no price"),
        (f"{HEADER}\n{ROW.replace('2026-05-20', 'May')}", "the date is missing"),
        (f"{HEADER}\n{ROW.replace('our contract', '')}", "the source is missing"),
        (f"{HEADER}\n{ROW.replace(',8,', ',0,')}", "this is no number of GPUs"),
        (f"{HEADER}\n{ROW.replace('any', '')}", "this is no region"),
        (f"{HEADER}\n{ROW}\n{ROW}", "row 3: two rows price the same offer"),
        (f"{HEADER}\n{ROW}{'x' * 200_000}", "this is no CSV: field larger than field limit"),
        (f"{HEADER}\n{ROW},more", "row 2: it has not one cell for each column"),
    ],
)
def test_a_list_that_does_not_read_is_refused_with_the_row(text: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_offers(text, "mine.csv")
    assert told in str(refused.value)
    assert "mine.csv" in str(refused.value)


def test_a_file_that_is_not_there_is_refused_with_the_form_of_one() -> None:
    with pytest.raises(InputError, match="usd_per_hour"):
        price_list.offers("nowhere.csv")
