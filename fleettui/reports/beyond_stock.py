"""What the fleets of a joint plan's other workloads leave of its limits, and what of one's own page is beyond that."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from fleettui.domain.confidence import Confidence, SureFleet
from fleettui.domain.fleet_words import gpus_in
from fleettui.domain.joint import SharedLimits, stock
from fleettui.domain.plan import AT_POSTED_PRICES, WITHOUT, Answer
from fleettui.reports.shared_amounts import Broken, amount, broken, resource

Taken = tuple[Mapping[str, int], float]
"""GPUs by type, and US dollars an hour."""
_COUNTED = re.compile(r"([\d,]+) ([A-Z]\w*)")
"""GPUs of a type, as lists write them: 12 H100."""


def left_of(limits: SharedLimits, others: Iterable[Taken]) -> Mapping[str, float]:
    """Return what other fleets leave of each shared limit but power, by its resource."""
    gpus, cost = Counter[str](), 0.0
    for own, paid in others:
        gpus.update(own)
        cost += paid
    taken = {stock(name): float(count) for name, count in gpus.items()} | {"gpus": float(gpus.total()), "cost": cost}
    known = ((name, most) for name, most in limits.limits() if name != "power")
    return {name: max(0.0, most - taken.get(name, 0.0)) for name, most in known}


def marked(answer: Answer, left: Mapping[str, float]) -> Answer:
    """Return an answer whose advice says what of it is beyond what is `left`; what only saves beyond it is not told."""
    sure = answer.confidence
    return replace(
        answer,
        confidence=None if sure is None else _of_confidence(answer, sure, left),
        why=tuple(_reason(one, left) for one in answer.why),
        warnings=tuple(one for one in answer.warnings if not _saves_beyond(one, left)),
    )


def _of_confidence(answer: Answer, sure: Confidence, left: Mapping[str, float]) -> Confidence:
    best, more = answer.answer, Counter[str]()
    if best is not None and sure.replicas is not None:
        for pool, count in zip(best.fleet.pools, sure.replicas, strict=True):
            more[pool.gpu] += (count + pool.spares) * pool.gpus_per_replica
    return replace(
        sure,
        beyond="" if sure.cost is None else _beyond(more, sure.cost, left),
        instead=_of_fleet(sure.instead, left),
        better_known=_of_fleet(sure.better_known, left),
        alike=_of_fleet(sure.alike, left),
    )


def _of_fleet(other: SureFleet | None, left: Mapping[str, float]) -> SureFleet | None:
    return other and replace(other, beyond=_beyond(other.fleet.gpus_by_type, other.cost, left))


def _reason(reason: str, left: Mapping[str, float]) -> str:
    """Return a reason, with what is too little of it where it names a fleet without the answer's GPU types."""
    if not reason.startswith(WITHOUT):
        return reason
    fleet = reason.partition(": ")[2].partition(", ")[0]
    over = _beyond(gpus_in(fleet), 0.0, left)
    return f"{reason}, {over}" if over else reason


def _saves_beyond(warning: str, left: Mapping[str, float]) -> bool:
    """Return whether a warning names a fleet that posted prices make cheaper, and that is beyond what is left."""
    if not warning.startswith(AT_POSTED_PRICES):
        return False
    fleet = warning.rpartition("/h, ")[2]
    gpus = {name.lower(): int(count.replace(",", "")) for count, name in _COUNTED.findall(fleet)}
    return bool(_beyond(gpus, 0.0, left))


def _beyond(gpus: Mapping[str, int], cost: float, left: Mapping[str, float]) -> str:
    """Return which limits so many GPUs by type at this cost are beyond, and what is left of these; empty for none."""
    return beyond_left(broken(left.items(), gpus, cost))


def beyond_left(found: Iterable[Broken]) -> str:
    """Return limits that are broken and what is left of each, empty where none is.

    >>> beyond_left([("stock of h100", 8.0, 15.0), ("cost", 40.0, 44.25)]), beyond_left([])
    ('beyond the stock of H100, 8 left, and the budget, $40/h left', '')
    """
    told = ", and ".join(f"the {resource(name)}, {amount(name, most)} left" for name, most, _ in found)
    return f"beyond {told}" if told else ""
