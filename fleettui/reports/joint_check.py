"""Whether a joint question's answer still holds, as text and as JSON: what no longer does, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from fleettui.domain.joint import JointPlan
from fleettui.domain.plan_inputs import Size
from fleettui.domain.study import Study, fleets_of
from fleettui.reports import findings, joint_sure, units
from fleettui.reports.check_markdown import check_markdown
from fleettui.reports.findings import BASELINE_GPUS, Finding, Own
from fleettui.reports.moved_fleet import MovedFleet
from fleettui.reports.plan_json import envelope
from fleettui.reports.table import WIDTH, wrap
from fleettui.reports.whole_nodes import is_told, paid_cost, paid_gpus

BY_FORMULA = "by formula:"
ALL = ""
"""What stands for all workloads together where one is named."""
Sizes = Mapping[str, tuple[int, float]]
"""GPUs and US dollars an hour by workload."""
Total = tuple[int, float]
"""GPUs and US dollars an hour of all workloads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByFormula:
    """The `fleets` of a joint plan as the formulas chose them, and what is `paid` for in whole nodes, where that is."""

    fleets: Sizes
    paid: Total | None = None

    @property
    def total(self) -> Total | None:
        """GPUs and US dollars an hour of all of them, None where there are none."""
        return self.paid or _total(self.fleets)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointChecked:
    """A joint plan as it is today, with its study as kept; what it may cost; and the one that it is held to.

    That is kept, or was read from a `file`.
    `formula` are the fleets of both by formula, the stored ones first, where only one of the two is simulated: then
    these are held to each other. `changes` say in words what is asked of which workload that was not asked then, and
    `moved` which workloads have another fleet than then.
    """

    plan: JointPlan
    study: Study
    max_cost: float | None = None
    against: Study | None = None
    file: str = ""
    formula: tuple[ByFormula, ByFormula] | None = None
    changes: tuple[str, ...] = ()
    moved: tuple[tuple[str, MovedFleet], ...] = ()

    @property
    def broken(self) -> tuple[str, ...]:
        """What no longer holds, in sentences: of all together, then of each workload that needs more."""
        verdict, *others = self.findings
        told = () if verdict.holds else self.study.sentences
        return (*told, *(one.text for one in others if not one.holds))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that was tested: the verdict first, then all fleets together, and what needs more where they do."""
        return tuple(_tested(self))

    @property
    def note(self) -> str:
        """How the two are held to each other where they were not seen in the same way, empty where they were."""
        if self.against is None or self.formula is None:
            return ""
        kept = by_formula(self.study)
        total = total_of(self.against if kept else self.study)
        proven = f", to {total[0]} GPUs at {units.cents_per_hour(total[1])}" if total else ""
        return f"held to each other by formula: only the {'stored' if kept else 'new'} one is simulated{proven}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known beside what was tested."""
        return (*filter(None, (self.note,)), *(f"{name}: {one.text}" for name, one in self.moved if not one.fails))

    @property
    def ref(self) -> str:
        """What people type to get the baseline, empty without one."""
        return self.file or ("" if self.against is None else self.against.handle)

    @property
    def holds(self) -> bool:
        """Whether every workload's plan passes and all cost no more than they may and than those of the stored one."""
        return not self.broken

    def text(self, width: int = WIDTH) -> str:
        """Return first whether it holds, then what does not, then what changed, then how to look closer."""
        return "\n".join(line for text, indent in _blocks(self) for line in wrap(text, width, indent))

    def markdown(self) -> str:
        """Return the same as Markdown, for a pull request."""
        return check_markdown(_head(self), self.findings, why=self.changes, notes=(*self.notes, _look(self)))

    def json(self) -> dict[str, Any]:
        """Return the same as data."""
        total, stored = total_of(self.study), None if self.against is None else total_of(self.against)
        return envelope(
            "check",
            holds=self.holds,
            verdict=self.plan.verdict,
            broken=self.broken,
            findings=[one for one in self.findings if not one.holds],
            changes=self.changes,
            study=self.study.handle,
            answer=None if total is None else {"gpus": total[0], "cost_per_hour": total[1]},
            max_cost=self.max_cost,
            against=self.ref or None,
            stored=None if stored is None else {"gpus": stored[0], "cost_per_hour": stored[1]},
            note=self.note,
            moved=dict(self.moved),
        )


def by_formula(study: Study) -> bool:
    """Return whether a joint plan was not simulated."""
    return BY_FORMULA in study.sentences[0]


def sizes(study: Study) -> Sizes:
    """Return the fleets of a joint plan as they are kept, none where a workload has none."""
    figures = {name: (row["gpus"], row["cost"]) for name, row in fleets_of(study).items()}
    known = {name: (int(gpus), float(cost)) for name, (gpus, cost) in figures.items() if gpus is not None and cost}
    return known if len(known) == len(figures) else {}


def total_of(study: Study) -> Total | None:
    """Return GPUs and US dollars an hour that a joint plan pays for, in whole nodes or not, None without a fleet."""
    paid = paid_gpus(study)
    return (sum(paid.values()), paid_cost(study)) if paid else _total(sizes(study))


def totals_of(old: Study, new: Study) -> tuple[Total | None, Total | None]:
    """Return what both joint plans pay for, or what serves in both where one is kept without what its nodes hold."""
    if all(is_told(one) for one in (old, new)):
        return total_of(old), total_of(new)
    return _total(sizes(old)), _total(sizes(new))


def _total(fleets: Sizes) -> Total | None:
    """Return GPUs and US dollars an hour of all fleets, None where there are none."""
    if not fleets:
        return None
    return sum(gpus for gpus, _ in fleets.values()), sum(cost for _, cost in fleets.values())


def _tested(found: JointChecked) -> Iterator[Finding]:
    yield findings.of_verdict(found.plan.verdict, found.study.sentences[0])
    total = total_of(found.study)
    if total is not None and found.max_cost is not None:
        yield findings.of_maximum(max(total[1], found.plan.joint.cost), found.max_cost)
    if found.formula is not None:
        before, after = found.formula
        yield from _beside((before.fleets, after.fleets), (before.total, after.total), partial(_own, found))
    elif found.against is not None:
        fleets = sizes(found.against), sizes(found.study)
        yield from _beside(fleets, totals_of(found.against, found.study), lambda _name: (None, None))
    for name, moved in found.moved:
        yield from (replace(one, subject=name, text=f"{name}: {one.text}") for one in moved.findings())


def _beside(
    fleets: tuple[Sizes, Sizes], totals: tuple[Total | None, Total | None], own: Callable[[str], Own]
) -> Iterator[Finding]:
    """Yield whether all need more together than they did; where they do, which of the workloads does."""
    (old, new), (before, after) = fleets, totals
    if before is None or after is None:
        together = list[Finding]()
    else:
        together = [*findings.of_baseline(_size(before), _size(after), own=own(ALL))]
    yield from together
    for name in new if not all(one.holds for one in together) else ():
        if name in old:
            found = findings.of_baseline(_size(old[name]), _size(new[name]), name, own(name))
            yield from (one for one in found if not one.holds)
        else:
            text = f"{name}: it was not there"
            yield Finding(code=BASELINE_GPUS, subject=name, limit=None, value=new[name][0], holds=False, text=text)


def _own(found: JointChecked, name: str) -> Own:
    """Return what both joint plans came to themselves, in all or for the workload with a name: one was simulated."""
    stored, new = (
        (total_of(one) if name == ALL else sizes(one).get(name)) if one is not None else None
        for one in (found.against, found.study)
    )
    methods = ("simulation", "formula") if by_formula(found.study) else ("formula", "simulation")
    first, second = (
        None if told is None else _size(told, method) for told, method in zip((stored, new), methods, strict=True)
    )
    return first, second


def _size(told: Total, method: str = "as kept") -> Size:
    return Size(gpus=told[0], cost_per_hour=told[1], method=method)


def _head(found: JointChecked) -> str:
    against = f" against {found.ref}" if found.ref else ""
    if found.holds:
        word = findings.holds_word(is_nominal=joint_sure.is_nominal(found.plan), by_formula=by_formula(found.study))
        return f"{word}{against}: {found.study.sentences[0]}"
    return f"{'NO LONGER HOLDS' if against else 'DOES NOT HOLD'}{against}"


def _look(found: JointChecked) -> str:
    look = f"fleettui show {found.study.handle}"
    if found.file:
        look = f"fleettui report {found.study.handle} --against {found.file}"
    elif found.ref:
        look = f"fleettui compare {found.ref} {found.study.handle}"
    return f"kept as {found.study.handle}; {look}"


def _blocks(found: JointChecked) -> Iterator[tuple[str, str]]:
    yield _head(found), ""
    for words in found.broken:
        yield words, "- "
    for words in found.notes:
        yield words, "! "
    if found.changes:
        yield "it holds although:" if found.holds else "what changed:", ""
    for change in found.changes:
        yield change, "- "
    yield _look(found), ""
