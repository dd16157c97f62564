"""What backtests say of the hardware of a new plan's fleet: a line that the plan keeps with its warnings.

A line holds for the engine, the GPUs and the model that were tested. That another rate came than was planned for says
nothing of hardware, and marks no other plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.demand import AS_GIVEN
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports import units

if TYPE_CHECKING:
    from store import Store

MOST = 200
"""Backtests that are looked through, the newest first."""


def with_badges(store: Store, answer: Answer, question: Question) -> Answer:
    """Return the answer to a question with the lines on its fleet among its warnings.

    Where the rate that was asked for is one that a backtest found, its demand says so.
    """
    tests = store.studies(MOST, kind="backtest")
    if not tests:
        return answer
    fleet = None if answer.answer is None else answer.answer.fleet
    warned = replace(answer, warnings=(*answer.warnings, *_badges(store, tests, fleet, question)))
    by = _found_rate(tests, question) if question.demand.form == "rate" else None
    if by is None:
        return warned
    told = answer.demand.arithmetic.replace(AS_GIVEN, f"as backtest {by} found")
    return replace(warned, demand=replace(answer.demand, arithmetic=told))


def _found_rate(tests: Sequence[Study], question: Question) -> str | None:
    """Return the newest backtest that found the question's rate instead of another, None where none did."""
    from fleettui.reports.backtest.note import corrected_rows, is_of_load

    for test in tests:
        if is_of_load(test) and units.RATE.parse(str(corrected_rows(test)[0][-1])) == question.demand.rate:
            return test.handle
    return None


def _badges(store: Store, tests: Sequence[Study], fleet: Fleet | None, question: Question) -> tuple[str, ...]:
    """Return a line for each kind of hardware in `fleet` that was tested in production, by its newest test."""
    from fleettui.reports.backtest.note import badge, is_of_load

    wanted = {} if fleet is None else {pool.replica: pool for pool in reversed(fleet.pools)}
    found: dict[str, str] = {}
    for test in tests if wanted else ():
        if is_of_load(test) or store.question(test.plan).engine != question.engine:
            continue
        tested = store.candidate(test.plan).fleet.pools
        for hardware in {pool.replica for pool in tested} & wanted.keys() - found.keys():
            names = [pool.name for pool in tested if pool.replica == hardware]
            found[hardware] = badge(test, names, wanted[hardware], question.fit)
    return tuple(found[hardware] for hardware in wanted if hardware in found)
