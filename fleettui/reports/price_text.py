"""What the dollars of a fleet rest on: the class and the date of each GPU's price, and what else was posted."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

from fleettui.domain.hardware import Price
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import later
from fleettui.errors import UnknownNameError
from fleettui.hardware import catalog
from fleettui.reports import units

CLASSES: Mapping[str, str] = {
    "median": "median of providers",
    "range": "middle of a range",
    "list": "one cloud's list price",
    "one": "one provider",
    "": "class not said",
}
"""How the class of a price is told."""
OLD = timedelta(days=90)
"""Age from which a price's age is told."""
DAYS_PER_MONTH = 30.44
SAME = 1e-6
"""Share of a cost that is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTag:
    """The price of one GPU type, US dollars an hour; `offer` is None where the question typed it.

    `is_listed` where it is of a class that the question asks for, from a price list.
    """

    gpu: str
    per_hour: float
    offer: Price | None
    is_listed: bool = later(False)


def price_tags(best: Candidate, question: Question) -> tuple[PriceTag, ...]:
    """Return the prices that a fleet's cost rests on by GPU type; none where it rests on others than are known today.

    A plan that was kept with other prices than those of today's catalogue has none, nor has one of the papers.
    """
    typed, counts = dict(question.prices), best.fleet.gpus_by_type
    tags = []
    for gpu in counts:
        listed = listed_offer(gpu, question)
        offer = listed if gpu in typed else offer_of(gpu)
        if offer is None and gpu not in typed:
            return ()
        cost = typed[gpu] if offer is None else offer.per_hour
        tags.append(PriceTag(gpu=gpu, per_hour=cost, offer=offer, is_listed=listed is not None))
    cost = math.fsum(counts[tag.gpu] * tag.per_hour for tag in tags)
    known = question.whole_nodes or math.isclose(cost, best.cost_per_hour, rel_tol=SAME)
    return tuple(tags) if known and question.preset != "paper" else ()


def listed_offer(gpu: str, question: Question) -> Price | None:
    """Return the price list's offer that a question pays for a GPU type, None where it pays none of a list."""
    terms, price = question.price_terms, dict(question.prices).get(gpu)
    offer = None if terms is None or price is None else terms.offer(gpu, price)
    return None if offer is None else offer.as_price()


def offer_of(gpu: str) -> Price | None:
    """Return the catalogue's price of a GPU type, None where there is none."""
    with suppress(UnknownNameError):
        return catalog.gpu(gpu).price
    return None


def price_text(best: Candidate, question: Question, made: str = "") -> str:
    """Return each price with its class, and their dates; `made` is the plan's time, from which their age counts."""
    return tags_text(price_tags(best, question), made)


def tags_text(tags: Sequence[PriceTag], made: str = "") -> str:
    """Return the same of the prices of one fleet or several, each once."""
    told = ", ".join(dict.fromkeys(f"{tag.gpu.upper()} {units.price(tag.per_hour)} {class_of(tag)}" for tag in tags))
    dates = ", ".join(dict.fromkeys(_dated(tag.offer, made) for tag in tags if tag.offer is not None))
    return f"{told}{f'; {dates}' if dates else ''}"


def class_of(tag: PriceTag) -> str:
    """Return the class of a price in words, and who asks it where that is of a price list."""
    offer = tag.offer
    if offer is None:
        return "as typed"
    return f"{offer.purchase} {offer.provider}" if tag.is_listed else CLASSES[offer.basis]


def _dated(offer: Price, made: str) -> str:
    since = age(offer.date, made)
    return (
        f"{offer.date}{'' if since is None or since <= OLD else f', {round(since.days / DAYS_PER_MONTH)} months old'}"
    )


def age(dated: str, made: str) -> timedelta | None:
    """Return how old a price of a day, a month or a year is at least when a plan was `made`; None for no known day.

    >>> age("2026-05", "2026-11-23T10:00:00Z").days, age("2026", "2026-11-23T10:00:00Z"), age("2026-05", "")
    (176, None, None)
    """
    if len(made) < len("2026-11-23") or (said := re.match(r"(\d{4})-(\d{2})(?:-(\d{2}))?", dated)) is None:
        return None
    year, month = int(said[1]), int(said[2])
    last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    return date.fromisoformat(made[:10]) - (last if said[3] is None else last.replace(day=int(said[3])))
