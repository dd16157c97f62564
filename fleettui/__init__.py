"""fleettui: how many of which GPU, in which pools, at what cost, and whether it will hold.

The Python API: `plan(question)` answers a `Question` and keeps the answer in the `Store`; `simulate`, `verify`,
`whatif` and `compare` do as the commands of these names, `study` as any that asks for one, `load` reads what is kept.
What they return has `to_dict` and `to_frame`. Every name is loaded when it is first used: importing this is free.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleettui.domain.demand import Demand
    from fleettui.domain.fleet import FleetSketch, PoolSketch
    from fleettui.domain.plan import Answer, Candidate
    from fleettui.domain.scenario import Question
    from fleettui.domain.slo import Slo
    from fleettui.errors import FleettuiError, InputError
    from fleettui.planning.results import ComparisonResult, PlanResult, StudyResult
    from fleettui.planning.synchronous import compare, load, plan, question, simulate, study, verify, whatif
    from store import Store

__all__ = [
    "Answer",
    "Candidate",
    "ComparisonResult",
    "Demand",
    "FleetSketch",
    "FleettuiError",
    "InputError",
    "PlanResult",
    "PoolSketch",
    "Question",
    "Slo",
    "Store",
    "StudyResult",
    "compare",
    "load",
    "plan",
    "question",
    "simulate",
    "study",
    "verify",
    "whatif",
]

_HOMES = {
    "fleettui.domain.fleet": ("FleetSketch", "PoolSketch"),
    "fleettui.domain.plan": ("Answer", "Candidate"),
    "fleettui.domain.scenario": ("Demand", "Question", "Slo"),
    "fleettui.errors": ("FleettuiError", "InputError"),
    "fleettui.planning.results": ("ComparisonResult", "PlanResult", "StudyResult"),
    "fleettui.planning.synchronous": ("compare", "load", "plan", "question", "simulate", "study", "verify", "whatif"),
    "store": ("Store",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
