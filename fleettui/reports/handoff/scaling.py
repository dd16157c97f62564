"""What the newest autoscale study of a plan says of a pool: the settings under which its policies were replayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from fleettui.domain.study import Cell
from fleettui.reports import units
from fleettui.reports.handoff.model import PoolPlan, Subject
from fleettui.reports.studies.day_tables import SETTINGS

KIND = "autoscale"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolScaling:
    """A pool as policies saw it: the most that a replica holds, its bounds in replicas, and the policies' settings.

    Seconds, requests per second; `in_service` requests are served at a replica at once; `step` replicas a minute.
    """

    study: str
    rate_each: float
    in_service: float
    served_in: float
    starts_in: float
    least: int
    most: int
    target: float
    beta: float
    step: float
    cycle: float
    hold: float = 0.0
    buffer: float = 0.0

    @property
    def full(self) -> str:
        """At which rate a replica has as much in service, in words."""
        return f"{units.per_second(self.rate_each)}/s, the most that it holds at nominal speed"

    @classmethod
    def of(cls, study: str, row: dict[str, Cell]) -> Self:
        """Return what a row of a study's table of settings says."""
        numbers = {name: _number(cell) for name, cell in row.items() if name not in {"pool", "least", "most"}}
        return cls(study=study, least=round(_number(row["least"])), most=round(_number(row["most"])), **numbers)


def _number(cell: Cell) -> float:
    assert isinstance(cell, int | float), f"a setting is a number, not {cell!r}"
    return float(cell)


def scaling_of(subject: Subject, part: PoolPlan) -> PoolScaling | None:
    """Return what the newest autoscale study of the plan says of a pool, None where none is kept."""
    study = subject.kept.study(KIND)
    if study is None:
        return None
    rows = next(table.records() for table in study.tables if table.title == SETTINGS)
    return next(PoolScaling.of(study.handle, row) for row in rows if row["pool"] == part.pool.name)


def needed(subject: Subject, part: PoolPlan) -> PoolScaling:
    """Return the same where a study is known to be kept."""
    found = scaling_of(subject, part)
    assert found is not None, "looked for before anything is written"
    return found


def start_words(subject: Subject, own: PoolScaling) -> str:
    """Return how long a replica was taken to start in the replay, and where that is set."""
    return (
        f"a replica was taken to start in {own.starts_in:.4g} s: fleettui autoscale {subject.handle} --delay 5min "
        "replays with yours"
    )


def told(subject: Subject, policy: str) -> str:
    """Return what the newest study says that a policy came to, and what was replayed."""
    study = subject.kept.study(KIND)
    assert study is not None, "looked for before anything is written"
    rows = [row for row in study.tables[0].records() if row["policy"] == policy]
    asked = f"study {study.handle}: fleettui {study.question}"
    return f"{asked}: {_came_to(policy, rows[0])}" if rows else f"{asked}; {policy} is not among its policies"


def missed(subject: Subject, policy: str) -> Iterator[str]:
    """Yield that a policy broke the SLO in the newest study, and what the cheapest that kept it costs."""
    study, share = subject.kept.study(KIND), subject.question.slo.percentile
    rows = [] if study is None else study.tables[0].records()
    for row in rows:
        if row["policy"] == policy and _number(row["slo_met"]) < share:
            kept = [one for one in rows if _number(one["slo_met"]) >= share]
            best = min(kept, key=lambda one: _number(one["cost_per_hour"]), default=None)
            other = "none that was replayed keeps it" if best is None else _came_to(str(best["policy"]), best)
            yield f"this breaks the SLO, as replayed: {_came_to(policy, row)}, not for {share:.4g} of them; {other}"


def _came_to(policy: str, row: dict[str, Cell]) -> str:
    met, cost = _number(row["slo_met"]), _number(row["cost_per_hour"])
    return f"{policy} met every limit for {100.0 * met:.2f}% of the requests at {units.dollars_per_hour(cost)}"
