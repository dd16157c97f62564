"""One line of a list of plans. It stands alone, so that a program can show a plan before it loads the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fleettui.domain.slo import Slo

if TYPE_CHECKING:
    from fleettui.domain.plan import Verdict


class PlanRow(NamedTuple):
    """One line of a list of plans: identity, labels, and the answer's figures (None: infeasible or undefined).

    `fleet` is a short text such as "48 h100 tp8x6"; `ttft`, `tpot` and `e2e` are seconds in the answer's worst pool.
    `rate` is the demand in requests per second, `candidates` how many fleets the plan holds. `parent` is the id of the
    plan that it was forked from, empty where there is none. A plan that is not `finished` shows what is known so far.
    `dtype` is the number format that was asked for, empty where a file does not tell it.
    `holds` is the share of the cases over the error of its step times in which its fleet suffices, None: unknown.
    `spare` are the GPUs of a fleet that was given which are not needed, below zero those that it lacks:
    what is spare of one type is nothing for another. `so_far` is
    what was found of a plan that is not finished. `confidence` is the share of the cases that it was sized for, None
    where none was asked; `unmet` says, where that is so, that no fleet is as sure as that;
    `untold` says that it cannot be told how sure one is, in a closed loop.
    """

    id: str
    handle: str
    name: str
    created: str
    workload: str
    model: str
    fleet: str
    gpus: int | None
    cost_per_hour: float | None
    ttft: float | None
    tpot: float | None
    e2e: float | None
    verdict: Verdict
    method: str
    tags: tuple[str, ...] = ()
    note: str = ""
    archived: bool = False
    parent: str = ""
    finished: bool = True
    rate: float | None = None
    slo: Slo | None = None
    candidates: int = 0
    dtype: str = ""
    holds: float | None = None
    spare: int | None = None
    so_far: str = ""
    confidence: float | None = None
    unmet: str = ""
    untold: bool = False
