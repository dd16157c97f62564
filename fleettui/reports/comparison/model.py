"""What a comparison holds: the plans, a row for everything that may differ, and what each difference means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.provenance import Provenance
from fleettui.domain.scenario import Question
from fleettui.reports.comparison.spread import Spread

Section = Literal["inputs", "results", "provenance"]
Word = Literal["", "better", "worse", "not proven", "by formula", "other proof", "other percentile"]
Standing = Literal["", "breaks SLO", "near limit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A plan that is compared, with what its answer rests on.

    `workload` is the digest of its lengths and arrivals; `prices` are US dollars an hour by the GPUs that were
    searched; `provenance` what made it, None where that was not looked up. The fleet was searched for, or is `given`.
    `note` is what people wrote to it; `spread` how its proof has seen its requests, where that was looked up and there
    is one. `file` is where it was read from, empty where it is kept; `proof_of` is the plan
    of the same fleet and load whose proof it has, empty where that is its own.
    """

    answer: Answer
    question: Question
    workload: str = ""
    prices: tuple[tuple[str, float], ...] = ()
    provenance: Provenance | None = None
    given: bool = False
    note: str = ""
    spread: Spread | None = None
    file: str = ""
    proof_of: str = ""

    @property
    def handle(self) -> str:
        """What people type to get it."""
        return self.answer.plan.handle

    @property
    def fleet(self) -> Candidate | None:
        """The fleet that it came to, None where none holds."""
        return self.answer.answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One plan's figure, and how it differs from the baseline's; `value`, `low`, `high` and `difference` in SI units.

    `share` is the difference as a share of the baseline's value, `changed` the difference as it is written, `word` what
    it means, `standing` how the figure stands to the plan's own limit. The baseline's own cell has no difference.
    """

    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    simulated: bool | None = None
    difference: float | None = None
    share: float | None = None
    changed: str = ""
    word: Word = ""
    standing: Standing = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Something that may differ, with one cell per plan; `less_is_better` is None where that is no question."""

    section: Section
    label: str
    cells: tuple[Cell, ...]
    less_is_better: bool | None = None

    @property
    def differs(self) -> bool:
        """Whether some plan's cell is not as the baseline's."""
        base = self.cells[0]
        return any(cell.text != base.text or cell.changed for cell in self.cells[1:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Plans side by side; the first is the baseline. `sentences` say what it comes to, `warnings` what it rests on."""

    plans: tuple[Compared, ...]
    rows: tuple[Row, ...]
    sentences: tuple[str, ...]
    warnings: tuple[str, ...]
