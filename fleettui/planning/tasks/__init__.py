"""The tasks that a worker runs, by the names that the protocol uses; only here do engines meet use cases.

A task is a public function whose first argument is its Context. It is called after its module and itself, as
`whatif-point`; one that is called after its module alone is the function `run`. It is imported when it is first asked
for. Its other arguments and its result are frozen values, which cross the pipe as plain JSON.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeAlias, TypeGuard, get_type_hints

from fleettui.domain.serialization import to_wire
from fleettui.domain.wire import from_wire
from fleettui.errors import UnknownNameError
from fleettui.planning.task_context import Context

TaskFunction: TypeAlias = Callable[..., Any]


def find(name: str) -> TaskFunction:
    """Return the function of the task called `name`; raises UnknownNameError.

    >>> find("workload-from-metrics").__name__, find("pareto").__name__
    ('from_metrics', 'run')
    """
    place, _, function = name.partition("-")
    modules = _modules()
    if place not in modules:
        raise UnknownNameError("task", name, modules)
    wanted = function.replace("-", "_") or "run"
    found = getattr(import_module(f"{__name__}.{place}"), wanted, None)
    if not _is_task(found, wanted):
        raise UnknownNameError("task", name, [f"{place}-{one}" for one in tasks_of(place)])
    return found


def tasks_of(place: str) -> dict[str, TaskFunction]:
    """Return the tasks of a module by the names of their functions."""
    module = import_module(f"{__name__}.{place}")
    return {name: function for name, function in inspect.getmembers(module) if _is_task(function, name)}


@cache
def _modules() -> tuple[str, ...]:
    return tuple(one.name for one in iter_modules(__path__))


def _is_task(found: object, name: str) -> TypeGuard[TaskFunction]:
    if name.startswith("_") or not inspect.isfunction(found):
        return False
    return [*inspect.signature(found).parameters][:1] == ["context"]


@cache
def _kinds(task: TaskFunction) -> dict[str, Any]:
    """Return of what type each argument of a task is; a worker runs the same few tasks again and again."""
    return get_type_hints(task)


def call(task: TaskFunction, plain: dict[str, Any], context: Context) -> Any:
    """Return, plain, what a task makes of its arguments: each is read as the task's signature has it."""
    kinds = _kinds(task)
    return to_wire(task(context, **{name: from_wire(kinds[name], value) for name, value in plain.items()}))
