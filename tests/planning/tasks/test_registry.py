import ast
import inspect
from functools import cache
from pathlib import Path
from typing import get_type_hints

import pytest

import fleettui.planning
from fleettui.domain.wire import prepare
from fleettui.errors import UnknownNameError
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import find, tasks_of

FOLDER = Path(fleettui.planning.__file__).parent


ASKS = {"run": 0, "piece": 1}
"""What asks a worker for a task, and which of its arguments names that; the next is the type of what it returns."""


@cache
def calls() -> dict[str, ast.Call]:
    """Return the calls in which the use cases ask workers for tasks, by the names of the tasks."""
    found = [
        node
        for text in (path.read_text("utf-8") for path in FOLDER.rglob("*.py"))
        if any(f"{name}(" in text for name in ASKS)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKS
    ]
    named = [(call.args[place(call)], call) for call in found if len(call.args) > place(call)]
    return {str(one.value): call for one, call in named if isinstance(one, ast.Constant)}


def place(call: ast.Call) -> int:
    assert isinstance(call.func, ast.Attribute)
    return ASKS[call.func.attr]


@pytest.mark.parametrize(("name", "call"), calls().items())
def test_a_task_is_asked_for_by_its_arguments_and_its_result(name: str, call: ast.Call) -> None:
    task = inspect.signature(find(name))
    assert ast.unparse(call.args[place(call) + 1]) == task.return_annotation
    named = {keyword.arg: None for keyword in call.keywords if keyword.arg}
    bind = task.bind if len(named) == len(call.keywords) else task.bind_partial  # ** brings what is not named
    bind(Context(), **named)


@pytest.mark.parametrize("name", calls())
def test_what_a_task_takes_and_returns_can_cross_a_pipe(name: str) -> None:
    for kind in (kind for argument, kind in get_type_hints(find(name)).items() if argument != "context"):
        prepare(kind)


def test_every_task_is_asked_for() -> None:
    asked = {find(name) for name in calls()}
    for path in (FOLDER / "tasks").glob("[!_]*.py"):
        for name, task in tasks_of(path.stem).items():
            assert task in asked, f"nobody asks for {name} of {path.name}"


@pytest.mark.parametrize(("name", "known"), [("pla", "plan"), ("workload-shw", "workload-show")])
def test_an_unknown_name_lists_the_known(name: str, known: str) -> None:
    with pytest.raises(UnknownNameError, match=known):
        find(name)
