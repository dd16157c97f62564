"""GPUs for a while at a price: what providers ask by class, per GPU and hour, each with its date and source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from fleettui.domain import checks
from fleettui.domain.hardware import Price
from fleettui.domain.serialization import later
from fleettui.errors import InputError

PriceClass = Literal["on-demand", "reserved-1y", "reserved-3y", "capacity-block", "spot"]
PRICE_CLASSES: tuple[PriceClass, ...] = get_args(PriceClass)
"""How GPUs are paid for: by the hour, for 1 or 3 years, a block of days that is prepaid, or until they are taken."""
YEARS: Mapping[PriceClass, int] = {"reserved-1y": 1, "reserved-3y": 3}
"""The years that a class commits to."""
ANY = "any"
"""The region of a price that is the same everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """US dollars for one GPU for one hour in a class.

    So many `gpus` come together, as the `instance` where that has a name. `date` is the day or month of the price,
    ISO, and `source` where it was read; `own` where that is a person's own list, whose offers go before those shipped.
    """

    gpu: str
    price_class: PriceClass
    provider: str
    region: str
    per_hour: float
    gpus: int = 1
    instance: str = ""
    date: str
    source: str
    own: bool = later(False)

    def __post_init__(self) -> None:
        checks.not_negative("price per hour", self.per_hour)

    @property
    def place(self) -> tuple[str, str, str, str]:
        """What may be offered once: GPU, class, provider and region."""
        return self.gpu, self.price_class, self.provider, self.region

    @property
    def seller(self) -> str:
        """The provider, the region where that matters, what is sold where that is more than a GPU, and whose list."""
        sold = "" if self.gpus == 1 else f"{self.instance} ({self.gpus} GPUs)".strip()
        whose = "(own list)" if self.own else ""
        return " ".join(filter(None, (self.provider, self.region if self.region != ANY else "", sold, whose)))

    def as_price(self) -> Price:
        """Return it as the price of a GPU."""
        return Price(
            per_hour=self.per_hour,
            purchase=self.price_class,
            provider=self.seller,
            region=self.region,
            date=self.date,
            url=self.source,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTerms:
    """How a question pays: a class, of a provider and in a region where they are said, and what was `offered` so.

    Until a price list is looked into nothing is known to be offered.
    """

    price_class: PriceClass
    provider: str = ""
    region: str = ""
    offered: tuple[Offer, ...] = ()

    @property
    def text(self) -> str:
        """How it is typed.

        >>> PriceTerms(price_class="spot", provider="aws").text
        'aws/spot'
        """
        return "/".join(filter(None, (self.provider, self.region, self.price_class)))

    def prices(self) -> dict[str, float]:
        """Return US dollars per GPU-hour by GPU type."""
        return {one.gpu: one.per_hour for one in self.offered}

    def offer(self, gpu: str, per_hour: float) -> Offer | None:
        """Return the offer that a GPU's price is, None where somebody typed another."""
        return next((one for one in self.offered if one.gpu == gpu and one.per_hour == per_hour), None)


def matching(offers: Iterable[Offer], terms: PriceTerms, where: str | None = None) -> PriceTerms:
    """Return `terms` with the one offer for each GPU type that they name; raises InputError where that is not one.

    A provider or a region that nobody offers the class in is refused, and so are several that differ where none of
    them is said. A price of the region goes before one that is the same everywhere.
    """
    found = [one for one in offers if one.price_class == terms.price_class]
    for field in ("provider", "region"):
        said = getattr(terms, field)
        known = sorted({getattr(one, field) for one in found})
        left = [one for one in found if not said or getattr(one, field) == said]
        if said and field == "region":
            own = {(one.gpu, one.provider) for one in left}
            left += [one for one in found if one.region == ANY and (one.gpu, one.provider) not in own]
        if not left:
            raise InputError(
                f"no {terms.price_class} price is known of this {field}",
                where=where,
                value=said or terms.price_class,
                accepted=", ".join(known) or "a class that the price list has",
                remedy="say another, or give your own list: --prices FILE",
            )
        found = left
    _check_one(found, terms, where)
    return PriceTerms(
        price_class=terms.price_class,
        provider=terms.provider,
        region=terms.region,
        offered=tuple(sorted(found, key=lambda one: one.gpu)),
    )


def _check_one(found: Iterable[Offer], terms: PriceTerms, where: str | None) -> None:
    by_gpu: dict[str, Offer] = {}
    for one in found:
        other = by_gpu.setdefault(one.gpu, one)
        if other is not one:
            field = "provider" if other.provider != one.provider else "region"
            first, second = getattr(other, field), getattr(one, field)
            example = f"{other.provider}/{terms.price_class}" if field == "provider" else _full(other)
            raise InputError(
                f"{first} and {second} both offer {one.gpu} in this class",
                where=where,
                value=terms.text,
                accepted="one price for each GPU type",
                remedy=f"name the {field}: {example}",
            )


def _full(one: Offer) -> str:
    return f"{one.provider}/{one.region}/{one.price_class}"
