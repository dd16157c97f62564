import ast
from pathlib import Path

import pytest

import fleettui
from fleettui.planning.studies.study_type import Command
from fleettui.planning.use_cases import GROUPS, UseCase, command_helps, help_of, placed, use_cases

FOLDER = Path(fleettui.__file__).parent
ROOM = "fleettui.planning"
ONLY_TYPED = {
    "bug_report.program_version",  # --version; the app tells it in its help
    "check_joint.check_joint",  # a file with several workloads, which `plan -f` and `check` read
    "cluster.address.read_cluster",  # --cluster; the app takes the setting
    "compare.changes_between",  # of a plan in a file, which the app does not open
    "compare.compare_plans",  # the app holds plans that are read already to each other
    "compare.compare_studies",
    "fleet_files.text_of",  # a fleet in words, which the app asks for in lines
    "compare.beside_earlier",  # two plans, and what `earlier_fails` says of them
    "follow_job.end_of_job",  # of a job of any kind; the app shows the plan of one meanwhile, and lists the others
    "joint_files.kept_joint_json",  # a joint plan printed as data; the app writes that by `export`
    "joint_diff.joint_diff",  # of two joint plans, whose members the app holds to each other
    "plan_files.is_plan_file",
    "plan_files.inputs_of",  # a part of what is printed as data; the app writes that whole
    "shell_completion.script",  # a script to read, and for which shell; the app installs it for its own
    "shell_completion.shell_of",
    "study_job.folder_of",
    "study_job.resume_study",  # what a runner does; the app starts one
    "take_correction.take_correction",  # by the study's handle; in the app a backtest's line keeps the fit by `keep`
    "studies.arguments_of",  # the options of a command; the app has a line of its own
    "typed_settings.say",  # what stands before a command for this run alone; the app has the settings
    "use_cases.command_helps",
}
ONLY_SHOWN = {
    "asked_together.asked_together",  # several models in the lines of a question; a command reads them from a file
    "follow_job.follow_job",
    "follow_job.job_elsewhere",  # whether to follow, which a command is told
    "calibrations.check_fit",  # before the fit begins, of which it is a part
    "compare.earlier_fails",  # a part of `beside_earlier`
    "compare.compared",  # what `compare_plans` is made of
    "compare.spread_of",
    "example.example",  # a first screen without a plan
    "fleet_files.read_fleet",
    "kept_plan.hardware_of",  # drawn below a fleet, as a report has it
    "kept_studies.studies_around",  # the list that a key opens
    "studies.line_help",  # options on one line, which a command has by themselves
    "studies.picture_of",  # no picture is printed
    "studies.prompted",
    "studies.read_line",
    "workloads.is_known",  # said before it is asked
    "workloads.names",
}


def used(front_end: str) -> set[str]:
    """Return the functions of the use cases that a front end calls, as "module.function"."""
    found = set()
    for path in (FOLDER / front_end).rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(ROOM)]
        modules = {
            name.asname or name.name: name.name for node in imports if node.module == ROOM for name in node.names
        }
        for one in imports:
            module = str(one.module).removeprefix(f"{ROOM}.")
            found |= {f"{module}.{name.name}" for name in one.names if module != ROOM}
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                found.add(f"{modules[node.value.id]}.{node.attr}")
    return {one for one in found if one.rpartition(".")[2].islower()}


def test_what_one_front_end_does_the_other_does_too() -> None:
    typed, shown = used("cli"), used("tui")
    assert typed - shown == ONLY_TYPED
    assert shown - typed == ONLY_SHOWN


@pytest.mark.parametrize("case", use_cases(), ids=lambda case: case.name)
def test_a_use_case_has_its_words(case: UseCase) -> None:
    assert case.help
    assert len(case.help) <= 60
    assert not case.help.endswith(".")
    assert help_of(case.name) == case.help


def test_commands_stand_after_those_that_they_name_in_whatever_order_they_are_declared() -> None:
    own = (UseCase("plan", "fleet", "a plan"), UseCase("show", "fleet", "what is kept"))
    idle = Command(name="idle", help="what is idle", after="busy")
    commands = [idle, Command(name="busy", help="what is busy", after="plan")]
    assert [case.name for case in placed(own, commands)] == ["plan", "busy", "idle", "show"]
    with pytest.raises(AssertionError, match="idle comes after 'busy', which is no command's name"):
        placed(own, [idle])


def test_names_are_unique_and_what_holds_several_is_a_group() -> None:
    names = [case.name for case in use_cases()]
    assert len(set(names)) == len(names)
    assert {case.command for case in use_cases() if " " in case.name} == set(GROUPS)
    assert not set(names) & set(GROUPS)


def test_a_command_has_one_line_whatever_it_holds() -> None:
    helps = command_helps()
    assert helps["verify"] == help_of("verify")
    assert helps["jobs"] == "work that goes on or was cut short: list, cancel, resume, follow"
    assert list(helps)[:3] == ["plan", "simulate", "verify"]
