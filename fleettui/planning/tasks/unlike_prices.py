"""Whether what is cheapest rests on prices of unlike class: a median against one marketplace's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from fleettui.domain.hardware import Price
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.hardware import catalog
from fleettui.reports.price_text import CLASSES, offer_of


def unlike_prices(best: Candidate | None, candidates: Iterable[Candidate], question: Question) -> str:
    """Return that what is cheapest rests on prices of unlike class, and what to type; empty where it does not.

    It does where another fleet that holds would be cheaper within what was posted, and its prices are of another class.
    """
    if best is None or question.preset == "paper":
        return ""
    typed = dict(question.prices)
    offers = {gpu: offer for gpu in catalog.gpu_names() if gpu not in typed and (offer := offer_of(gpu)) is not None}
    others = [one for one in candidates if not one.shortfalls and _may_be_cheaper(one, best, offers)]
    if not others:
        return ""
    other = min(others, key=lambda one: (_shares_gpus(one, best), one.cost_per_hour))
    moved = [gpu for gpu in (*best.fleet.gpus_by_type, *other.fleet.gpus_by_type) if _more(best, other, gpu)]
    names = [gpu for gpu in dict.fromkeys(moved) if gpu in offers]
    told = ", ".join(_posted(gpu, offers[gpu]) for gpu in names)
    return f"prices of unlike class rank this: {told}; --price {','.join(f'{gpu}=...' for gpu in names)} gives yours"


def _may_be_cheaper(other: Candidate, best: Candidate, offers: Mapping[str, Price]) -> bool:
    """Return whether a fleet costs less than the best within what was posted, where that is of unlike class."""
    gpus = {*best.fleet.gpus_by_type, *other.fleet.gpus_by_type}
    moved = {gpu: more for gpu in gpus if (more := _more(best, other, gpu))}
    if len({offers[gpu].basis for gpu in moved if gpu in offers}) < 2 or not moved.keys() <= offers.keys():
        return False
    return math.fsum(max(_ends(offers[gpu], more)) for gpu, more in moved.items()) > 0


def _ends(offer: Price, gpus: int) -> Iterator[float]:
    """Yield what so many GPUs cost at the ends of what was posted."""
    return (gpus * price for price in offer.posted or (offer.per_hour, offer.per_hour))


def _more(best: Candidate, other: Candidate, gpu: str) -> int:
    """Return how many more GPUs of a type the best takes than another."""
    return best.fleet.gpus_by_type.get(gpu, 0) - other.fleet.gpus_by_type.get(gpu, 0)


def _shares_gpus(one: Candidate, best: Candidate) -> bool:
    return not one.fleet.gpus_by_type.keys().isdisjoint(best.fleet.gpus_by_type)


def _posted(gpu: str, offer: Price) -> str:
    ends = "" if offer.posted is None else ", posted {:.2f} to {:.2f}".format(*offer.posted)
    return f"{gpu.upper()} {offer.per_hour:.2f} ({CLASSES[offer.basis]}{ends})"
