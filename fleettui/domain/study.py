"""A study: what was asked of a plan or of the program beyond a plan, with its findings as tables in SI units.

Sweeps, step tables, sensitivities, Pareto fronts, published tables and joint plans are all studies: computed once, kept
for ever, shown the same by every front end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeVar

from fleettui.domain.joint import JointAsked
from fleettui.domain.plan import ENGINE_VERSION, Look, PlanIdentity, Verdict
from fleettui.domain.serialization import later
from fleettui.errors import InputError

Quantity = Literal[
    "text",
    "count",
    "number",
    "rate",
    "seconds",
    "dollars per hour",
    "dollars per year",
    "share",
    "watts",
    "tokens",
    "tokens per joule",
    "date",
]
Cell = str | int | float | None


JOINT, JOINT_TITLE = "joint", "Joint plan {name}: "
"""The kind of a joint plan, and how its title begins: by the name in it people find it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyColumn:
    """A column's name, which is its key in JSON, and what its cells are; None in a cell is an undefined figure."""

    name: str
    quantity: Quantity = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTable:
    """Rows of cells in SI units (dollars per hour or year where the column says so); `note` explains in a sentence.

    One that is `drawn` is long: texts leave its rows to pictures, one for each value of its first column over the
    second.
    """

    title: str
    columns: tuple[StudyColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    drawn: bool = later(False)

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise InputError("a row has not one cell per column", value=row, accepted=f"{len(self.columns)} cells")

    def records(self) -> list[dict[str, Cell]]:
        """Return each row's cells by the names of their columns."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]


Row = TypeVar("Row")
Declared = tuple[str, Quantity, Callable[[Row], Cell]]
"""A column: its name, its quantity, and its cell of a row's object."""


def table_of(
    title: str,
    rows: Iterable[Row],
    *columns: Declared[Row],
    note: str = "",
) -> StudyTable:
    """Return a table with a row per object; a figure without end is undefined.

    >>> table_of("words", ["a", "bc"], ("word", "text", str), ("letters", "count", len)).rows
    (('a', 1), ('bc', 2))
    """
    return StudyTable(
        title=title,
        columns=tuple(StudyColumn(name=name, quantity=quantity) for name, quantity, _ in columns),
        rows=tuple(tuple(_defined(cell(row)) for _, _, cell in columns) for row in rows),
        note=note,
    )


def _defined(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Findings and how they are found again.

    `handle` is what people type, `plan` the id of the plan that it is about, empty where there is none; `question` what
    was asked, in one line as typed; `sentences` the answer in words, first things first; `verdict` that of a joint
    plan, and of a study that had to leave something out; `looks` what was simulated for it under the plan's question;
    `joint` what a joint plan was asked.
    """

    id: str = ""
    handle: str = ""
    kind: str = ""
    title: str = ""
    question: str = ""
    plan: str = ""
    seed: int = 1
    engine_version: int = ENGINE_VERSION
    created: str = ""
    sentences: tuple[str, ...] = ()
    tables: tuple[StudyTable, ...] = ()
    warnings: tuple[str, ...] = ()
    verdict: Verdict | None = None
    looks: tuple[Look, ...] = later(())
    joint: JointAsked | None = later(None)

    @classmethod
    def of(
        cls,
        plan: PlanIdentity,
        *,
        sentences: Iterable[str],
        tables: Iterable[StudyTable],
        warnings: Iterable[str] = (),
        seed: int | None = None,
        kind: str = "",
        title: str = "",
        question: str = "",
    ) -> Study:
        """Return a study of `plan`, not kept yet; `seed` is the plan's unless given.

        What `kind` it is, its `title` and what was asked are said by what declares the kind, unless they are said here.
        """
        return cls(
            kind=kind,
            title=title,
            question=question,
            plan=plan.id,
            seed=plan.seed if seed is None else seed,
            sentences=tuple(sentences),
            tables=tuple(tables),
            warnings=tuple(warnings),
        )


def fleets_of(joint: Study) -> dict[str, dict[str, Cell]]:
    """Return the rows of a joint plan's fleets by workload."""
    tables = [one for one in joint.tables if {"name", "gpus", "cost", "plan"} <= {each.name for each in one.columns}]
    return {str(row["name"]): row for table in tables for row in table.records()}


def plans_of(joint: Study) -> dict[str, str]:
    """Return the handle of each workload's plan in a joint plan's study."""
    return {name: str(row["plan"]) for name, row in fleets_of(joint).items() if row["plan"]}
