"""fleettui: how many of which GPU, in which pools, at what cost, and whether it will hold.

The Python API: `plan(question)` answers a `Question` and keeps the answer in the `Store`. Every name is loaded when it
is first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleettui.domain.plan import Answer, Candidate
    from fleettui.domain.scenario import Demand, Question, Slo
    from fleettui.errors import FleettuiError, InputError
    from fleettui.planning.synchronous import plan
    from store import Store

__all__ = ["Answer", "Candidate", "Demand", "FleettuiError", "InputError", "Question", "Slo", "Store", "plan"]

_HOMES = {
    "Answer": "fleettui.domain.plan",
    "Candidate": "fleettui.domain.plan",
    "Demand": "fleettui.domain.scenario",
    "FleettuiError": "fleettui.errors",
    "InputError": "fleettui.errors",
    "Question": "fleettui.domain.scenario",
    "Slo": "fleettui.domain.scenario",
    "Store": "store",
    "plan": "fleettui.planning.synchronous",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
