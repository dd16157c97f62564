"""Every use case, once: its words for the help of the command line and the palette of the app."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleettui.planning.studies.study_type import Command


@dataclass(frozen=True, slots=True)
class UseCase:
    """Something that a person can do here.

    `name` is also its command, without the program; `view` is the name of the view in the app where it belongs, None
    where it belongs to none; `help` says what comes of it, in half a line.
    """

    name: str
    view: str | None
    help: str

    @property
    def command(self) -> str:
        """The command of the command line that it is, or is a part of."""
        return self.name.split(maxsplit=1)[0]


GROUPS: dict[str, str] = {
    "jobs": "work that goes on or was cut short",
    "workload": "what arrives",
    "gpu": "the GPUs to plan with",
    "model": "the models to plan with",
    "engine": "the engines to plan with",
    "profile": "what one replica does",
    "config": "settings and where they come from",
}
"""What the commands that hold several use cases are about."""

OWN: tuple[UseCase, ...] = (
    UseCase("plan", "fleet", "the cheapest fleet that holds every limit, and why"),
    UseCase("simulate", "fleet", "what a fleet of your own does under a workload"),
    UseCase("verify", "fleet", "more proof of a kept plan, by simulation"),
    UseCase("open", None, "the app, at a plan, a trace or a question file"),
    UseCase("serve", None, "the app in a browser of this machine, behind a token"),
    UseCase("show", "fleet", "a kept plan or study, as its command printed it"),
    UseCase("check", "fleet", "does a question's answer still hold? exit 3 and why, if not"),
    UseCase("rerun", "fleet", "a kept plan run again: the same to the byte, or what differs"),
    UseCase("compare", "compare", "kept plans side by side: what is better, what is proven"),
    UseCase("diff", "compare", "what differs between two kept plans, and what caused it"),
    UseCase("report", "fleet", "a kept plan on one page, for whoever decides"),
    UseCase("export", "fleet", "a kept plan as Markdown, CSV, JSON, YAML or a picture"),
    UseCase("handoff", "fleet", "what deploys a kept plan: commands, manifests, alerts"),
    UseCase("import", "plans", "the plans of a bundle (export --bundle) into the store"),
    UseCase("publish", "plans", "the store as it is now, as a file that others read"),
    UseCase("backup", "plans", "the store copied to a file, while others write"),
    UseCase("prune", "plans", "old runs and archived plans that may go, and their bytes"),
    UseCase("list", "plans", "the kept plans, or studies, newest first"),
    UseCase("note", "plans", "a few words kept with a plan"),
    UseCase("tag", "plans", "words by which plans are found again"),
    UseCase("name", "plans", "what a plan is called"),
    UseCase("archive", "plans", "a plan put away, out of the list"),
    UseCase("jobs list", "jobs", "the jobs, newest first"),
    UseCase("jobs cancel", "jobs", "a job stopped; what it has finished is kept"),
    UseCase("jobs resume", "jobs", "a job that was cut short, taken up again"),
    UseCase("jobs follow", "jobs", "a job of another process, until it ends"),
    UseCase("workload list", "workload", "the workloads that are shipped"),
    UseCase("workload show", "workload", "a workload's lengths, arrivals and origin"),
    UseCase("workload build", "workload", "one length distribution of one or more traces"),
    UseCase("workload from-metrics", "workload", "the workload of a vLLM server, from two scrapes of it"),
    UseCase("gpu list", "fleet", "the known GPUs"),
    UseCase("gpu show", "fleet", "one GPU, with the source of each figure"),
    UseCase("model list", "fleet", "the known models"),
    UseCase("model show", "fleet", "one model, with the source of each figure"),
    UseCase("engine list", "fleet", "the known engines, and how they start on each GPU"),
    UseCase("engine show", "fleet", "one engine, with the source of each figure"),
    UseCase("profile show", "fleet", "what one replica does, with the arithmetic"),
    UseCase("profile validate", "fleet", "predicted against measured, from a file of bench runs"),
    UseCase("profile fit", "fleet", "the steps of your own servers, from their bench runs"),
    UseCase("profile list", "fleet", "the fits that are kept"),
    UseCase("profile next", "fleet", "the bench runs that would narrow a plan's answer most"),
    UseCase("doctor", None, "is everything here that the program needs?"),
    UseCase("config show", None, "each setting with where it comes from"),
    UseCase("config path", None, "where the configuration file lies"),
    UseCase("config completion", None, "completion by your shell, put where the shell looks for it"),
)


@cache
def use_cases() -> tuple[UseCase, ...]:
    """Return all use cases: those above with the commands that ask for studies, each after the one that it names."""
    from fleettui.planning.studies import commands

    return placed(OWN, commands().values())


def placed(own: Iterable[UseCase], commands: Iterable[Command]) -> tuple[UseCase, ...]:
    """Return use cases with commands, in any order, each after the one that it names, be that a command's, too."""
    found, left = list(own), list(commands)
    while left:
        places = {case.name: place for place, case in enumerate(found, start=1)}
        command = next((one for one in left if one.after in places), None)
        assert command is not None, f"{left[0].name} comes after {left[0].after!r}, which is no command's name"
        found.insert(places[command.after], UseCase(command.name, command.view, command.help))
        left.remove(command)
    return tuple(found)


def command_helps() -> dict[str, str]:
    """Return the help line of every command, in the order of the table; one that holds several names them.

    >>> command_helps()["gpu"]
    'the GPUs to plan with: list, show'
    """
    helps: dict[str, str] = {}
    for case in use_cases():
        names = [one.name.partition(" ")[2] for one in use_cases() if one.command == case.command]
        helps[case.command] = f"{GROUPS[case.command]}: {', '.join(names)}" if case.command in GROUPS else case.help
    return helps


def help_of(name: str) -> str:
    """Return the help line of the use case called `name`."""
    return next(case.help for case in use_cases() if case.name == name)
