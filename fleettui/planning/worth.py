"""What fleets are compared by once they are simulated: what the answer should have least of."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Objective, Question
from fleettui.domain.size_curve import SizeCurve, cost_of_sizes
from fleettui.planning.walk import Sizes

TIE = 1e-9  # weight of cost where GPUs decide

Curves = tuple[SizeCurve, ...]
Broken = Callable[[Curves, Sizes], frozenset[str]]
"""Which constraints on money, power and stock fleets of these sizes break by the formulas."""
Worth = Callable[[Candidate], float]
"""What the answer should have least of."""


def cost(candidate: Candidate) -> float:
    """Return US dollars per hour, those of the compressor's cores included."""
    return candidate.cost_per_hour + candidate.compressor_cost


def worth_of(objective: Objective, hosts: float = 0.0) -> Worth:
    """Return what fleets are compared by once they are simulated, cost deciding between equals.

    For energy `hosts` are the watts of server and network for each GPU: the tokens are given, so that watts decide.
    """
    figures: dict[Objective, Worth] = {
        "gpus": _gpus,
        "power": lambda candidate: candidate.power,
        "energy": lambda candidate: candidate.power + hosts * candidate.gpus,
        "ttft": nothing,
    }
    return figures.get(objective, cost)


def worth_if_it_holds(answer: Answer, question: Question) -> float:
    """Return what an answer is worth to a question, endless where it does not hold."""
    if answer.answer is None or answer.verdict != "pass":
        return math.inf
    return worth_of(question.objective, question.host_power)(answer.answer)


def worth_of_sizes(
    objective: Objective, curves: Curves, sizes: Sizes, hosts: float = 0.0, *, compressor: float = 0.0
) -> float:
    """Return the same of pools at other sizes, by their curves; `compressor` is what that costs an hour."""
    pairs = list(zip(curves, sizes, strict=True))
    if objective == "ttft":
        return 0.0
    if objective in ("power", "energy"):
        beside = hosts if objective == "energy" else 0.0
        return math.fsum(curve.watts_at(size) + beside * curve.gpus_at(size) for curve, size in pairs)
    dollars = cost_of_sizes(curves, sizes) + compressor
    return math.fsum(curve.gpus_at(size) for curve, size in pairs) + TIE * dollars if objective == "gpus" else dollars


def best_first(shapes: Sequence[Candidate], objective: Objective, hosts: float = 0.0) -> list[Candidate]:
    """Return the formula's fleets, which come cheapest first, in the order of an objective; equals keep theirs."""
    if objective == "cost":
        return list(shapes)
    worth = _slowest if objective == "ttft" else worth_of(objective, hosts)
    return sorted(shapes, key=lambda shape: round(worth(shape), 9))


def _gpus(candidate: Candidate) -> float:
    return candidate.gpus + TIE * cost(candidate)


def _slowest(candidate: Candidate) -> float:
    return max(pool.ttft for pool in candidate.pools)


def nothing(_: Candidate) -> float:
    """Hold all fleets equal: walked down to the smallest that holds, each is as slow as its limit allows.

    So the first that holds is the answer, which by `best_first` is the fastest by formula.
    """
    return 0.0
