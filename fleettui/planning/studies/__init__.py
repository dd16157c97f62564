"""The kinds of study, one file each; a new one is a file here and its name in KINDS.

A study of a plan's fleet is `of_plan` with a function that writes on a page: `plan_page` has a whole one at its head;
`routers` and `scheduler` are such. Its `options` are `Argument`s, each said once: what reads it (`argument_forms`),
default, range, help; command line, the app's line, Python and the line that says what was asked come of it. Any other
study is a `StudyType` whose `work` has the desk and all values and returns `Study.of(...)`. Keeping, `show`, `list
--studies`, JSON, compare, export, progress and cancel are the same for all.

What takes long is done by tasks of workers, by `page.desk.run` and `page.desk.each`; `single_look.looked_at` simulates
any fleet under any seed. A computation of its own is a task in `planning.tasks`, whose result is tables too or frozen
values of `domain`; many words go to `reports.studies`.

At hand are `page.rows` and `page.pools`, a fleet's pools and a table of them; `page.cost(row)`, what one costs an hour;
`page.best.busiest`; `page.kept.question` and `.answer`; `fleets_beside`, the cheapest fleets of other GPUs and pools.
What a replica of each pool runs, its mean tokens among it, is `await page.desk.run("operating_points",
tuple[OperatingPoint, ...], source=page.kept.source(page.kept.id, page.kept.profiles), fleet=page.best.fleet)`, of
`domain.calibration`, in the order of `page.rows`. A count per second of anything is a "rate". `reports.units` writes
figures. `page.kept.check_open_loop("why")` refuses clients that wait for their answers, whose rate nobody sets; other
plans are refused by what `of_plan` and `KeptPlan` check. By formula a pool is as busy as its rate is high. What else a
function needs of `domain` and `reports` it imports itself: help and app read every STUDY, and load nothing heavy for
it. An option has a default. Dollars of anything but an hour or a year are a "number", the name says of what.

A test has a study from the fixture `study_of` of `tests/planning/studies`, as `await study_of("routers", "only random",
replicas=(2,))`: the fleet of a small plan, simulated where it has `replicas`, and its study of what is typed. In tests
other sizes and rates of a given fleet are judged by formula, unless a test is marked `looks`. The tests of all studies
(`pytest tests/planning tests/cli tests/test_house.py`) ask, keep, show and cancel it, too.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from textwrap import wrap
from typing import Any

from fleettui.domain.registry import Registry
from fleettui.errors import InputError
from fleettui.planning.studies.argument import Argument, Given, read_words
from fleettui.planning.studies.study_type import FIRST_TABLE, Command, StudyType
from fleettui.reports.picture import Picture
from fleettui.reports.table import WIDTH

KINDS = (
    "why",
    "sweep",
    "steps",
    "growth",
    "burst",
    "failures",
    "sensitivity",
    "pareto",
    "routers",
    "scheduler",
    "sessions",
    "capacity",
    "disagg",
    "frontier",
    "hetero",
    "power",
    "energy",
    "autoscale",
    "rollout",
    "money",
    "backtest",
    "restate",
    "published",
    "compress",
    "causes",
    "joint",
    "slots",
    "against",
)
"""The files of the kinds, in the order of lists."""
STUDIES: Registry[StudyType] = Registry(
    "kind of study", *(import_module(f"fleettui.planning.studies.{name}").STUDY for name in KINDS)
)


def picture_of(kind: str) -> Picture:
    """Return how a kept study of a kind is drawn; a kind of another program is drawn as most are."""
    return STUDIES.named(kind).picture if kind in STUDIES.names else FIRST_TABLE


@cache
def commands() -> dict[str, Command]:
    """Return the commands that ask for studies, by their names, in the order of the studies."""
    return {one.command.name: one.command for one in STUDIES if one.command is not None}


def types_of(command: Command) -> tuple[StudyType, ...]:
    """Return the kinds of study that a command asks for."""
    return tuple(one for one in STUDIES if one.command is command)


def arguments_of(command: Command) -> tuple[Argument, ...]:
    """Return all that a command takes: its own arguments, then those of each kind of study.

    One that several kinds take stands where the first of them has it.
    """
    found = {one.name: one for one in command.arguments}
    for kind in types_of(command):
        found |= {one.name: one for one in kind.arguments if one.name not in found}
    return tuple(found.values())


def prompted(command: Command) -> tuple[Argument, ...]:
    """Return what the app asks for in a line: all that a command takes, but the plan where that is the one shown."""
    return arguments_of(command)[1 if command.of_shown else 0 :]


def line_help(command: Command) -> str:
    """Return what a line may say: what the command tells of it, or each argument with an example."""
    if command.prompt is not None and command.prompt.help is not None:
        return command.prompt.help()
    words = " | ".join(one.typed for one in prompted(command))
    return "\n".join(wrap(f"any of: {words}", WIDTH, break_on_hyphens=False))


def read_line(command: Command, line: str) -> Given:
    """Return the arguments that a line stands for; raises InputError for a word that means nothing here."""
    if command.prompt is not None and command.prompt.read is not None:
        return command.prompt.read(line)
    return read_words(prompted(command), line, command.name)


def asked(command: Command, given: Given) -> tuple[StudyType, dict[str, Any]]:
    """Return which study is asked for, and its values, read from the texts that are `given`.

    Raises InputError where a command of several is asked for none or for several, for an option of another one, and
    for a text that does not read.
    """
    said = {name: value for name, value in given.items() if value not in (None, False, ())}
    several = types_of(command)
    if len(several) == 1:
        return several[0], several[0].values(said)
    chosen = [one for one in several if one.arguments[0].name in said]
    if len(chosen) != 1:
        raise InputError(
            "several questions at once" if chosen else "nothing is asked",
            where=command.name,
            value=", ".join(f"--{one.arguments[0].name}" for one in chosen) or None,
            accepted=f"one of {', '.join(one.arguments[0].written for one in several)}",
        )
    own = {one.name for one in chosen[0].arguments}
    for other in several:
        for argument in other.arguments:
            if argument.name in said and argument.name not in own:
                raise InputError(
                    f"this goes with --{other.arguments[0].name}", where=f"--{argument.name}", value=said[argument.name]
                )
    return chosen[0], chosen[0].values(said)
