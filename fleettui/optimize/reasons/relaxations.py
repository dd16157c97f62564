"""For a question that nothing answers: per constraint the smallest relaxation that alone would make it feasible.

Each is found by planning again: a limit is taken away, and if that helps, it is put back as tightly as it goes, on a
grid of three digits (cents, whole GPUs). The value that is named is feasible, and the next tighter one is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.fleet import Fleet, counted
from fleettui.domain.limit import Limit
from fleettui.domain.meter import feed
from fleettui.domain.plan import Candidate, Verdict
from fleettui.domain.remedy import BY_FORMULA, SIMULATED, is_simulated
from fleettui.domain.scenario import Question
from fleettui.domain.study import Quantity, StudyTable, table_of
from fleettui.optimize.reasons.inputs import Ground, words
from fleettui.optimize.reasons.limits import gpus_of

DIGITS = 3
CENT = 0.01
EASED = 0.1
FINEST_SHARE = 0.001
MOST_DOUBLINGS = 30
TITLES: dict[Quantity, str] = {
    "seconds": "latency",
    "share": "load",
    "dollars per hour": "money",
    "watts": "power",
    "count": "GPUs",
}

MOVES_LATENCY = frozenset({"seconds", "share"})
"""Units of constraints that decide whether a simulated fleet holds; the others only say which fleets may be had."""
KNOWN: dict[Verdict | None, str] = {
    None: BY_FORMULA,
    "pass": SIMULATED,
    "unproven": f"{BY_FORMULA}, not proven by simulation",
    "infeasible": BY_FORMULA,
}
"""How a relaxation is known, by what a simulation said of its fleet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """Something that a question holds a fleet to, as a number.

    `at` sets it and `without` takes it away; `uses` is what a fleet needs of it; `step` the grid's unit for a value.
    """

    name: str
    unit: Quantity
    now: float
    at: Callable[[Question, float], Question]
    without: Callable[[Question], Question]
    uses: Callable[[Candidate], float]
    step: Callable[[float], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """The least value of a constraint that makes the question feasible, with the fleet that then answers it.

    Both are None where no value of this constraint alone does. `tighter` is the next value, which is infeasible.
    `verdict` is what a simulation said of the fleet under the other limits, None where none did.
    Just within a latency limit fleets are huge; `eased` is the fleet for one a tenth looser still, where it is cheaper.
    """

    name: str
    unit: Quantity
    now: float
    least: float | None
    tighter: float | None
    candidate: Candidate | None
    eased: Candidate | None = None
    verdict: Verdict | None = None

    @property
    def proof(self) -> str:
        """How the fleet is known to hold: ~pass is by formula alone; empty where there is none."""
        return "" if self.candidate is None else self.verdict or "~pass"


def relaxations(ground: Ground) -> tuple[Relaxation, ...]:
    """Return one for each numeric constraint of an infeasible question."""
    return tuple(_relax(ground, one) for one in constraints(ground.question))


def constraints(question: Question) -> tuple[Constraint, ...]:
    """Return the constraints of a question: each latency limit, load, money, power, stock."""
    found = [_latency(limit, question) for limit in question.slo.limits()]
    found.append(_utilization(question.max_utilization))
    found += [one.of(question) for one in FIGURES if getattr(question, one.field) is not None]
    return (*found, *(_inventory(gpu, most) for gpu, most in question.max_gpus))


def _relax(ground: Ground, one: Constraint) -> Relaxation:
    free = one.without(ground.question)
    loose = ground.find(free)
    by_formula = (fleet for fleet in loose.candidates if not fleet.shortfalls)
    holding = [fleet for fleet in (ground.held_up(each, free) for each in by_formula) if fleet is not None]
    if loose.answer is None or not holding:
        return Relaxation(name=one.name, unit=one.unit, now=one.now, least=None, tighter=None, candidate=None)
    enough = min(one.uses(fleet) for fleet in holding)
    step = one.step(max(enough, one.now))

    def try_at(units: int) -> Candidate | None:
        return ground.unrefuted(one.at(ground.question, units * step))

    bracket = _bracket(try_at, math.floor(one.now / step + 1e-9), math.ceil(enough / step - 1e-9))
    if bracket is None:
        return Relaxation(name=one.name, unit=one.unit, now=one.now, least=None, tighter=None, candidate=None)
    low, high, best = bracket
    while high - low > 1:
        middle = (low + high) // 2
        found = try_at(middle)
        low, high, best = (middle, high, best) if found is None else (low, middle, found)
    eased = None
    if one.unit == "seconds":
        looser = ground.unrefuted(one.at(ground.question, high * step * (1.0 + EASED)))
        eased = looser if looser is not None and looser.cost_per_hour < best.cost_per_hour else None
    return Relaxation(
        name=one.name,
        unit=one.unit,
        now=one.now,
        least=high * step,
        tighter=low * step,
        candidate=best,
        eased=eased,
        verdict=None if one.unit in MOVES_LATENCY else ground.verdict(best.fleet),
    )


def _bracket(try_at: Callable[[int], Candidate | None], low: int, likely: int) -> tuple[int, int, Candidate] | None:
    """Return (infeasible, feasible, its fleet) around the least feasible value above `low`: often it is `likely`.

    None where no value up to 2^MOST_DOUBLINGS above that does.
    """
    high, stride = max(likely, low + 1), 1
    while (best := try_at(high)) is None:
        if stride >= 2**MOST_DOUBLINGS:
            return None
        low, high, stride = high, high + stride, stride * 2
    stride = 1
    while high - stride > low:
        found = try_at(high - stride)
        if found is None:
            return high - stride, high, best
        high, best, stride = high - stride, found, stride * 4
    return low, high, best


def _digits(value: float) -> float:
    """Return the unit of the last of DIGITS digits.

    >>> _digits(0.2814)
    0.001
    """
    return float(10.0 ** (math.floor(math.log10(value)) - DIGITS + 1))


def _latency(limit: Limit, question: Question) -> Constraint:
    def with_limit(asked: Question, seconds: float | None) -> Question:
        return replace(asked, slo=asked.slo.moved(limit, seconds))

    return Constraint(
        name=limit.label,
        unit="seconds",
        now=limit.seconds,
        at=with_limit,
        without=lambda asked: with_limit(asked, None),
        uses=lambda fleet: max(pool.at(limit) for pool in fleet.pools) / (1.0 - question.headroom),
        step=_digits,
    )


def _utilization(now: float) -> Constraint:
    return Constraint(
        name="utilization",
        unit="share",
        now=now,
        at=lambda asked, value: replace(asked, max_utilization=min(value, 1.0 - FINEST_SHARE)),
        without=lambda asked: replace(asked, max_utilization=1.0 - FINEST_SHARE),
        uses=lambda fleet: max(pool.utilization for pool in fleet.pools),
        step=lambda _: FINEST_SHARE,
    )


def _inventory(gpu: str, now: int) -> Constraint:
    def with_most(asked: Question, most: int | None) -> Question:
        others = tuple(pair for pair in asked.max_gpus if pair[0] != gpu)
        return replace(asked, max_gpus=others if most is None else (*others, (gpu, most)))

    return Constraint(
        name=f"inventory of {gpu}",
        unit="count",
        now=now,
        at=lambda asked, value: with_most(asked, round(value)),
        without=lambda asked: with_most(asked, None),
        uses=lambda fleet: float(gpus_of(fleet, gpu)),
        step=lambda _: 1.0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of a question that limits fleets, None where it is not asked for; `uses` is what a fleet has of it."""

    field: str
    name: str
    unit: Quantity
    uses: Callable[[Question, Candidate], float]
    step: Callable[[float], float]

    def of(self, question: Question) -> Constraint:
        """Return it as a constraint of a question that asks for it; GPUs are whole ones."""
        return Constraint(
            name=self.name,
            unit=self.unit,
            now=getattr(question, self.field),
            at=lambda asked, value: self._set(asked, round(value) if self.unit == "count" else value),
            without=lambda asked: self._set(asked, None),
            uses=lambda fleet: self.uses(question, fleet),
            step=self.step,
        )

    def _set(self, asked: Question, value: float | None) -> Question:
        return replace(asked, **{self.field: value})  # type: ignore[arg-type]


FIGURES = (
    Figure(
        field="budget",
        name="budget",
        unit="dollars per hour",
        uses=lambda _, fleet: fleet.cost_per_hour,
        step=lambda _: CENT,
    ),
    Figure(field="max_power", name="power", unit="watts", uses=lambda _, fleet: fleet.power, step=_digits),
    Figure(
        field="max_feed",
        name="feed",
        unit="watts",
        uses=lambda asked, fleet: feed(asked, fleet.power, fleet.gpus),
        step=_digits,
    ),
    Figure(
        field="max_total_gpus",
        name="GPUs in all",
        unit="count",
        uses=lambda _, fleet: float(fleet.gpus),  # or more, where whole nodes are taken: the search goes up from there
        step=lambda _: 1.0,
    ),
)
"""Money, power and stock."""


def to_prove(found: Sequence[Relaxation]) -> tuple[Fleet, ...]:
    """Return the fleets at looser constraints than those on latency and load that no simulation looked at."""
    open_ = (one.candidate for one in found if one.verdict is None and one.unit not in MOVES_LATENCY)
    return tuple(dict.fromkeys(one.fleet for one in open_ if one is not None))


def sentences(found: Sequence[Relaxation], kept: Sequence[str] = ()) -> tuple[str, ...]:
    """Return, per constraint, the value that would do, or that none alone does.

    Of the `kept` plan's own reasons those that were simulated stand for what the formulas say of such constraints.
    """
    simulated = [one for one in kept if is_simulated(one)]
    left = [one for one in found if one.least is not None and not (simulated and one.unit not in MOVES_LATENCY)]
    helps = [*simulated, *map(_told, left)]
    hopeless = [one.name for one in found if one.least is None]
    if not hopeless:
        return tuple(helps)
    *others, last = hopeless
    names = f"{', '.join(others)} or {last}" if others else last
    return (*helps, f"no value of {names} alone helps")


def _told(one: Relaxation) -> str:
    assert one.least is not None, "it is told where there is one"
    assert one.candidate is not None, "and then there is a fleet"
    value, now = _value(one.least, one.unit), _value(one.now, one.unit)
    fleet = f"{words(one.candidate)}, ${one.candidate.cost_per_hour:.2f}/h"
    said = f"{one.name} of {value} instead of {now} alone would do, {KNOWN[one.verdict]}: {fleet}"
    if one.eased is None:
        return said
    eased, limit = one.eased, _value(one.least * (1.0 + EASED), one.unit)
    return f"{said}; with {limit} it takes {words(eased)}, ${eased.cost_per_hour:.2f}/h"


def _value(value: float, unit: Quantity) -> str:
    """Return a value with its unit, every digit of the grid shown.

    >>> _value(0.281, "seconds"), _value(41.5, "dollars per hour"), _value(41_300.0, "watts")
    ('0.281 s', '$41.50/h', '41.3 kW')
    """
    if unit == "dollars per hour":
        return f"${value:.2f}/h"
    if unit == "count":
        return counted(value)
    if unit == "watts":
        return f"{value / 1e3:.6g} kW"
    return f"{value:.6g}{' s' if unit == 'seconds' else ''}"


def tables(found: Sequence[Relaxation]) -> tuple[StudyTable, ...]:
    """Return a table per unit."""
    units = dict.fromkeys(one.unit for one in found)
    return tuple(_table(unit, [one for one in found if one.unit == unit]) for unit in units)


def _table(unit: Quantity, found: Sequence[Relaxation]) -> StudyTable:
    return table_of(
        f"what would make it feasible: {TITLES[unit]}",
        found,
        ("constraint", "text", lambda one: one.name),
        ("now", unit, lambda one: one.now),
        ("would_do", unit, lambda one: one.least),
        ("would_not", unit, lambda one: one.tighter),
        ("fleet", "text", lambda one: "nothing alone" if one.candidate is None else words(one.candidate)),
        ("cost_per_hour", "dollars per hour", lambda one: one.candidate.cost_per_hour if one.candidate else None),
        ("verdict", "text", lambda one: one.proof),
        note="each alone, the others as they are; ~ by formula, corrected by what simulations showed",
    )
