"""What backtests say of the hardware of a new plan's fleet: a line that the plan keeps with its warnings.

A line holds for the engine, the GPUs and the model that were tested. That another rate came than was planned for says
nothing of hardware, and marks no other plan.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer
from fleettui.reports.backtest.note import badge, is_of_load

if TYPE_CHECKING:
    from store import Store

MOST = 200
"""Backtests that are looked through, the newest first."""


def with_badges(store: Store, answer: Answer, engine: str) -> Answer:
    """Return an answer of this engine with the lines on its fleet among its warnings."""
    fleet = None if answer.answer is None else answer.answer.fleet
    return replace(answer, warnings=(*answer.warnings, *_badges(store, fleet, engine)))


def _badges(store: Store, fleet: Fleet | None, engine: str) -> tuple[str, ...]:
    """Return a line for each kind of hardware in `fleet` that was tested in production, by its newest test."""
    wanted = {} if fleet is None else {pool.replica: pool for pool in reversed(fleet.pools)}
    found: dict[str, str] = {}
    for test in store.studies(MOST, kind="backtest") if wanted else ():
        if is_of_load(test) or store.question(test.plan).engine != engine:
            continue
        tested = store.candidate(test.plan).fleet.pools
        for hardware in {pool.replica for pool in tested} & wanted.keys() - found.keys():
            names = [pool.name for pool in tested if pool.replica == hardware]
            found[hardware] = badge(test, names, wanted[hardware])
    return tuple(found[hardware] for hardware in wanted if hardware in found)
