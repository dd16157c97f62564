"""A question that pays by a class of the price list."""

from pathlib import Path

import pytest

from fleettui.domain.scenario import Question
from fleettui.domain.serialization import dumps, from_plain, to_plain
from fleettui.errors import InputError
from fleettui.hardware.price_list import HEADER
from fleettui.reports.price_text import listed_offer
from fleettui.reports.question import conversion


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for settings, which is empty."""
    monkeypatch.setenv("FLEETTUI_CONFIG", str(tmp_path / "config.toml"))
    return tmp_path


def asked(**texts: str) -> Question:
    base = {"workload": "azure-2023-conv", "rate": "100/s", "slo-ttft": "500ms"}
    typed = {name.replace("_", "-"): text for name, text in texts.items()}
    return conversion.to_question(conversion.parse(conversion.given_at(base | typed, "here")))


def test_a_class_gives_the_prices_and_a_typed_one_stays() -> None:
    found = asked(price_class="coreweave/reserved-1y")
    assert found.prices == (("h100", 2.25),)
    offer = listed_offer("h100", found)
    assert offer is not None
    assert (offer.purchase, offer.provider, offer.date) == ("reserved-1y", "coreweave", "2026-03")
    mine = asked(price_class="coreweave/reserved-1y", price="h100=2.10,a100=1")
    assert mine.prices == (("a100", 1.0), ("h100", 2.1))
    assert listed_offer("h100", mine) is None


def test_it_is_written_as_it_was_asked() -> None:
    found = asked(price_class="coreweave/reserved-1y", price="a100=1.00")
    texts = conversion.to_texts(found)
    assert (texts["price-class"], texts["price"]) == ("coreweave/reserved-1y", "a100=1")
    assert conversion.to_question(conversion.parse(conversion.given_at(texts, "here"))) == found
    assert conversion.to_question(conversion.to_values(found)) == found
    assert from_plain(Question, to_plain(found)) == found


def test_what_comes_as_nodes_is_paid_for_in_whole_ones() -> None:
    assert asked(price_class="aws/us-east-1/on-demand").whole_nodes
    assert conversion.to_texts(asked(price_class="aws/us-east-1/on-demand"))["whole-nodes"] == "true"
    assert not asked(price_class="coreweave/reserved-1y").whole_nodes
    assert not asked(price_class="nebius/spot").whole_nodes
    assert not asked().whole_nodes


def test_a_question_without_a_class_is_as_it_was() -> None:
    assert not {"price_terms", "price_list"} & to_plain(asked(price="h100=2.10")).keys()
    assert "price_list" not in dumps(asked())


def test_a_list_of_ones_own(config: Path) -> None:
    file = config / "mine.csv"
    file.write_text(f"{HEADER}\nh100,reserved-1y,us,here,14.40,8,box,2026-11,contract 7\n")
    found = asked(price_class="us/reserved-1y", prices=str(file))
    assert dict(found.prices)["h100"] == pytest.approx(1.80)
    assert conversion.to_texts(found)["prices"] == str(file)


def test_a_list_of_ones_own_says_which_classes_it_has_where_none_is_named(config: Path) -> None:
    file = config / "mine.csv"
    file.write_text(f"{HEADER}\nh100,reserved-1y,us,here,14.40,8,box,2026-11,contract 7\n")
    with pytest.raises(InputError) as refused:
        asked(prices=str(file))
    assert refused.value.where == "here"
    assert refused.value.accepted == "us/reserved-1y"
    assert refused.value.remedy == "add --price-class us/reserved-1y"
    file.write_text(f"{HEADER}\n")
    with pytest.raises(InputError, match="a price list goes with --price-class"):
        asked(prices=str(file))
    file.write_text("gpu,dollars\n")
    with pytest.raises(InputError, match="this column is not known"):
        asked(prices=str(file))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("reserved", "did you mean reserved-"),
        ("aws/us-east-1/p5/spot", "this is no class of price"),
        ("/spot", "this is no class of price"),
        ("", "the class is missing"),
        ("aws/mars/on-demand", "accepted: eu-north-1, us-east-1"),
        ("nobody/spot", "accepted: aws, gcp, nebius, verda"),
    ],
)
def test_what_no_list_has_is_refused(text: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        asked(price_class=text)
    assert told in str(refused.value)


def test_a_gpu_without_a_price_of_the_class_is_refused() -> None:
    with pytest.raises(InputError, match="no coreweave/reserved-1y price of this GPU"):
        asked(price_class="coreweave/reserved-1y", gpu="h100,l40s")
    assert asked(price_class="coreweave/reserved-1y", gpu="h100,l40s", price="l40s=1").gpus == ("h100", "l40s")
