"""A plan on screen, in a file of its own: it is loaded when there is one, which is after the first frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleettui.domain.job import Job
    from fleettui.domain.plan import Answer, Candidate
    from fleettui.domain.plan_row import PlanRow
    from fleettui.domain.scenario import Question
    from fleettui.domain.study import Study
    from fleettui.domain.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A plan on screen: its answer, question and workload; `row` is None for the example, which is not in the store.

    `studies` is how many are kept in all. `label` says what it is where that is not a plan of one's own. `chosen` is a
    candidate that is looked at instead of the answer. `elsewhere` is the job of another process that will finish it.
    `money` is the newest study of how its GPUs are paid for.
    """

    answer: Answer
    question: Question
    workload: Workload | None = None
    row: PlanRow | None = None
    finished: bool = True
    studies: int = 0
    label: str = ""
    chosen: Candidate | None = None
    elsewhere: Job | None = None
    money: Study | None = None

    @property
    def candidate(self) -> Candidate | None:
        """The fleet that is looked at: the chosen candidate, or the answer."""
        return self.chosen or self.answer.answer

    @property
    def plan(self) -> str:
        """The plan's id, empty for the example."""
        return "" if self.row is None else self.row.id
