"""What a question trades for what, as a study: the best fleet for each objective, and the front of cost and TTFT."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fleettui.domain.fleet import Fleet
from fleettui.domain.pareto import Tradeoff, Weighed
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Objective, Question
from fleettui.domain.study import Study, StudyColumn, StudyTable
from fleettui.reports import fleet_words, units
from fleettui.reports.studies import about as words

SAME = 1e-6
"""Shares up to which two figures are told as one."""
FIGURES: Mapping[Objective, Callable[[Weighed], float]] = {
    "cost": lambda one: one.cost,
    "gpus": lambda one: one.gpus,
    "power": lambda one: one.power,
    "ttft": lambda one: one.ttft,
}
LEAST: Mapping[Objective, str] = {"gpus": "fewest GPUs", "power": "least power"}
KNOWN_PAIRINGS = ("", "joint")


def pareto_study(plan: Answer, question: Question, asked: str, found: Tradeoff) -> Study:
    """Return the study of a trade-off that has a front; `plan` is the one whose question it is."""
    return Study(
        kind="pareto",
        title=f"{plan.plan.name or plan.plan.handle}: what faster, fewer or cooler GPUs cost",
        question=asked,
        plan=plan.plan.id,
        seed=plan.plan.seed,
        sentences=tuple(_sentences(plan, found)),
        tables=(_best(question, found), _front(plan, question, found)),
        warnings=tuple(_warnings(plan, question, found)),
    )


def _sentences(plan: Answer, found: Tradeoff) -> Iterator[str]:
    cheapest, fastest = found.front[0], found.front[-1]
    if cheapest is fastest:
        yield f"the cheapest is the fastest too: {_told(cheapest)}"
    else:
        yield f"the cheapest: {_told(cheapest)}"
        yield f"the fastest: {_told(fastest)}: {_change(fastest, cheapest)}"
    if found.knee is not None:
        bend = found.front[found.knee]
        yield f"the knee: {_told(bend)}: {_change(bend, cheapest)}; beyond it, faster costs more for less"
    yield from _other_choices(found)
    if plan.answer is not None:
        yield _standing(plan.answer, found)


def _told(one: Weighed) -> str:
    return f"{_fleet(one)}, {words.money(one.cost)}, TTFT {units.seconds(one.ttft)}"


def _fleet(one: Weighed) -> str:
    return f"{fleet_words.gpu_total(one.fleet)} ({fleet(one.fleet)})"


def fleet(value: Fleet) -> str:
    """Return a fleet in words with the lengths at which it divides, by which alone two may differ.

    H100 tp4 x4 + tp4 x2 at 4,096.
    """
    splits = " and ".join(units.count(pool.up_to) for pool in value.pools[:-1])
    return f"{fleet_words.fleet(value)} at {splits}" if splits else fleet_words.fleet(value)


def _change(one: Weighed, cheapest: Weighed) -> str:
    """Return what a fleet costs more than the cheapest, and how much faster or slower it is."""
    share = dearer(one, cheapest)
    cost = f"{words.money(one.cost - cheapest.cost)} more" if share is None else f"{words.signed_percent(share)} cost"
    return f"{cost}, {words.signed_percent(one.ttft / cheapest.ttft - 1.0)} TTFT"


def dearer(one: Weighed, cheapest: Weighed) -> float | None:
    """Return what a fleet costs more, as a share of the cheapest's cost; None where that is nothing."""
    if not cheapest.cost:
        return None
    share = one.cost / cheapest.cost - 1.0
    return 0.0 if abs(share) < SAME else share


def _other_choices(found: Tradeoff) -> Iterator[str]:
    """Yield where the fewest GPUs, or watts, choose another fleet than the least cost does."""
    cheapest, best, same = found.front[0], dict(found.best), []
    for objective, least in LEAST.items():
        one, figure = best.get(objective), FIGURES[objective]
        if one is None:
            continue
        if figure(one) >= figure(cheapest) * (1.0 - SAME):
            same.append(f"the {least}")
        elif objective == "power":
            watts = f"{units.watts(one.power)} instead of {units.watts(cheapest.power)}"
            yield f"{least}: {_fleet(one)}, {watts}: {_change(one, cheapest)}"
        else:
            yield f"{least}: {_fleet(one)} instead of {cheapest.gpus:,}: {_change(one, cheapest)}"
    if same:
        yield f"the cheapest also has {' and '.join(same)}"


def _standing(own: Candidate, found: Tradeoff) -> str:
    """Return where the plan's own fleet stands, by formula as all others do."""
    ttft = _ttft(own)
    told = f"this plan, {own.gpus:,} GPUs at {words.money(own.cost_per_hour)}, TTFT {units.seconds(ttft)} by formula"
    affordable = [one for one in found.front if one.cost <= own.cost_per_hour * (1.0 + SAME)]
    if not affordable or affordable[-1].ttft > ttft * (1.0 + SAME):
        return f"{told}: no fleet of the front is both as cheap and as fast"
    rival = affordable[-1]
    if rival.cost >= own.cost_per_hour * (1.0 - SAME) and rival.ttft >= ttft * (1.0 - SAME):
        return f"{told}: on the front"
    return f"{told}: beaten by {_told(rival)}"


def _ttft(own: Candidate) -> float:
    """Return the formulas' TTFT of a candidate's worst pool, seconds."""
    return max(pool.ttft for pool in own.pools)


def _is_plan(one: Weighed, own: Candidate) -> bool:
    """Return whether two fleets are alike: the same pools at the same sizes."""
    return fleet(one.fleet) == fleet(own.fleet)


def _best(question: Question, found: Tradeoff) -> StudyTable:
    columns = (
        StudyColumn(name="least"),
        StudyColumn(name="fleet"),
        StudyColumn(name="gpus", quantity="count"),
        StudyColumn(name="cost_per_hour", quantity="dollars per hour"),
        StudyColumn(name="dearer", quantity="share"),
        StudyColumn(name="power", quantity="watts"),
        StudyColumn(name="ttft", quantity="seconds"),
        StudyColumn(name="tpot", quantity="seconds"),
        StudyColumn(name="tokens_per_joule", quantity="tokens per joule"),
    )
    rows = tuple(
        (
            objective,
            fleet(one.fleet),
            one.gpus,
            one.cost,
            dearer(one, found.front[0]),
            one.power,
            one.ttft,
            one.tpot,
            one.tokens_per_joule,
        )
        for objective, one in found.best
    )
    note = (
        f"each at the smallest size that holds, by formula; {_rank(question)} TTFT and TPOT of the worst pool; dearer "
        "than the cheapest of all; output tokens per joule of the GPUs"
    )
    return StudyTable(title="best for each objective", columns=columns, rows=rows, note=note)


def _front(plan: Answer, question: Question, found: Tradeoff) -> StudyTable:
    columns = (
        StudyColumn(name="cost_per_hour", quantity="dollars per hour"),
        StudyColumn(name="ttft", quantity="seconds"),
        StudyColumn(name="gpus", quantity="count"),
        StudyColumn(name="power", quantity="watts"),
        StudyColumn(name="fleet"),
        StudyColumn(name="note"),
    )
    rows = tuple(
        (one.cost, one.ttft, one.gpus, one.power, fleet(one.fleet), ", ".join(_marks(place, plan, found)))
        for place, one in enumerate(found.front)
    )
    fewer = "" if len(rows) == found.standing else f"{len(rows)} of the {found.standing} on it are shown; "
    note = (
        f"{fewer}no other of {found.weighed:,} is at once as cheap and as fast: {found.found:,} fleets that hold every "
        "limit and their larger sizes, one replica more in the worst pool each, up to 12, as long as that gains 2%"
    )
    return StudyTable(
        title=f"the front: {_rank(question)} TTFT of the worst pool against cost", columns=columns, rows=rows, note=note
    )


def _marks(place: int, plan: Answer, found: Tradeoff) -> Iterator[str]:
    """Yield what a fleet of the front stands out by."""
    one = found.front[place]
    if place == 0:
        yield "cheapest"
    if place == found.knee:
        yield "knee"
    if place == len(found.front) - 1:
        yield "fastest"
    for objective, best in found.best:
        if objective in LEAST and best.fleet == one.fleet:
            yield LEAST[objective]
    if plan.answer is not None and _is_plan(one, plan.answer):
        yield "this plan"


def _rank(question: Question) -> str:
    return f"P{units.write_percentile(question.slo.percentile)}"


def _warnings(plan: Answer, question: Question, found: Tradeoff) -> Iterator[str]:
    own, formula = plan.answer, dict(found.best).get(question.objective)
    if own is not None and formula is not None and fleet_words.simulation_of(own) and formula.gpus != own.gpus:
        yield (
            f"the plan's {own.gpus} GPUs are as simulated; the formula, which everything here comes from, asks for "
            f"{formula.gpus}"
        )
    if question.demand.form == "concurrency":
        yield (
            f"all fleets are sent this plan's {words.rate(plan.demand.rate)}; in a closed loop each would be sent "
            "another rate"
        )
    if plan.demand.pairing not in KNOWN_PAIRINGS:
        yield f"how prompts and outputs pair is unknown; all this is for the costliest way: {plan.demand.pairing}"
