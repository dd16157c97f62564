"""Whether a joint question's answer still holds, as text and as JSON: what no longer does, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fleettui.domain.joint import JointPlan
from fleettui.domain.study import Cell, Study
from fleettui.reports.check_text import over, worse
from fleettui.reports.plan_json import envelope
from fleettui.reports.table import WIDTH, wrap

BY_FORMULA = "by formula:"


@dataclass(frozen=True, slots=True, kw_only=True)
class JointChecked:
    """A joint plan as it is today, with its study as kept; what it may cost; and the stored one that it is held to.

    `changes` say in words what is asked of which workload that was not asked then.
    """

    plan: JointPlan
    study: Study
    max_cost: float | None = None
    against: Study | None = None
    changes: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[str, ...]:
        """What no longer holds, in sentences: of all together, then of each workload that needs more."""
        return tuple(_broken(self))

    @property
    def note(self) -> str:
        """What makes the two less comparable, empty where nothing does."""
        stored = "" if self.against is None else self.against.sentences[0]
        if not stored or (BY_FORMULA in stored) == (BY_FORMULA in self.study.sentences[0]):
            return ""
        return "only one of the two is simulated: counts by formula may be smaller than those that hold"

    @property
    def holds(self) -> bool:
        """Whether every workload's plan passes and all cost no more than they may and than those of the stored one."""
        return not self.broken


def plans_of(study: Study) -> dict[str, str]:
    """Return the handle of each workload's plan in a joint plan's study."""
    return {name: str(row["plan"]) for name, row in _fleets(study).items() if row["plan"]}


def _fleets(study: Study) -> dict[str, dict[str, Cell]]:
    """Return the rows of a joint plan's fleets by workload."""
    tables = [one for one in study.tables if {"name", "gpus", "cost", "plan"} <= {each.name for each in one.columns}]
    rows = [dict(zip([one.name for one in table.columns], row, strict=True)) for table in tables for row in table.rows]
    return {str(row["name"]): row for row in rows}


def _total(study: Study) -> tuple[int, float] | None:
    """Return GPUs and US dollars an hour of all fleets, None where there are none."""
    rows = _fleets(study).values()
    figures = [(row["gpus"], row["cost"]) for row in rows]
    known = [(int(gpus), float(cost)) for gpus, cost in figures if gpus is not None and cost is not None]
    if not known or len(known) < len(figures):
        return None
    return sum(gpus for gpus, _ in known), sum(cost for _, cost in known)


def _broken(found: JointChecked) -> Iterator[str]:
    if found.plan.verdict != "pass":
        yield from found.study.sentences
    total = _total(found.study)
    if total is None:
        return
    if found.max_cost is not None:
        yield from over(max(total[1], found.plan.joint.cost), found.max_cost)
    before = None if found.against is None else _total(found.against)
    if found.against is None or before is None:
        return
    all_worse = tuple(worse(before, total))
    yield from all_worse
    if all_worse:
        old, new = _fleets(found.against), _fleets(found.study)
        for name in old.keys() & new.keys():
            pair = [(int(row["gpus"] or 0), float(row["cost"] or 0.0)) for row in (old[name], new[name])]
            yield from (f"{name}: {words}" for words in worse(*pair))
        yield from (f"{name}: it was not there" for name in new.keys() - old.keys())


def joint_check_text(found: JointChecked, width: int = WIDTH) -> str:
    """Return first whether it holds, then what does not, then what changed, then how to look closer."""
    return "\n".join(line for text, indent in _blocks(found) for line in wrap(text, width, indent))


def _blocks(found: JointChecked) -> Iterator[tuple[str, str]]:
    against = "" if found.against is None else f" against {found.against.handle}"
    if found.holds:
        yield f"holds{against}: {found.study.sentences[0]}", ""
    else:
        yield f"{'NO LONGER HOLDS' if against else 'DOES NOT HOLD'}{against}", ""
    for words in found.broken:
        yield words, "- "
    if found.note:
        yield found.note, "! "
    if found.changes:
        yield "it holds although:" if found.holds else "why:", ""
    for change in found.changes:
        yield change, "- "
    look = f"fleettui show {found.study.handle}"
    if found.against is not None:
        look = f"fleettui compare {found.against.handle} {found.study.handle}"
    yield f"kept as {found.study.handle}; {look}", ""


def joint_check_json(found: JointChecked) -> dict[str, Any]:
    """Return the same as data."""
    total = _total(found.study)
    return envelope(
        "check",
        holds=found.holds,
        verdict=found.plan.verdict,
        broken=found.broken,
        changes=found.changes,
        study=found.study.handle,
        answer=None if total is None else {"gpus": total[0], "cost_per_hour": total[1]},
        max_cost=found.max_cost,
        against=None if found.against is None else found.against.handle,
        note=found.note,
    )
