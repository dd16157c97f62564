"""Whether what is cheapest rests on prices of unlike class: a median against one marketplace's."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Price
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.hardware import catalog
from fleettui.reports.fleet_text import paid_for
from fleettui.reports.posted_prices import PostedPrices
from fleettui.reports.price_text import offer_of

CENT = 0.005
"""US dollars an hour below which fleets cost the same."""


def unlike_prices(
    best: Candidate | None, candidates: Sequence[Candidate], question: Question, more: Collection[Fleet] = ()
) -> PostedPrices | None:
    """Return which fleet would cost less than the best at posted prices, what both would, and what to type.

    None where none would: it takes another fleet that holds, is dearer, and whose prices are of another class than the
    best's. Told is the cheapest at these prices, whatever its own are. Fleets whose step times are known much less well
    than the best's are left out: prices do not decide there.
    Of the fleets that take `more` GPUs than the formulas say it is told what is the least.
    """
    if best is None or question.preset == "paper":
        return None
    offers = _offers(question)
    dearer = [one for one in candidates if one.cost_per_hour >= best.cost_per_hour - CENT]
    others = may_be_cheaper(best, dearer, question)
    if not others:
        return None
    turned = min(others, key=lambda one: (_shares_gpus(one, best), one.cost_per_hour))
    said = _decisive(best, turned, question, offers)
    other = min(holding(best, dearer, question), key=lambda one: _cost(one, said, question, offers))
    its, own = (_cost(one, said, question, offers) for one in (other, best))
    return PostedPrices(prices=tuple(said.items()), own=own, other=other, cost=its, more=other.fleet in more)


def may_be_cheaper(best: Candidate, candidates: Iterable[Candidate], question: Question) -> list[Candidate]:
    """Return the fleets that hold and cost less than the best within what was posted, where that is of unlike class."""
    offers = _offers(question)
    return [one for one in holding(best, candidates, question) if _may_be_cheaper(one, best, question, offers)]


def holding(best: Candidate, candidates: Iterable[Candidate], question: Question) -> list[Candidate]:
    """Return the fleets that hold and are as well known as the best."""
    return [one for one in candidates if not one.shortfalls and not question.sets_aside(one, best)]


def _offers(question: Question) -> dict[str, Price]:
    """Return what is posted for the GPUs whose prices are not typed."""
    typed = dict(question.prices)
    return {gpu: offer for gpu in catalog.gpu_names() if gpu not in typed and (offer := offer_of(gpu)) is not None}


def _cost(one: Candidate, said: Mapping[str, float], question: Question, offers: Mapping[str, Price]) -> float:
    """Return what a fleet costs at the prices that are said, the others as they are, in US dollars an hour."""
    counts = paid_for(one.fleet, question)
    return one.cost_per_hour + math.fsum(
        counts.get(gpu, 0) * (price - offers[gpu].per_hour) for gpu, price in said.items()
    )


def _decisive(best: Candidate, other: Candidate, question: Question, offers: Mapping[str, Price]) -> dict[str, float]:
    """Return as few posted prices as make the other cheaper, US dollars an hour of a GPU."""
    moves = {gpu: more for gpu, more in _more(best, other, question).items() if gpu in offers}
    saved = best.cost_per_hour - other.cost_per_hour
    ends = {gpu: _posted(offers[gpu])[more > 0] for gpu, more in moves.items()}
    gains = {gpu: more * (ends[gpu] - offers[gpu].per_hour) for gpu, more in moves.items()}
    said: dict[str, float] = {}
    for gpu in sorted(gains, key=lambda gpu: -gains[gpu]):
        if saved > CENT:
            break
        said[gpu], saved = ends[gpu], saved + gains[gpu]
    return said


def _may_be_cheaper(other: Candidate, best: Candidate, question: Question, offers: Mapping[str, Price]) -> bool:
    """Return whether a fleet costs less than the best within what was posted, where that is of unlike class.

    Prices that were typed are as they are.
    """
    moved, typed = _more(best, other, question), dict(question.prices)
    if (
        len({offers[gpu].basis for gpu in moved if gpu in offers}) < 2
        or not moved.keys() <= offers.keys() | typed.keys()
    ):
        return False
    ends = (max(_ends(offers[gpu], more)) if gpu in offers else more * typed[gpu] for gpu, more in moved.items())
    return math.fsum(ends) > 0


def _ends(offer: Price, gpus: int) -> Iterator[float]:
    """Yield what so many GPUs cost at the ends of what was posted."""
    return (gpus * price for price in _posted(offer))


def _more(best: Candidate, other: Candidate, question: Question) -> dict[str, int]:
    """Return how many more GPUs of each type are paid for with the best than with another, where these are not as many.

    They are those of whole nodes where these are paid for.
    """
    own, its = (paid_for(one.fleet, question) for one in (best, other))
    return {gpu: more for gpu in (*own, *(its.keys() - own)) if (more := own.get(gpu, 0) - its.get(gpu, 0))}


def _shares_gpus(one: Candidate, best: Candidate) -> bool:
    return not one.fleet.gpus_by_type.keys().isdisjoint(best.fleet.gpus_by_type)


def _posted(offer: Price) -> tuple[float, float]:
    """Return the ends of what was posted, US dollars an hour of a GPU."""
    return offer.posted or (offer.per_hour, offer.per_hour)
