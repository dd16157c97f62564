"""Whether a question's answer still holds, as text and as JSON: what no longer does, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fleettui.domain.plan import Answer, Candidate, PlanIdentity
from fleettui.domain.serialization import to_plain
from fleettui.reports import confidence_text, fleet_text, units
from fleettui.reports.input_changes import Change
from fleettui.reports.plan_json import envelope
from fleettui.reports.table import WIDTH
from fleettui.reports.text_page import Line, text_page

BY_FORMULA = "by formula alone: a simulation may ask for more; without --no-verify it is proven"
ROUNDING = 1e-9
"""Share of a cost that is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A kept plan's fleet and today's, both seen in the same way: by simulation, or both by formula."""

    plan: PlanIdentity
    before: Candidate | None
    after: Candidate | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The answer to a question as it is today, kept; what it may cost; and the stored plan that it is held to."""

    answer: Answer
    max_cost: float | None = None
    against: Pair | None = None
    changes: tuple[Change, ...] = ()

    @property
    def broken(self) -> tuple[str, ...]:
        """What no longer holds, in sentences; nothing where all does."""
        return tuple(_broken(self))

    @property
    def worse(self) -> tuple[str, ...]:
        """In what it is worse than the stored plan, in sentences."""
        pair = self.against
        if pair is None or pair.before is None or pair.after is None:
            return ()
        return tuple(worse(*((one.gpus, one.cost_per_hour) for one in (pair.before, pair.after))))

    @property
    def holds(self) -> bool:
        """Whether the answer passes, costs no more than it may, and agrees with the stored plan."""
        return not self.broken

    def text(self, width: int = WIDTH) -> str:
        """Return first whether it holds, then what does not, then what changed, then how to look closer."""
        return text_page([[*_first(self), *_changes(self)]], width)

    def json(self) -> dict[str, Any]:
        """Return the same as data."""
        return envelope(
            "check",
            holds=self.holds,
            verdict=self.answer.verdict,
            broken=self.broken,
            changes=[{**to_plain(change), "text": change.text} for change in self.changes],
            plan=self.answer.plan,
            answer=_figures(self.answer.answer),
            confidence=self.answer.confidence,
            max_cost=self.max_cost,
            against=None if self.against is None else _against(self.against),
        )


def _broken(found: Checked) -> Iterator[str]:
    answer = found.answer
    if answer.verdict != "pass":
        reason = f": {answer.why[0]}" if answer.why else ""
        yield f"the verdict is {fleet_text.VERDICT_WORDS[answer.verdict]}{reason}"
    best = answer.answer
    if best is not None and found.max_cost is not None:
        yield from over(best.cost_per_hour, found.max_cost)
    yield from found.worse


def over(cost: float, most: float) -> Iterator[str]:
    """Yield by how much a cost per hour is above what it may be, where it is."""
    if cost > most * (1 + ROUNDING):
        above = units.cents_per_hour(cost - most)
        yield f"it costs {units.cents_per_hour(cost)}, {above} above the maximum of {units.cents_per_hour(most)}"


def worse(before: tuple[int, float], after: tuple[int, float]) -> Iterator[str]:
    """Yield which of GPUs and cost per hour are more than they were."""
    (gpus, cost), (gpus_now, cost_now) = before, after
    if gpus_now > gpus:
        yield f"it needs more GPUs: {gpus} -> {gpus_now}"
    if cost_now > cost * (1 + ROUNDING):
        more, was, now = map(units.cents_per_hour, (cost_now - cost, cost, cost_now))
        yield f"it costs {more} more: {was} -> {now}"


def _first(found: Checked) -> Iterator[Line]:
    against = "" if found.against is None else f" against {found.against.plan.full_name}"
    if found.holds:
        best = found.answer.answer
        assert best is not None, "what passes has a fleet"
        yield "", f"holds{against}: {best.gpus} GPUs at {units.cents_per_hour(best.cost_per_hour)}, {_proof(best)}"
        if best.simulation is None and found.against is None:
            yield "! ", BY_FORMULA
    else:
        yield "", f"NO LONGER HOLDS{against}" if found.worse else "DOES NOT HOLD"
    for words in found.broken:
        yield "- ", words
    if found.answer.verdict == "pass" and confidence_text.is_nominal(found.answer.confidence):
        best = found.answer.answer
        assert best is not None, "what passes has a fleet"
        yield "! ", f"{fleet_text.NOMINAL}: {confidence_text.told(found.answer.confidence, best.gpus)}"
    if found.against is not None and found.against.note:
        yield "! ", found.against.note


def _changes(found: Checked) -> Iterator[Line]:
    plan = found.answer.plan
    if found.against is None:
        yield "", f"kept as {plan.full_name}; fleettui show {plan.handle}"
        return
    if found.changes:
        yield "", "it holds although:" if found.holds else "why:"
    elif found.worse:
        yield "", "why: no input differs from those of the stored plan; the program does"
    for change in found.changes:
        yield "- ", change.text
    yield "", f"kept as {plan.full_name}; fleettui diff {found.against.plan.handle} {plan.handle}"


def _proof(best: Candidate) -> str:
    seen = best.simulation
    return "by formula" if seen is None else f"simulated in {units.count(seen.replications)} runs"


def _against(pair: Pair) -> dict[str, Any]:
    return {
        "plan": pair.plan,
        "before": _figures(pair.before),
        "after": _figures(pair.after),
        "note": pair.note,
    }


def _figures(best: Candidate | None) -> dict[str, Any] | None:
    if best is None:
        return None
    seen = best.simulation
    return {
        "gpus": best.gpus,
        "cost_per_hour": best.cost_per_hour,
        "method": "formula" if seen is None else "simulation",
    }
