import ast
from pathlib import Path

import pytest

import fleettui.planning
from fleettui.errors import UnknownNameError
from fleettui.planning.tasks import find, tasks_of

FOLDER = Path(fleettui.planning.__file__).parent
ASKED = ("run", "told")
"""What a worker is asked by, the name of a task first."""


def asked_for() -> set[str]:
    """Return the names of the tasks that the use cases ask workers for."""
    calls = [
        node
        for path in FOLDER.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKED and node.args
    ]
    names = [call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)]
    return {name for name in names if isinstance(name, str)}


@pytest.mark.parametrize("name", sorted(asked_for()))
def test_every_name_that_is_asked_for_leads_to_a_task(name: str) -> None:
    assert callable(find(name))


def test_every_task_is_asked_for() -> None:
    asked = {find(name) for name in asked_for()}
    for path in (FOLDER / "tasks").glob("[!_]*.py"):
        for name, task in tasks_of(path.stem).items():
            assert task in asked, f"nobody asks for {name} of {path.name}"


@pytest.mark.parametrize(("name", "known"), [("pla", "plan"), ("workload-shw", "workload-show")])
def test_an_unknown_name_lists_the_known(name: str, known: str) -> None:
    with pytest.raises(UnknownNameError, match=known):
        find(name)
