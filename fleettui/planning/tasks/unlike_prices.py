"""Whether what is cheapest rests on prices of unlike class: a median against one marketplace's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from fleettui.domain.hardware import Price
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.hardware import catalog
from fleettui.reports.price_text import offer_of

CENT = 0.005
"""US dollars an hour below which fleets cost the same."""


def unlike_prices(best: Candidate | None, candidates: Iterable[Candidate], question: Question) -> str:
    """Return that what is cheapest rests on prices of unlike class, and what to type; empty where it does not.

    It does where another fleet that holds and is dearer would be cheaper within what was posted, and its prices are of
    another class.
    """
    if best is None or question.preset == "paper":
        return ""
    typed = dict(question.prices)
    offers = {gpu: offer for gpu in catalog.gpu_names() if gpu not in typed and (offer := offer_of(gpu)) is not None}
    dearer = (one for one in candidates if not one.shortfalls and one.cost_per_hour >= best.cost_per_hour - CENT)
    others = [one for one in dearer if _may_be_cheaper(one, best, offers)]
    if not others:
        return ""
    other = min(others, key=lambda one: (_shares_gpus(one, best), one.cost_per_hour))
    said, saved = _decisive(best, other, offers)
    keys = ",".join(f"{gpu}={price:g}" for gpu, price in said.items())
    return f"another is ${saved:.3g}/h cheaper at posted prices: --price {keys}"


def _decisive(best: Candidate, other: Candidate, offers: Mapping[str, Price]) -> tuple[dict[str, float], float]:
    """Return as few posted prices as make the other cheaper, US dollars an hour of a GPU, and by how much they do."""
    moves = {gpu: more for gpu in offers if (more := _more(best, other, gpu))}
    saved = best.cost_per_hour - other.cost_per_hour
    ends = {gpu: _posted(offers[gpu])[more > 0] for gpu, more in moves.items()}
    gains = {gpu: more * (ends[gpu] - offers[gpu].per_hour) for gpu, more in moves.items()}
    said: dict[str, float] = {}
    for gpu in sorted(gains, key=lambda gpu: -gains[gpu]):
        if saved > CENT:
            break
        said[gpu], saved = ends[gpu], saved + gains[gpu]
    return said, saved


def _may_be_cheaper(other: Candidate, best: Candidate, offers: Mapping[str, Price]) -> bool:
    """Return whether a fleet costs less than the best within what was posted, where that is of unlike class."""
    gpus = {*best.fleet.gpus_by_type, *other.fleet.gpus_by_type}
    moved = {gpu: more for gpu in gpus if (more := _more(best, other, gpu))}
    if len({offers[gpu].basis for gpu in moved if gpu in offers}) < 2 or not moved.keys() <= offers.keys():
        return False
    return math.fsum(max(_ends(offers[gpu], more)) for gpu, more in moved.items()) > 0


def _ends(offer: Price, gpus: int) -> Iterator[float]:
    """Yield what so many GPUs cost at the ends of what was posted."""
    return (gpus * price for price in _posted(offer))


def _more(best: Candidate, other: Candidate, gpu: str) -> int:
    """Return how many more GPUs of a type the best takes than another."""
    return best.fleet.gpus_by_type.get(gpu, 0) - other.fleet.gpus_by_type.get(gpu, 0)


def _shares_gpus(one: Candidate, best: Candidate) -> bool:
    return not one.fleet.gpus_by_type.keys().isdisjoint(best.fleet.gpus_by_type)


def _posted(offer: Price) -> tuple[float, float]:
    """Return the ends of what was posted, US dollars an hour of a GPU."""
    return offer.posted or (offer.per_hour, offer.per_hour)
