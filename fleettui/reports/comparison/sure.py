"""How sure plans are beside each other: the share of the cases in which each suffices, and what is left of limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fleettui.domain.confidence import Confidence
from fleettui.reports import confidence_text, fleet_text, units
from fleettui.reports.answer_head import gpu_counts
from fleettui.reports.comparison.model import Cell, Compared, Row, Word

HOLDS, LIKELY, RANGE, LEFT = "how sure", "90% sure with", "GPUs may be", "nearest limit"


def rows(plans: Sequence[Compared]) -> Iterator[Row]:
    """Yield how sure each is, the GPUs for nine cases of ten, the range by the model's error, what is left of limits.

    A row that none of the plans has anything to tell in is left out.
    """
    base = plans[0]
    holds = [_holds(plan, base) for plan in plans]
    found = (
        Row(section="results", label=HOLDS, cells=tuple(holds), less_is_better=False),
        _likely(plans),
        _row(RANGE, plans, lambda plan: "" if plan.fleet is None else gpu_counts(plan.fleet, of_these=False)),
        _row(LEFT, plans, _left),
    )
    yield from (row for row in found if any(cell.text != units.UNDEFINED for cell in row.cells))


def sentence(base: Compared, other: Compared) -> str:
    """Return how sure a plan's fleet is to suffice beside the first's, empty where they are alike or one is unknown."""
    own, its = (_known(plan, lambda sure: confidence_text.surely(sure.holds)) for plan in (other, base))
    return f"it is {own} sure to suffice where {base.handle} is {its}" if own and its and own != its else ""


def _row(label: str, plans: Sequence[Compared], write: Callable[[Compared], str]) -> Row:
    cells = tuple(Cell(text=write(plan) or units.UNDEFINED) for plan in plans)
    return Row(section="results", label=label, cells=cells)


def _holds(plan: Compared, base: Compared) -> Cell:
    """Return the share of the cases in which a plan's fleet suffices, and whether that is more than the baseline's."""
    own, other = plan.answer.confidence, base.answer.confidence
    if plan.fleet is None or own is None:
        return Cell(text=units.UNDEFINED)
    text = confidence_text.surely(own.holds)
    if other is None or text == confidence_text.surely(other.holds):
        return Cell(text=text, value=own.holds)
    word: Word = "better" if own.holds > other.holds else "worse"
    return Cell(text=text, value=own.holds, difference=own.holds - other.holds, word=word)


def _known(plan: Compared, write: Callable[[Confidence], str]) -> str:
    sure = plan.answer.confidence
    return "" if plan.fleet is None or sure is None else write(sure)


def _likely(plans: Sequence[Compared]) -> Row:
    """Return the GPUs of each that suffice in nine cases of ten, with their cost.

    Where they are of other GPU types than those of another plan, or than those of its own fleet, all are named.
    """
    types = {_types(plan) for plan in plans} - {()}
    alike = len(types) < 2 and all(_like_its_own(plan) for plan in plans)
    return _row(LIKELY, plans, lambda plan: _known(plan, lambda sure: _enough(sure, () if alike else _types(plan))))


def _like_its_own(plan: Compared) -> bool:
    return plan.fleet is None or _types(plan) in ((), tuple(sorted(plan.fleet.fleet.gpus_by_type)))


def _types(plan: Compared) -> tuple[str, ...]:
    """Return the GPU types of what suffices in nine cases of ten; empty where nothing is known to."""
    sure = plan.answer.confidence
    if plan.fleet is None or sure is None or sure.best_gpus is None:
        return ()
    fleet = plan.fleet.fleet if sure.instead is None else sure.instead.fleet
    return tuple(sorted(fleet.gpus_by_type))


def _enough(sure: Confidence, types: Sequence[str]) -> str:
    if sure.best_gpus is None or sure.best_cost is None:
        return "no number of them"
    number = " ".join(filter(None, (units.count(sure.best_gpus), " + ".join(types).upper())))
    return f"~{number} ({confidence_text.paid_for(sure.best_paid, sure.best_cost)})"


def _left(plan: Compared) -> str:
    """Return what is left of the latency limit that is nearest, by which limit."""
    if plan.fleet is None:
        return ""
    shares = [share for _, share in fleet_text.slo_margins(plan.fleet, plan.question.slo)]
    told = fleet_text.margins(plan.fleet, plan.question)[: len(shares)]
    known = [(share, words) for share, words in zip(shares, told, strict=True) if share is not None]
    return min(known)[1] if known else ""
