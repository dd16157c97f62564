import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import fleettui.planning
from fleettui.planning.use_cases import GROUPS, USE_CASES, UseCase, command_helps, help_of

FOLDER = Path(fleettui.planning.__file__).parent
MACHINERY = {
    "badges",
    "bug_report",
    "context",
    "crossing",
    "files",
    "job",
    "kept_inputs",
    "pool",
    "process",
    "protocol",
    "prove",
    "use_cases",
    "walk",
    "why",
    "work",
    "worker",
}
"""Modules that do the work of the use cases, and are none."""
PARTS = {
    "causes:differing",
    "causes:mixed",
    "make_plan:begin",  # of make_plan and simulate
    "make_plan:loaded",
    "settings:database",  # of settings: what one of them says
    "settings:question_texts",
    "settings:variable",
    "settings:workers",
    "workloads:is_known",  # of whoever names one
    "workloads:names",
}
"""Public functions of the use cases' modules that are parts of others."""


def public() -> Iterator[str]:
    """Yield every public function of the use cases' modules, as "module:function"."""
    for path in sorted(FOLDER.glob("*.py")):
        if path.stem in MACHINERY or path.stem == "__init__":
            continue
        module = import_module(f"fleettui.planning.{path.stem}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("_") and function.__module__ == module.__name__:
                yield f"{path.stem}:{name}"


NAMED = {name.removeprefix("fleettui.planning.") for case in USE_CASES for name in (case.function, *case.with_it)}


@pytest.mark.parametrize("function", [one for one in public() if one not in PARTS])
def test_every_public_function_belongs_to_a_use_case(function: str) -> None:
    assert function in NAMED


def test_there_is_no_part_that_is_not_there() -> None:
    assert set(public()) >= PARTS
    assert {path.stem for path in FOLDER.glob("*.py")} >= MACHINERY


@pytest.mark.parametrize("case", USE_CASES, ids=lambda case: case.name)
def test_a_use_case_has_its_functions_and_its_words(case: UseCase) -> None:
    for place in (case.function, *case.with_it):
        module, _, name = place.partition(":")
        assert callable(getattr(import_module(module), name))
    assert case.help
    assert len(case.help) <= 60
    assert not case.help.endswith(".")
    assert help_of(case.name) == case.help


def test_names_are_unique_and_what_holds_several_is_a_group() -> None:
    names = [case.name for case in USE_CASES]
    assert len(set(names)) == len(names)
    assert {case.command for case in USE_CASES if " " in case.name} == set(GROUPS)
    assert not set(names) & set(GROUPS)


def test_a_command_has_one_line_whatever_it_holds() -> None:
    helps = command_helps()
    assert helps["verify"] == help_of("verify")
    assert helps["jobs"] == "work that goes on or was cut short: list, cancel, resume"
    assert list(helps)[:3] == ["plan", "simulate", "verify"]
