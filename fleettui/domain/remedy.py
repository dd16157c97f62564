"""What limit would do where no fleet keeps the one that was asked for, and how that is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from fleettui.domain.advice import AT_MOST, Advice
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.meter import feed
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.unseen import fleet_as_seen

BY_FORMULA, SIMULATED = "by formula", "as simulated"
"""How a remedy is known."""
USUAL_GPUS = "without --gpu (the usual ones instead of "
"""How the remedy begins that rests on other hardware than a question names."""
OF_THE_SAME = " of the same "
"""What a remedy says that divides the GPUs of a fleet otherwise, before these."""
WOULD_HOLD, WOULD_DO = " would hold", " would do"
"""How it is told that another division of them all holds, or of fewer."""
OTHER_DIVISIONS = "other divisions of "
"""How the reason begins that says why nobody divided the GPUs of a fleet otherwise."""
INSTEAD = "instead: "
"""How the reason begins that names what a plan would take in place of a fleet that was given."""
USUAL_GPUS_BEFORE = "no --gpu, the usual ones"
"""How it begins in plans that were kept before it was told so."""
LIMITED = ("budget: ", "power: ", "feed: ", "GPUs: ", "inventory: ")
"""How it begins what a fleet breaks of the constraints on money, power and stock."""
SEVERAL_AT_ONCE = "breaks several limits at once: "
"""What stands between a fleet and the limits that it breaks."""
ROUNDING = 1e-12
NOTHING = 1e-9
"""What is so little that any fleet uses more of it."""
INVENTORY = "inventory of "
"""How the constraint on one type of GPU begins, which its name follows."""
MEASURED: Mapping[str, Callable[[Question], Question]] = {
    "budget": lambda asked: replace(asked, budget=None, objective="cost"),
    "power": lambda asked: replace(asked, max_power=None, objective="power"),
    "feed": lambda asked: replace(asked, max_feed=None, objective="energy"),
    "GPUs": lambda asked: replace(asked, max_total_gpus=None, objective="gpus"),
}
"""By the name of a constraint, the question without it whose answer has least of what it limits."""


def loosened(constraint: str, question: Question) -> Question:
    """Return a question without one constraint, whose answer has least of what it limits; of stock the best has."""
    if constraint in MEASURED:
        return MEASURED[constraint](question)
    gpu = constraint.removeprefix(INVENTORY)
    return replace(question, max_gpus=tuple(one for one in question.max_gpus if one[0] != gpu))


def tighter(constraint: str, used: float, question: Question) -> Question:
    """Return the question with the limit of one constraint next below what is told to do: what is `used`, rounded up.

    It is none on stock.
    """
    _, below = as_told(constraint, used)
    if constraint == "budget":
        return replace(question, budget=below)
    if constraint == "power":
        return replace(question, max_power=below)
    if constraint == "feed":
        return replace(question, max_feed=below)
    assert constraint == "GPUs", constraint
    return replace(question, max_total_gpus=round(below))


def as_told(constraint: str, used: float) -> tuple[float, float]:
    """Return the limit of one constraint that is told to do where so much is `used`, and the next below it.

    >>> as_told("budget", 12.341), as_told("power", 9_721.0), as_told("GPUs", 8.0)
    ((12.35, 12.34), (9730.0, 9720.0), (8.0, 7.0))
    """
    if constraint == "budget":
        least = _up(used, 2)
        return least, round(least - 0.01, 2)
    if constraint in ("power", "feed"):
        digits = _digits(used)
        least = _up(used / 1e3, digits)
        return round(1e3 * least, 3), round(1e3 * (least - 10.0**-digits), 3)
    return float(round(used)), float(round(used) - 1)


def remedy(constraint: str, used: float, nearest: Candidate, known: str = BY_FORMULA) -> str:
    """Return the smallest relaxation of one constraint that would do: what the `nearest` fleet has `used` of it.

    A simulated fleet is named.
    """
    fleet = f" ({fleet_words(nearest.fleet)})" if known != BY_FORMULA else ""
    if constraint == "budget":
        return f"a budget of ${_up(nearest.cost_per_hour, 2):.2f}/h would do, {known}{fleet}"
    if constraint == "power":
        return f"a limit of {_kilowatts(used)} on the GPUs would do, {known}{fleet}"
    if constraint == "feed":
        return f"a feed of {_kilowatts(used)} would do, {known}{fleet}"
    gpu = "GPUs" if constraint == "GPUs" else constraint.removeprefix(INVENTORY)
    noun = "GPU" if gpu == "GPUs" and round(used) == 1 else gpu
    others = nearest.fleet.gpus_by_type.items() if constraint != "GPUs" else ()
    words = "".join(f" beside {count} {other}" for other, count in others if other != gpu)
    return f"{used:.0f} {noun} would do{words}, at ${nearest.cost_per_hour:.2f}/h, {known}{fleet}"


def breaks_several(nearest: Candidate, broken: Sequence[str], known: str = BY_FORMULA) -> str:
    """Return that no one limit made looser would do for a fleet: it breaks several."""
    return f"{known} a fleet at ${nearest.cost_per_hour:.2f}/h {SEVERAL_AT_ONCE}{'; '.join(broken)}"


def usual_gpus_would_do(
    named: Sequence[str], one: Candidate | None, known: str = BY_FORMULA, *, at_most: bool = False
) -> str:
    """Return that a fleet of the usual GPUs would do in place of those that were `named`, or that none would.

    It costs `at_most` so much where it is not shown to be the best.

    >>> usual_gpus_would_do(["h100"], None, SIMULATED)
    'without --gpu (the usual ones instead of h100 alone) no fleet was seen to hold either, as simulated in short'
    """
    option = f"{USUAL_GPUS}{','.join(named)} alone)"
    if one is None and known == SIMULATED:
        return f"{option} no fleet was seen to hold either, {known} in short"
    if one is None:
        return f"{option} no fleet would do either, {BY_FORMULA}, as the engine is set"
    cost = f"{AT_MOST if at_most else ''}${one.cost_per_hour:.2f}/h"
    return f"{option} a fleet would do, {known}: {fleet_words(one.fleet)}, {cost}"


def setting_would_do(advice: Advice, one: Candidate, known: str = BY_FORMULA) -> str:
    """Return that a fleet whose engine is set as in an advice would do within every limit that was asked."""
    return advice.words.format(taken=f"{fleet_words(one.fleet)} would do, {known}, at ${one.cost_per_hour:.2f}/h")


def with_setting(why: Sequence[str], told: str, advice: Advice, question: Question) -> tuple[str, ...]:
    """Return reasons with what is `told` of a setting: first, but after looser limits where weights are others."""
    return (told, *why) if advice.question.dtype == question.dtype else (*why, told)


def would_do_instead(one: Candidate, own: Candidate, question: Question, known: str) -> str:
    """Return that another fleet would do in place of one that was given, and how much more or less it costs."""
    apart = one.cost_per_hour - own.cost_per_hour
    cost = f"${one.cost_per_hour:.2f}/h, ${abs(apart):.2f}/h {'less' if apart < 0.0 else 'more'}"
    fleet = fleet_as_seen(one.fleet, question, beside=own.fleet)
    return f"{INSTEAD}{fleet} would do, {known}: {cost}; fleettui plan proves it or a cheaper one"


def done_instead(why: Iterable[str]) -> str:
    """Return what is told to do in place of a fleet that was given, empty where nothing is.

    >>> done_instead(["slow", "instead: B200 tp1 x4 would do, as simulated: $21.00/h, $26.20/h less"])
    'B200 tp1 x4 would do, as simulated: $21.00/h, $26.20/h less'
    """
    return next((one.removeprefix(INSTEAD) for one in why if one.startswith(INSTEAD)), "")


def holds_divided(why: Iterable[str]) -> str:
    """Return that the GPUs of a fleet that was given hold where they divide otherwise, empty where that was not seen.

    >>> holds_divided(["slow", "tp1 x4 of the same 4 A100 would hold: P99 TPOT 0.0435 s within 0.045 s, as simulated"])
    'tp1 x4 of the same 4 A100 would hold'
    """
    divided = (one.partition(": ") for one in why if OF_THE_SAME in one)
    return next((does for does, _, _ in divided if does.endswith((WOULD_HOLD, WOULD_DO))), "")


def is_simulated(reason: str) -> bool:
    """Return whether a reason is a remedy as simulated."""
    told = f" would do, {SIMULATED}" in reason or f"/h, {SIMULATED}" in reason
    return told and not reason.startswith(INSTEAD)


def used_of(constraint: str, one: Candidate, question: Question) -> float:
    """Return what a fleet uses of a constraint; counts are its own GPUs: whole nodes are left aside."""
    if constraint == "budget":
        return one.cost_per_hour
    if constraint == "power":
        return one.power
    if constraint == "feed":
        return feed(question, one.power, one.gpus)
    if constraint == "GPUs":
        return float(one.gpus)
    return float(one.fleet.gpus_by_type.get(constraint.removeprefix(INVENTORY), 0))


def broken_alone(one: Candidate, question: Question) -> tuple[str, float] | None:
    """Return the one constraint that a fleet breaks and what it uses of it, None where it breaks none or several."""
    broken = [(name, used) for name, used, most in _used(one, question) if used > most * (1.0 + ROUNDING)]
    return broken[0] if len(broken) == 1 else None


def largest_share(one: Candidate, question: Question) -> float:
    """Return the largest share of a constraint that a fleet uses, above 1 where it breaks one; 0 without any."""
    return max((used / max(most, NOTHING) for _, used, most in _used(one, question)), default=0.0)


def keeps_constraints(one: Candidate, question: Question) -> bool:
    """Return whether a fleet uses no more of any constraint than it may."""
    return largest_share(one, question) <= 1.0 + ROUNDING


def _used(one: Candidate, question: Question) -> Iterator[tuple[str, float, float]]:
    """Yield each constraint's name, what a fleet uses of it and the most that it may."""
    limits = {
        "budget": question.budget,
        "power": question.max_power,
        "feed": question.max_feed,
        "GPUs": question.max_total_gpus,
        **{f"{INVENTORY}{gpu}": most for gpu, most in question.max_gpus},
    }
    yield from ((name, used_of(name, one, question), most) for name, most in limits.items() if most is not None)


def without_constraints(question: Question) -> Question:
    """Return a question whose fleets may cost, draw and take what they will."""
    return replace(question, budget=None, max_power=None, max_feed=None, max_total_gpus=None, max_gpus=())


def least_of_each(question: Question) -> list[Question]:
    """Return the question without constraints for least of each further thing that one of them limits."""
    loosened = [measured(question) for measured in MEASURED.values()]
    limited = {one.objective for one in loosened if replace(one, objective=question.objective) != question}
    free = without_constraints(question)
    return [replace(free, objective=one) for one in sorted(limited - {question.objective})]


def each_stock_loosened(question: Question) -> list[Question]:
    """Return the question without the stock of one GPU type, for each of several that have one; all else is kept."""
    stocks = [gpu for gpu, _ in question.max_gpus]
    return [loosened(f"{INVENTORY}{gpu}", question) for gpu in stocks] if len(stocks) > 1 else []


def has_constraints(question: Question) -> bool:
    """Return whether a fleet's cost, power or GPUs are limited, and its rate is the same at any size."""
    return question.demand.form != "concurrency" and without_constraints(question) != question


def is_constrained(answer: Answer, question: Question) -> bool:
    """Return whether the formulas found no fleet, and constraints on the fleet may be what is in the way."""
    return answer.answer is None and has_constraints(question) and any(one.shortfalls for one in answer.candidates)


def _kilowatts(watts: float) -> str:
    """Return watts in kW, rounded up to three digits at least.

    >>> _kilowatts(9_721.0), _kilowatts(45_410.0)
    ('9.73 kW', '45.5 kW')
    """
    digits = _digits(watts)
    return f"{_up(watts / 1e3, digits):.{digits}f} kW"


def _digits(watts: float) -> int:
    return 2 if watts < 10e3 else 1


def _up(value: float, digits: int) -> float:
    """Return a value rounded up to so many decimals, but for what floats lose.

    >>> _up(12.341, 2), _up(12.34, 2)
    (12.35, 12.34)
    """
    return math.ceil(value * 10.0**digits * (1.0 - 1e-12)) / 10.0**digits
