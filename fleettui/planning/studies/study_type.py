"""What a kind of study declares about itself, once: how it is asked for, how it is worked out, how it is drawn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.argument import PLAN, Argument, Given
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """How the app's one line for a command differs from a list of its arguments.

    `label` is the command's name and `help` its arguments, unless given; `read` makes arguments of the line where
    names and values do not do. `value` stands in it at first, None for the handle of the plan that is shown.
    """

    label: str = ""
    help: Callable[[], str] | None = None
    read: Callable[[str], Given] | None = None
    value: str | None = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of the command line, which is also an entry of the app's palette, for one or several kinds of study.

    `help` is half a line for lists, and `about` a sentence for its own help where that needs more words; it is called
    as its kind of study is unless it has a `name`. It stands in lists `after` another use case, and belongs to a
    `view`. Its first argument is the plan that is shown in the app where it is `of_shown`. With `question` it takes
    options for the question of a fleet that is given, and with `workers` the number of processes; `whole` says that
    what an interrupted one has found is lost.
    """

    help: str
    about: str = ""
    name: str = ""
    examples: str = ""
    after: str = "pareto"
    view: str = "fleet"
    arguments: tuple[Argument, ...] = (PLAN,)
    of_shown: bool = True
    prompt: Prompt | None = None
    question: bool = False
    workers: bool = True
    whole: bool = True

    @property
    def sentence(self) -> str:
        """What its own help begins with."""
        return self.about or f"{self.help[:1].upper()}{self.help[1:]}."

    @property
    def epilog(self) -> str:
        """What stands below its help: examples, of a plan unless it has others."""
        own = f"\b\nExamples:\n  fleettui {self.name} last\n  fleettui {self.name} 41a7 --json\n"
        return self.examples or own


FIRST_TABLE = Picture()
"""How most studies are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyType:
    """A kind of study: `work` finds it out at a desk, from the values of its arguments.

    What `work` returns of a plan need only have sentences, tables and warnings: its kind, its title, which is `title`
    or else the command's help behind the plan's name, and what was asked are said here. Texts are read as the arguments
    declare; `read` does it where that does not do. Where its `command` asks for several kinds, the first of its own
    `arguments` is the option that asks for this one. Without a command it is asked for by others. `line` is how it is
    asked for in a line of words that the app takes, with what else may be said; unless given, what its arguments say.
    """

    kind: str
    work: Callable[..., Awaitable[Study]]
    title: str = ""
    command: Command | None = None
    arguments: tuple[Argument, ...] = ()
    read: Callable[[Given], dict[str, Any]] | None = None
    picture: Picture = FIRST_TABLE
    line: str = ""

    def __post_init__(self) -> None:
        if self.command is not None and not self.command.name:
            object.__setattr__(self, "command", replace(self.command, name=self.kind))

    @property
    def takes(self) -> tuple[Argument, ...]:
        """All that may be said of it: its command's arguments, then its own."""
        return (*(() if self.command is None else self.command.arguments), *self.arguments)

    @property
    def chosen_by(self) -> Argument | None:
        """The flag that only says that this kind is meant, where its command asks for others, too."""
        shared = self.command is not None and self.command.name != self.kind
        return next((one for one in self.arguments[:1] if shared and one.form == "flag"), None)

    def values(self, given: Given) -> dict[str, Any]:
        """Return the values for its work of the texts that are `given`.

        Raises InputError for what does not read, and where something that is needed is not given.
        """
        missing = next((one for one in self.takes if one.needed and given.get(one.name) in (None, "")), None)
        if missing is not None:
            raise InputError("this is needed", where=missing.name, accepted=f"{missing.example}: {missing.help}")
        if self.read is not None:
            return self.read(given)
        return {
            one.field: one.value(given[one.name]) for one in self.takes if one.name in given and one != self.chosen_by
        }

    @property
    def defaults(self) -> dict[str, Any]:
        """The values of the arguments that hold where they are not given; those that `read` reads have others."""
        known = self.takes if self.read is None else ()
        return {one.field: one.value(one.default) for one in known if one.default is not None}

    def asked(self, plan: str, values: dict[str, Any]) -> str:
        """Return what asks for these values of the plan with this handle, as it is typed."""
        command, *options = self.takes
        assert self.command is not None, f"nobody types {command}"
        chosen = self.chosen_by
        said = (("--" + one.name,) if one == chosen else one.said_again(values.get(one.field)) for one in options)
        return " ".join([self.command.name, plan, *(word for words in said for word in words)])

    def named(self, found: Study, plan: str, name: str, values: dict[str, Any]) -> Study:
        """Return what was found of the plan with this handle and name, with its kind, its title and what was asked."""
        title = f"{name or plan}: {found.title or self.title or self.help}"
        return replace(found, kind=self.kind, title=title, question=self.asked(plan, values))

    @property
    def told_line(self) -> str:
        """The line of words that asks for it, and behind it what may follow."""
        first, *others = self.arguments
        also = f"also: {' '.join(one.typed for one in others)}" if others else first.help
        return self.line or f"{first.typed}   ({also})"

    @property
    def name(self) -> str:
        """What a registry calls it."""
        return self.kind

    @property
    def help(self) -> str:
        """What its command says in lists."""
        return "" if self.command is None else self.command.help
