"""What a report is made of: everything that is kept of a plan, and the sections that it comes to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Answer, Verdict
from fleettui.domain.provenance import Provenance
from fleettui.domain.scenario import Scenario
from fleettui.domain.serialization import later
from fleettui.domain.study import Study
from fleettui.domain.workload import Workload
from fleettui.reports.bars import Bars
from fleettui.reports.chart import Chart
from fleettui.reports.comparison.model import Comparison
from fleettui.reports.input_changes import Change
from fleettui.reports.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Then:
    """An earlier plan beside the one of the page: what differs, and why.

    `causes` are what each input that changed adds, as a kept study has it, empty where none is kept; `changes` are
    those inputs.
    """

    comparison: Comparison
    changes: tuple[Change, ...]
    causes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """All that is kept of a plan: its answer with every candidate, what it rests on, and its studies, newest first.

    `given` where its fleet was not searched for: somebody wrote it down. `then` is what it is held to, if it is.
    """

    answer: Answer
    scenario: Scenario
    workload: Workload
    profiles: tuple[Profile, ...]
    provenance: Provenance
    studies: tuple[Study, ...] = ()
    finished: bool = True
    given: bool = False
    then: Then | None = None

    @property
    def handle(self) -> str:
        """What people type to get the plan."""
        return self.answer.plan.handle

    def study(self, kind: str) -> Study | None:
        """Return the newest study of a kind, None where none is kept."""
        return next((one for one in self.studies if one.kind == kind), None)


def sentence(words: str) -> str:
    """Return words as a sentence: a capital in front, a full stop at the end.

    >>> sentence("pool short: one replica fewer fails"), sentence("Is it?")
    ('Pool short: one replica fewer fails.', 'Is it?')
    """
    first = words[:1].upper() if words[:1].isascii() else words[:1]
    return first + words[1:] + ("" if words.endswith((".", "?", "!")) else ".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the page: sentences, then tables, then pictures, then charts."""

    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Bars, ...] = later(())
    charts: tuple[Chart, ...] = later(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The page: its title, the verdict in a word, the answer in a sentence, the sections, and the origin at the foot.

    `foot` pairs a label with its text.
    """

    title: str
    verdict: Verdict
    word: str
    answer: str
    sections: tuple[Section, ...]
    foot: tuple[tuple[str, str], ...]

    def as_data(self) -> Report:
        """Return the page without its charts, which are drawn from figures that studies hold."""
        return replace(self, sections=tuple(replace(one, charts=()) for one in self.sections))
