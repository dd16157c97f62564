"""Which offer of a price list a class of prices comes to."""

import pytest

from fleettui.domain.offers import ANY, Offer, PriceClass, PriceTerms, matching
from fleettui.errors import InputError


def offer(gpu: str = "h100", price_class: PriceClass = "spot", provider: str = "a", region: str = ANY) -> Offer:
    return Offer(
        gpu=gpu, price_class=price_class, provider=provider, region=region, per_hour=2.0, date="2026-05", source="here"
    )


def test_a_class_comes_to_one_offer_for_each_gpu() -> None:
    listed = (offer("h200"), offer(), offer(price_class="on-demand"))
    found = matching(listed, PriceTerms(price_class="spot"))
    assert [one.gpu for one in found.offered] == ["h100", "h200"]
    assert found.prices() == {"h100": 2.0, "h200": 2.0}
    assert found.offer("h100", 2.0) == listed[1]
    assert found.offer("h100", 2.5) is None


def test_a_region_that_does_not_matter_is_every_region() -> None:
    assert matching([offer()], PriceTerms(price_class="spot", provider="a", region=ANY)).offered
    listed = [offer("h100"), offer("h200", region="r1")]
    assert len(matching(listed, PriceTerms(price_class="spot", region="r1")).offered) == 2
    both = [offer(), offer(region="r1"), offer(region="r2")]
    assert matching(both, PriceTerms(price_class="spot", region="r1")).offered == (both[1],)
    assert matching(both, PriceTerms(price_class="spot", region=ANY)).offered == (both[0],)


@pytest.mark.parametrize(
    ("listed", "terms", "told"),
    [
        ([offer()], PriceTerms(price_class="spot", provider="b"), "no spot price is known of this provider"),
        ([offer(region="r1")], PriceTerms(price_class="spot", region="r2"), "no spot price is known of this region"),
        ([offer()], PriceTerms(price_class="on-demand"), "no on-demand price is known"),
        ([offer(), offer(provider="b")], PriceTerms(price_class="spot"), "name the provider: a/spot"),
        ([offer(region="r1"), offer(region="r2")], PriceTerms(price_class="spot"), "name the region: a/r1/spot"),
    ],
)
def test_what_is_not_one_offer_is_refused(listed: list[Offer], terms: PriceTerms, told: str) -> None:
    with pytest.raises(InputError, match=told):
        matching(listed, terms, "--price-class")


def test_what_is_sold_says_how_many_come_together() -> None:
    node = Offer(
        gpu="h100",
        price_class="on-demand",
        provider="aws",
        region="us-east-1",
        per_hour=6.88,
        gpus=8,
        instance="p5.48xlarge",
        date="2026-05",
        source="here",
    )
    assert node.as_price().provider == node.seller == "aws us-east-1 p5.48xlarge (8 GPUs)"
    assert offer().seller == "a"
    assert PriceTerms(price_class="spot", provider="aws", region="us-east-1").text == "aws/us-east-1/spot"
