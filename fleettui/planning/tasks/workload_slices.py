"""A workload as the optimizer takes it: per pairing of prompt and output, slices of requests within a context."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from fleettui.domain.hardware import Model, Profile
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Atom, CdfPoint, Timing, Workload
from fleettui.errors import InputError
from fleettui.planning.tasks.question_workload import too_long
from fleettui.workloads.atoms import pairings, split_grid
from fleettui.workloads.busiest import called
from fleettui.workloads.context_limit import drop_atoms
from fleettui.workloads.demand import mean_tokens, requests_in

CONTEXT_STEP = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """One stretch of the clock: seconds, requests per second (None: untimed), requests, and weighted lengths.

    `cdf` are the distribution's own points of total tokens, at which a split is exact; empty where it has none. A slice
    of a day is `called` by its time, and by its lengths where these change.
    """

    duration: float
    rate: float | None
    requests: float
    atoms: tuple[Atom, ...]
    cdf: tuple[CdfPoint, ...] = ()
    called: str = ""

    def weight(self) -> float:
        """Return the requests in the slice, by its rate where it has one."""
        return requests_in(self.duration, self.rate, self.requests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One way in which prompts and outputs may pair, over all slices; `dropped` is the share of requests left out.

    `timing` is how the times of the workload are known; `day_share` the mean rate over that of the busiest slice where
    the slices are of a day, 1 where that is not known.
    """

    pairing: str
    slices: tuple[Slice, ...]
    dropped: float = 0.0
    timing: Timing = "none"
    day_share: float = 1.0

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms of all slices."""
        return tuple(atom for part in self.slices for atom in part.atoms)

    def grid(self) -> tuple[int, ...]:
        """Return the total lengths at which a pool may be split."""
        return split_grid(self.atoms, self.slices[0].cdf if len(self.slices) == 1 else ())

    @property
    def busiest(self) -> float | None:
        """Requests per second of the busiest slice, None when a slice is untimed."""
        rates = [part.rate for part in self.slices if part.rate is not None]
        return max(rates) if len(rates) == len(self.slices) else None

    def means(self) -> tuple[float, float]:
        """Return the mean prompt and output tokens over all requests."""
        return mean_tokens((part.weight(), (_mean(part.atoms, 1), _mean(part.atoms, 2))) for part in self.slices)

    def at(self, rate: float) -> tuple[tuple[float, tuple[Atom, ...]], ...]:
        """Return (requests per second, atoms) per slice when the busiest slice has `rate`, the others in proportion."""
        busiest = self.busiest
        return tuple(
            (rate if busiest is None or part.rate is None else rate * part.rate / busiest, part.atoms)
            for part in self.slices
        )


def cases_of(workload: Workload) -> tuple[Case, ...]:
    """Return every pairing of `workload`: one when it is known, three when only the marginals are."""
    slices = [
        [
            (
                name,
                Slice(
                    duration=part.duration,
                    rate=part.rate,
                    requests=_requests(atoms),
                    atoms=atoms,
                    cdf=part.lengths.cdf,
                    called=called(part.start, part.duration, part.workload),
                ),
            )
            for name, atoms in pairings(part.lengths)
        ]
        for part in workload.slices
    ]
    names = [tuple(name for name, _ in found) for found in slices]
    if len(set(names)) != 1:
        raise InputError(
            "its time slices know their lengths in different ways",
            where=workload.name,
            accepted="slices of one kind: joint, marginals or total",
        )
    share = None if workload.day is None else workload.day.mean_share
    return tuple(
        Case(
            pairing=name,
            slices=tuple(found[index][1] for found in slices),
            timing=workload.arrivals.timing,
            day_share=1.0 if share is None else share,
        )
        for index, name in enumerate(names[0])
    )


def longest_allowed(question: Question, model: Model | Profile) -> int:
    """Return the tokens that a request may have; raises InputError when the model cannot have that context."""
    if question.context is not None and question.context > model.context:
        raise InputError(
            f"{model.name} was made for less context",
            where="--context",
            value=question.context,
            accepted=f"up to {model.context} tokens",
        )
    return question.context or model.context


def within(case: Case, longest: int, question: Question) -> Case:
    """Return `case` without requests above `longest` tokens; raises InputError when there are any and they count."""
    cut = [(part, *drop_atoms(part.atoms, longest)) for part in case.slices]
    dropped = sum(part.weight() * share for part, _, share in cut) / sum(part.weight() for part in case.slices)
    slices = tuple(replace(part, atoms=atoms) for part, atoms, _ in cut if atoms)
    if not slices or (dropped > 0 and not question.drop_longer):
        raise too_long(f"{dropped:.2%} of the requests are", longest, question)
    return replace(case, slices=slices, dropped=dropped)


def context_of(question: Question, workload: Workload, cases: Iterable[Case], longest: int) -> int:
    """Return the fleet's context: as asked, else the longest request rounded up to 256 tokens, at most `longest`."""
    if question.context is not None:
        return question.context
    recorded = [part.lengths.total.maximum for part in workload.slices if part.lengths.total is not None]
    present = [prompt + output for case in cases for _, prompt, output in case.atoms]
    return min(math.ceil(max(recorded + present) / CONTEXT_STEP) * CONTEXT_STEP, longest)


def _requests(atoms: tuple[Atom, ...]) -> float:
    return math.fsum(weight for weight, _, _ in atoms)


def _mean(atoms: tuple[Atom, ...], column: int) -> float:
    return math.fsum(atom[0] * atom[column] for atom in atoms) / _requests(atoms)
