"""What running a kept plan again came to, as text and as JSON: the same to the byte, or which figures differ."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from fleettui.domain.digest import digest_of, said
from fleettui.domain.engine_changes import changes_since
from fleettui.domain.plan import ENGINE_VERSION, Answer, PlanIdentity
from fleettui.domain.redundancy import Redundancy
from fleettui.domain.remedy import INSTEAD, OF_THE_SAME, OTHER_DIVISIONS, USUAL_GPUS, USUAL_GPUS_BEFORE
from fleettui.reports import units
from fleettui.reports.backtest.note import BADGE
from fleettui.reports.comparison.model import Comparison
from fleettui.reports.comparison.text import comparison_table
from fleettui.reports.plan_json import envelope
from fleettui.reports.question.left_keys import DIFFERS
from fleettui.reports.table import WIDTH
from fleettui.reports.text_page import Item, text_page, warned

DIGITS = 16
"""Characters of a digest that are printed; the whole one is in the JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """A kept plan, and what its stored inputs came to when they were run `again`; `comparison` has both as columns."""

    kept: Answer
    again: Answer
    comparison: Comparison

    @property
    def digests(self) -> tuple[str, str]:
        """The digests of what was kept and of what was found again, ids and times left out."""
        first, second = (digest_of(said(one)) for one in self._told)
        return first, second

    @property
    def same(self) -> bool:
        """Whether both are the same to the byte."""
        first, second = self.digests
        return first == second

    @property
    def differs(self) -> tuple[str, ...]:
        """The parts of an answer that are not the same."""
        one, other = self._told
        names = (field.name for field in fields(Answer))
        return tuple(name for name in names if said(getattr(one, name)) != said(getattr(other, name)))

    @property
    def _told(self) -> tuple[Answer, Answer]:
        """What both say; how sure it is, how it stands failures and what is spare was not kept with every plan."""
        one, other = _told(self.kept), _told(self.again)
        other = other if one.confidence else replace(other, confidence=None)
        other = replace(other, redundancy=_as_kept(other.redundancy, one.redundancy))
        return one, other if one.stock else replace(other, stock=None)


def _as_kept(again: Redundancy | None, kept: Redundancy | None) -> Redundancy | None:
    """Return how a fleet stands failures as plans were kept: without a spread over more nodes where `kept` has none."""
    if again is None or kept is None:
        return None
    if any(pool.spread for pool in kept.pools):
        return again
    return replace(again, pools=tuple(replace(pool, spread=None) for pool in again.pools))


def _told(answer: Answer) -> Answer:
    """Return what an answer says by itself.

    Left out are its names, the proof that other candidates were given later, what other studies say of it, where a
    fleet's file did not say what the question said, what showed its stock, and which input decides, which other GPUs
    would do or which other division of its own, as that may rest on hardware that the plan does not keep.
    """
    candidates = tuple(replace(one, evidence=None) for one in answer.candidates)
    warnings = tuple(one for one in answer.warnings if not one.startswith((BADGE, DIFFERS)))
    aside = USUAL_GPUS, USUAL_GPUS_BEFORE, INSTEAD, OTHER_DIVISIONS
    why = tuple(one for one in answer.why if not one.startswith(aside) and OF_THE_SAME not in one)
    told = replace(answer, plan=PlanIdentity(), candidates=candidates, warnings=warnings, why=why)
    return replace(told, decides=None, looks=())


def rerun_text(found: Rerun, width: int = WIDTH) -> str:
    """Return what came of it in a sentence, how it was run, and the figures that differ, if any."""
    block: list[Item] = [
        _sentence(found),
        f"run from the stored question, lengths and hardware, {_proof(found.again)}",
        *(f"digest {one[:DIGITS]}" for one in dict.fromkeys(found.digests)),
    ]
    if (engine := found.kept.plan.engine_version) != ENGINE_VERSION:
        changed = "; ".join(changes_since(engine))
        block += warned([f"it was made by engine {engine}, and this is engine {ENGINE_VERSION}: {changed}"])
    differing = not found.same and any(row.differs for row in found.comparison.rows)
    return text_page([block, [comparison_table(found.comparison, (0, 1))] if differing else []], width)


def _sentence(found: Rerun) -> str:
    name = found.kept.plan.full_name
    if found.same:
        return f"{name}: the same to the byte"
    return f"{name}: not the same; what differs: {', '.join(found.differs)}"


def _proof(answer: Answer) -> str:
    seen = answer.simulation
    return "by formula" if seen is None else f"its proof too: {units.count(seen.replications)} runs"


def rerun_json(found: Rerun) -> dict[str, Any]:
    """Return the same as data: whether it is the same, both digests, and every row that differs."""
    kept, again = found.digests
    return envelope(
        "rerun",
        same=found.same,
        verdict=found.again.verdict,
        plan=found.kept.plan,
        engine_version=ENGINE_VERSION,
        digests={"kept": kept, "again": again},
        differs=found.differs,
        rows=[{"label": row.label, "cells": row.cells} for row in found.comparison.rows if row.differs],
    )
