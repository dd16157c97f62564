"""What the Python API returns: plans, studies and comparisons that tell themselves as data and as data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from fleettui.domain.plan import Answer, Candidate, PlanIdentity, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study, StudyTable
from fleettui.errors import InputError
from fleettui.reports.candidates_table import candidate_columns
from fleettui.reports.comparison.model import Comparison
from fleettui.reports.comparison.text import comparison_json, comparison_text
from fleettui.reports.plan_json import plan_json
from fleettui.reports.plan_text import plan_text
from fleettui.reports.redundancy_text import cautions
from fleettui.reports.schema_two import schema_two
from fleettui.reports.study_text import study_json, study_text

FRAMES = ("pandas", "polars")
"""The libraries whose data frames are made, the first that is installed."""


@dataclass(frozen=True, slots=True)
class PlanResult:
    """A kept plan: the `answer_kept`, as the store has it, to the `question`. Printed, it is what `show` prints."""

    answer_kept: Answer
    question: Question

    @property
    def verdict(self) -> Verdict:
        """Whether the answer holds every limit: pass, fail, unproven or infeasible."""
        return self.answer_kept.verdict

    @property
    def plan(self) -> PlanIdentity:
        """Its id, handle, name, seed and engine version."""
        return self.answer_kept.plan

    @property
    def answer(self) -> Candidate | None:
        """The fleet that it came to, with its cost, pools and evidence; None where none will do."""
        return self.answer_kept.answer

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The fleets that were ranked, cheapest first; of an infeasible question the nearest."""
        return self.answer_kept.candidates

    @property
    def why(self) -> tuple[str, ...]:
        """The reasons of the answer, in sentences."""
        return self.answer_kept.why

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is to be known before it is acted on."""
        return cautions(self.answer_kept, self.question)

    def to_dict(self, schema: int = 1) -> dict[str, Any]:
        """Return what `fleettui show --json` prints, in schema 1 or 2."""
        plain = plan_json(self.answer_kept, "show", question=self.question)
        return plain if schema == 1 else schema_two(plain)

    def to_frame(self) -> Any:
        """Return the candidates as a data frame, a row each, with the columns of `fleettui export`'s CSV in SI units.

        Raises InputError where neither pandas nor polars is installed.
        """
        columns = [one for one in candidate_columns(self.question, self.answer) if one.name]
        return _frame({one.name: one.value(candidate) for one in columns} for candidate in self.candidates)

    def __str__(self) -> str:
        return plan_text(self.answer_kept, self.question)


@dataclass(frozen=True, slots=True)
class StudyResult:
    """A kept study, as the store has it. Printed, it is what its command prints."""

    study: Study

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings in words, first things first."""
        return self.study.sentences

    @property
    def tables(self) -> tuple[StudyTable, ...]:
        """The findings as tables, cells in SI units."""
        return self.study.tables

    def to_dict(self, schema: int = 1) -> dict[str, Any]:
        """Return what `fleettui show --json` prints of a study, in schema 1 or 2."""
        plain = study_json(self.study, "show")
        return plain if schema == 1 else schema_two(plain)

    def to_frame(self, table: int = 0) -> Any:
        """Return one of its tables as a data frame; raises InputError for a table that there is none of."""
        if not 0 <= table < len(self.tables):
            raise InputError(
                "there is no such table", where="table", value=table, accepted=f"0 to {len(self.tables) - 1}"
            )
        return _frame(self.tables[table].records())

    def __str__(self) -> str:
        return study_text(self.study)


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """Kept plans side by side, the first as the baseline. Printed, it is what `compare` prints."""

    comparison: Comparison

    @property
    def sentences(self) -> tuple[str, ...]:
        """What differs in words, first things first."""
        return self.comparison.sentences

    def to_dict(self) -> dict[str, Any]:
        """Return what `fleettui compare --json` prints."""
        return comparison_json(self.comparison, "compare")

    def to_frame(self) -> Any:
        """Return a data frame with a row for each figure and a column for each plan, by its handle."""
        handles = [plan.handle for plan in self.comparison.plans]
        return _frame(
            {
                "section": row.section,
                "label": row.label,
                **{
                    handle: cell.text if cell.value is None else cell.value
                    for handle, cell in zip(handles, row.cells, strict=True)
                },
            }
            for row in self.comparison.rows
        )

    def __str__(self) -> str:
        return comparison_text(self.comparison)


def _frame(records: Iterable[Mapping[str, object]]) -> Any:
    """Return a data frame of `records` by the first library of FRAMES that is installed."""
    for name in FRAMES:
        try:
            library = import_module(name)
        except ImportError:
            continue
        return library.DataFrame(list(records))
    raise InputError(
        "no data frame can be made: neither pandas nor polars is installed",
        remedy="pip install pandas, or use to_dict()",
    )
