"""Which workloads of a joint plan have another fleet than in an earlier one, and what became of the earlier fleets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate
from fleettui.planning.kept_plan import KeptPlan
from fleettui.reports.moved_fleet import MovedFleet, moved_fleet

NOTHING: Mapping[str, Candidate] = MappingProxyType({})

Then = tuple[str, Fleet, str]
"""A workload's name, its fleet of then, and what people call what that is of: a plan's handle, a file."""


def fleets_then(members: Mapping[str, KeptPlan]) -> Iterator[Then]:
    """Yield the fleet of each workload of an earlier joint plan that has one."""
    for name, kept in members.items():
        if kept.answer.answer is not None:
            yield name, kept.answer.answer.fleet, kept.handle


def moved_of_each(
    then: Iterable[Then], now: Mapping[str, KeptPlan], judged: Mapping[str, Candidate] = NOTHING
) -> Iterator[tuple[str, MovedFleet]]:
    """Yield which workload has another fleet than then, and what became of that: of some it was `judged` for itself."""
    for name, fleet, called in then:
        if name in now:
            moved = moved_fleet(fleet, now[name].answer, now[name].question, called, judged.get(name))
            if moved is not None:
                yield name, moved


def fails_of_each(then: Iterable[Then], now: Mapping[str, KeptPlan]) -> Iterator[str]:
    """Yield in sentences which workload's fleet of then was shown to fail now."""
    for name, moved in moved_of_each(then, now):
        if moved.fails:
            yield f"{name}: {moved.text}"
