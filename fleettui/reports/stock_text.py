"""What of a fleet that is given is spare or short, and up to which rate it holds, in one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from fleettui.domain.confidence import LIKELY, Confidence
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import holds_divided
from fleettui.domain.stock import Stock
from fleettui.reports import bound_words, fleet_text, units
from fleettui.reports.studies.subject import rate, up_to
from fleettui.reports.verdict_words import ABOUT

BY_FORMULA = " by formula"
NEEDLESS = 0.005
"""US dollars an hour that are not worth a word."""


NOMINAL = " at nominal speed"
"""At which step times a fleet's smallest size was found, unless they are said before."""


def told(answer: Answer, at: str = NOMINAL) -> str:
    """Return the sentence of a fleet that was given; empty for one that was searched for, and without limits.

    `at` says at which speed of its hardware.
    """
    best, stock = answer.answer, answer.stock
    if best is None or stock is None:
        return ""
    divided = holds_divided(answer.why)
    nominal = f"{_nominal(best, stock, at)}{f' ({divided})' if divided else ''}"
    likely = _likely(best, answer.confidence)
    apart = f"{nominal}{f', {likely}' if likely else ''}; {holding(stock)}"
    if stock.most_busy is None:
        return apart
    most = f"at most {bound_words.at_most(stock.most_busy)} busy"
    return f"{most}: {apart}" if best.busiest.utilization > stock.most_busy else f"{apart}, {most}"


def _nominal(best: Candidate, stock: Stock, at: str) -> str:
    if stock.gpus is None or stock.cost is None:
        return "no number of these replicas holds every limit"
    known = "" if stock.simulated else BY_FORMULA
    fewer = stock.unproven
    if fewer is None:
        return f"{_apart(best, stock.gpus, stock.cost)}{at}{known}"
    left = [pool.gpus - need for pool, need in zip(best.fleet.pools, stock.gpus, strict=True)]
    further = " less" if min(left) < 0 else " more" if any(left) else ""
    unproven = zip((pool.gpu for pool in best.fleet.pools), fewer, strict=True)
    told = _apart(best, stock.gpus, stock.cost, least="at least ", most="at most ")
    return f"{told}{at} ({_by_type(one for one in unproven if one[1])}{further} not proven)"


def _likely(best: Candidate, sure: Confidence | None) -> str:
    """Return about what is spare or short for nine cases of ten, which is by formula as simulations correct it.

    Where a fleet of another shape takes less for that, it is told of that one.
    """
    if sure is None:
        return ""
    share, other = units.percent(LIKELY), sure.instead
    if other is not None:
        given, taken = Counter(best.fleet.gpus_by_type), Counter(other.fleet.gpus_by_type)
        by_type = [(gpu, given[gpu] - taken[gpu]) for gpu in given | taken]
        left = _left(by_type, best.cost_per_hour - other.cost, least=ABOUT, most=ABOUT, where="")
        return f"{left} with {share} as {fleet_text.told_from(other.fleet, best.fleet)}"
    if sure.replicas is None or sure.cost is None:
        return f"no number of them with {share}"
    pairs = zip(best.fleet.pools, sure.replicas, strict=True)
    needed = [(size + pool.spares) * pool.gpus_per_replica for pool, size in pairs]
    return f"{_apart(best, needed, sure.cost, least=ABOUT, most=ABOUT)} with {share}"


def _apart(best: Candidate, needed: Sequence[int], cost: float, least: str = "", most: str = "") -> str:
    """Return by how many GPUs a fleet differs from one that needs so many in its pools at so many dollars an hour.

    What is spare is said as `least` says, what is short as `most` does.
    """
    pairs = zip(best.fleet.pools, needed, strict=True)
    left = [(pool.gpu, pool.gpus - need) for pool, need in pairs]
    return _left(left, best.cost_per_hour - cost, least=least, most=most, where=" in another pool")


def _left(left: Sequence[tuple[str, int]], saved: float, *, least: str, most: str, where: str) -> str:
    """Return what is left over of types of GPUs, less than none being short, and the dollars an hour that it saves.

    What is spare while others are short is so in the place that `where` says.
    """
    apart = abs(saved)
    cost = f"{most if most == ABOUT else ''}{units.dollars_per_hour(apart)}"
    price = f" ({cost})" if apart > NEEDLESS else ""
    spare, short = ([(gpu, sign * one) for gpu, one in left if sign * one > 0] for sign in (1, -1))
    number = sum(one for _, one in spare)
    is_spare = f"{least}{_by_type(spare)} {'is' if number == 1 else 'are'} spare"
    if not spare and not short:
        return "nothing is spare"
    if not short:
        return f"{is_spare}{price}"
    lacking = f"short by {most}{_by_type(short)}"
    if not spare:
        return f"{lacking}{price}"
    sign = "less" if saved > 0 else "more"
    price = f" (in all {cost} {sign})" if price else ""
    return f"{lacking}, while {is_spare}{where}{price}"


def _by_type(gpus: Iterable[tuple[str, int]]) -> str:
    totals = Counter[str]()
    for gpu, count in gpus:
        totals[gpu] += count
    return fleet_text.counted(totals.items())


def busier(best: Candidate, most: float) -> str:
    """Return that a fleet is busier than plans may be, empty where it is not."""
    busy = best.busiest.utilization
    return f"it is {units.percent(busy)} busy, plans at most {bound_words.at_most(most)}" if busy > most else ""


def holding(stock: Stock) -> str:
    """Return up to which rate a fleet holds, whether that is by formula, and up to which it is not proven.

    What was simulated is the greatest of the rates that were tried: a little more may hold as well.
    """
    if stock.rate is None:
        return "holds at no rate"
    reached = up_to(stock.rate)
    known = f"holds to at least {reached}" if stock.rate_simulated else f"holds to {reached}{BY_FORMULA}"
    return known if stock.fails_from is None else f"{known} (not proven up to {rate(stock.fails_from)})"
