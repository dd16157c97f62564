"""Whether a question's answer still holds, as text and as JSON: what no longer does, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate, PlanIdentity
from fleettui.domain.plan_inputs import Size
from fleettui.domain.scenario import Question
from fleettui.domain.unseen import SEEN_NO, SEEN_NONE
from fleettui.reports import confidence_text, findings, units
from fleettui.reports.backtest.note import BADGE
from fleettui.reports.changes_text import changes_data
from fleettui.reports.check_markdown import check_markdown
from fleettui.reports.findings import BASELINE_GPUS, LATENCY, ROUNDING, Finding, Own
from fleettui.reports.input_changes import Change
from fleettui.reports.moved_fleet import MovedFleet, moved_fleet
from fleettui.reports.plan_json import envelope
from fleettui.reports.table import WIDTH
from fleettui.reports.text_page import Item, Line, text_page
from fleettui.reports.verdict_words import NOMINAL, VERDICT_WORDS

BY_FORMULA = "by formula alone: a simulation may ask for more; without --no-verify it is proven"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A baseline's fleet and today's, both seen in the same way: by simulation, or both by formula.

    `plan` is the baseline, and `file` the one that it was read from, empty where it is kept. `own` are what the two
    plans came to where that is not seen in the same way: then a `note` says so. `sure` is in what share of the cases
    the baseline holds, None where nobody knows. `fleet` is the baseline's, None where it has none, and `judged` that as
    it was simulated for itself at today's question, None where it was not.
    """

    plan: PlanIdentity
    before: Size | None
    after: Size | None
    note: str = ""
    file: str = ""
    own: Own = (None, None)
    sure: float | None = None
    fleet: Fleet | None = None
    judged: Candidate | None = None

    @property
    def ref(self) -> str:
        """What people type to get the baseline."""
        return self.file or self.plan.handle

    @property
    def short(self) -> str:
        """What people call it beside one of its fleets: its file, its name, or its handle."""
        return self.file or self.plan.name or self.plan.handle

    @property
    def called(self) -> str:
        """What people call it."""
        return f"{self.file} (plan {self.plan.full_name})" if self.file else self.plan.full_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The answer to a question as it is today, kept; what it may cost; and the baseline that it is held to."""

    answer: Answer
    question: Question
    max_cost: float | None = None
    against: Pair | None = None
    changes: tuple[Change, ...] = ()

    @property
    def broken(self) -> tuple[str, ...]:
        """What no longer holds, in sentences; nothing where all does."""
        return tuple(one.text for one in self.findings if not one.holds and one.code != LATENCY)

    @property
    def worse(self) -> tuple[str, ...]:
        """In what it is worse than the baseline, in sentences."""
        return tuple(one.text for one in _against_baseline(self) if not one.holds)

    @property
    def moved(self) -> MovedFleet | None:
        """How its fleet differs from the baseline's, None where it does not."""
        if self.against is None:
            return None
        pair = self.against
        return moved_fleet(pair.fleet, self.answer, self.question, pair.short, pair.judged)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that was tested."""
        return tuple(_tested(self))

    @property
    def holds(self) -> bool:
        """Whether the answer passes, costs no more than it may, and agrees with the stored plan."""
        return not self.broken

    @property
    def notes(self) -> tuple[str, ...]:
        """What makes it less sure, in sentences."""
        return tuple(_notes(self))

    @property
    def is_nominal(self) -> bool:
        """Whether it passes in too few of the cases to hold without a word more, or nobody knows in how many."""
        return bool(self.caveat)

    @property
    def caveat(self) -> str:
        """Why it holds at nominal speed only, where it does."""
        best = self.answer.answer
        if best is None or self.answer.verdict != "pass":
            return ""
        return confidence_text.caveat(self.answer.confidence, best, self.question)

    def text(self, width: int = WIDTH) -> str:
        """Return first whether it holds, then what does not, then what changed, then how to look closer."""
        broken: list[Item] = [("- ", words) for words in self.broken]
        notes: list[Item] = [("! ", words) for words in self.notes]
        return text_page([[_head(self), *broken, *notes, *_why(self), _look(self)]], width)

    def markdown(self) -> str:
        """Return the same as Markdown, for a pull request."""
        why = [change.text for change in self.changes]
        return check_markdown(_head(self), self.findings, why=why, notes=(*self.notes, _look(self)))

    def json(self) -> dict[str, Any]:
        """Return the same as data."""
        return envelope(
            "check",
            holds=self.holds,
            verdict=self.answer.verdict,
            broken=self.broken,
            findings=[one for one in self.findings if not one.holds],
            changes=changes_data(self.changes),
            plan=self.answer.plan,
            answer=Size.of(self.answer.answer),
            confidence=self.answer.confidence,
            max_cost=self.max_cost,
            notes=self.notes,
            against=None if self.against is None else _against(self.against, self.moved),
        )


def _tested(found: Checked) -> Iterator[Finding]:
    answer = found.answer
    reason = f": {answer.why[0]}" if answer.why else ""
    verdict = findings.of_verdict(answer.verdict, f"the verdict is {VERDICT_WORDS[answer.verdict]}{reason}")
    yield replace(verdict, value=f"{verdict.value} {NOMINAL}") if found.is_nominal else verdict
    yield from findings.of_latencies(answer, found.question)
    yield from findings.of_confidence(answer, found.question)
    if answer.answer is not None and found.max_cost is not None:
        yield findings.of_maximum(answer.answer.cost_per_hour, found.max_cost)
    yield from _against_baseline(found)


def _against_baseline(found: Checked) -> Iterator[Finding]:
    """Yield whether the baseline takes as much, and that its fleet fails where that was seen.

    More GPUs that cost no more are chosen, not needed, where the baseline's fleet holds.
    """
    pair, held = found.against, found.moved is not None and found.moved.verdict == "pass"
    for one in _beside(pair):
        chosen = one.code == BASELINE_GPUS and held and pair is not None and not _is_dearer(pair)
        yield replace(one, holds=True, text="") if chosen else one
    if found.moved is not None:
        yield from found.moved.findings()


def _is_dearer(pair: Pair) -> bool:
    before, after = pair.before, pair.after
    return before is not None and after is not None and after.cost_per_hour > before.cost_per_hour * (1 + ROUNDING)


def _beside(pair: Pair | None) -> Iterator[Finding]:
    """Yield whether the baseline takes as much, by name where both sizes are other than the one that was proven."""
    if pair is not None and pair.before is not None and pair.after is not None:
        yield from findings.of_baseline(pair.before, pair.after, "by formula" if pair.note else "", pair.own)


def _head(found: Checked) -> str:
    """Return whether it holds, against what, and with which fleet."""
    against = "" if found.against is None else f" against {found.against.called}"
    if not found.holds:
        return f"NO LONGER HOLDS{against}" if found.worse else "DOES NOT HOLD"
    best = found.answer.answer
    assert best is not None, "what passes has a fleet"
    word = findings.holds_word(is_nominal=found.is_nominal, by_formula=best.simulation is None)
    return f"{word}{against}: {best.gpus} GPUs at {units.cents_per_hour(best.cost_per_hour)}, {_proof(best)}"


def _notes(found: Checked) -> Iterator[str]:
    """Yield what makes it less sure."""
    best = found.answer.answer
    if found.holds and best is not None and best.simulation is None and found.against is None:
        yield BY_FORMULA
    if found.is_nominal:
        yield f"{NOMINAL}: {found.caveat}"
    yield from _less_sure(found)
    if found.moved is not None and not found.moved.fails:
        yield found.moved.text
    if found.against is not None and found.against.note:
        yield found.against.note
    yield from (one for one in found.answer.warnings if one.startswith(BADGE) or SEEN_NO in one or SEEN_NONE in one)


def _less_sure(found: Checked) -> Iterator[str]:
    """Yield that the answer is less sure than the baseline, as whole percentages tell it."""
    best, sure = found.answer.answer, found.answer.confidence
    before = None if found.against is None else found.against.sure
    if best is None or sure is None or before is None:
        return
    was, now = map(confidence_text.surely, (before, sure.holds))
    if sure.holds < before and was != now:
        yield f"less sure than the baseline: {was} -> {'~' * (best.simulation is None)}{now}"


def _why(found: Checked) -> Iterator[Line]:
    """Yield what changed since the baseline."""
    if found.against is None:
        return
    if found.changes:
        yield "", "it holds although:" if found.holds else "what changed:"
    elif found.worse:
        yield "", "why: no input differs from those of the stored plan; the program does"
    for change in found.changes:
        yield "- ", change.text


def _look(found: Checked) -> str:
    """Return where to look closer."""
    plan = found.answer.plan
    look = f"fleettui show {plan.handle}"
    if found.against is not None:
        look = f"fleettui diff {found.against.ref} {plan.handle}"
    return f"kept as {plan.full_name}; {look}"


def _proof(best: Candidate) -> str:
    seen = best.simulation
    return "by formula" if seen is None else f"simulated in {units.count(seen.replications)} runs"


def _against(pair: Pair, moved: MovedFleet | None) -> dict[str, Any]:
    return {
        "plan": pair.plan,
        **({"file": pair.file} if pair.file else {}),
        "before": pair.before,
        "after": pair.after,
        "stored": pair.own[0] or pair.before,
        "sure": pair.sure,
        "note": pair.note,
        "moved": moved,
    }
