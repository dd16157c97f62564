"""The tasks that a worker runs, by the names that the protocol uses; only here do engines meet use cases.

A task is a function `run(payload, context) -> dict` of plain values. Its module is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeAlias, cast

from fleettui.errors import UnknownNameError
from fleettui.planning.task_context import Context

TaskFunction: TypeAlias = Callable[[dict[str, Any], Context], dict[str, Any]]

TASKS: dict[str, str] = {
    "answer-kept": "fleettui.planning.tasks.kept_answer:run",
    "backtest-fit": "fleettui.planning.tasks.backtest:fit",
    "backtest-predict": "fleettui.planning.tasks.backtest:predict",
    "joint-choice": "fleettui.planning.tasks.joint:choice",
    "joint-open": "fleettui.planning.tasks.joint:opened",
    "joint-options": "fleettui.planning.tasks.joint:options",
    "judge": "fleettui.planning.tasks.verification:judge",
    "pareto": "fleettui.planning.tasks.pareto:run",
    "plan": "fleettui.planning.tasks.plan:run",
    "plan-kept": "fleettui.planning.tasks.kept_answer:plan",
    "profile-show": "fleettui.planning.tasks.profile:show",
    "profile-validate": "fleettui.planning.tasks.profile:validate",
    "published-table": "fleettui.planning.tasks.published:table",
    "published-titles": "fleettui.planning.tasks.published:titles",
    "replicate": "fleettui.planning.tasks.verification:replicate",
    "restate": "fleettui.planning.tasks.restate:run",
    "simulate": "fleettui.planning.tasks.simulate:run",
    "stage": "fleettui.planning.tasks.verification:stage",
    "whatif-growth": "fleettui.planning.tasks.whatif:grow",
    "whatif-point": "fleettui.planning.tasks.whatif:point",
    "whatif-sensitivity": "fleettui.planning.tasks.whatif:sensitive",
    "whatif-steps": "fleettui.planning.tasks.whatif:step_table",
    "why": "fleettui.planning.tasks.why:run",
    "workload-build": "fleettui.planning.tasks.workload:build",
    "workload-from-metrics": "fleettui.planning.tasks.workload:from_metrics",
    "workload-show": "fleettui.planning.tasks.workload:show",
}


def find(name: str, tasks: Mapping[str, str] = TASKS) -> TaskFunction:
    """Return the function of the task called `name`; raises UnknownNameError."""
    if name not in tasks:
        raise UnknownNameError("task", name, tasks)
    module, function = tasks[name].split(":")
    return cast(TaskFunction, getattr(import_module(module), function))
