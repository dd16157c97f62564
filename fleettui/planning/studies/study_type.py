"""What a kind of study declares about itself, once: how it is asked for, how it is worked out, how it is drawn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.study import Study

Given = Mapping[str, Any]
"""Texts by the names of arguments; True for a flag, a tuple of texts for what may be given several times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A word of a command; or an option with a text, one without (a flag), or one that may be given several times.

    `example` stands for a value in the help. Unless it is `needed`, `default` is what holds where it is not given.
    """

    name: str
    help: str
    form: Literal["word", "text", "flag", "several"] = "text"
    example: str | None = None
    default: str | None = None
    needed: bool = False

    @property
    def typed(self) -> str:
        """How it is typed in a line of words: its name and its example."""
        return f"{self.name} {self.example or ''}".rstrip()

    @property
    def written(self) -> str:
        """How it is told in a message: an option with its dashes and its example."""
        return f"--{self.name} {self.example}" if self.example else f"--{self.name}"


PLAN = Argument(
    name="plan", form="word", example="PLAN", default="last", help="a kept plan: handle, name, last, last~1"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One line in which the app asks for what the command takes; `read` makes its arguments of the line.

    `value` stands in it at first, None for the handle of the plan that is shown.
    """

    label: str
    help: Callable[[], str]
    read: Callable[[str], Given]
    value: str | None = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of the command line, which is also an entry of the app's palette, for one or several kinds of study.

    `help` is half a line for lists, `about` a sentence for its own help; it stands in lists `after` another use case,
    and belongs to a `view`. Its first argument is the plan that is shown in the app where it is `of_shown`. With
    `question` it takes options for the question of a fleet that is given, and with `workers` the number of processes;
    `whole` says that what an interrupted one has found is lost.
    """

    name: str
    help: str
    about: str
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
    def epilog(self) -> str:
        """What stands below its help: examples, of a plan unless it has others."""
        own = f"\b\nExamples:\n  fleettui {self.name} last\n  fleettui {self.name} 41a7 --json\n"
        return self.examples or own


FIRST_TABLE = Picture()
"""How most studies are drawn."""


def as_given(given: Given) -> dict[str, Any]:
    """Return the arguments as they are given."""
    return dict(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyType:
    """A kind of study: `work` finds it out at a desk, from what `read` makes of the texts that were given.

    Where its `command` asks for several kinds, the first of its own `arguments` is the option that asks for this one.
    Without a command it is asked for by others. `line` is how it is asked for in a line of words that the app takes,
    with what else may be said; unless given, what its arguments say.
    """

    kind: str
    work: Callable[..., Awaitable[Study]]
    command: Command | None = None
    arguments: tuple[Argument, ...] = ()
    read: Callable[[Given], dict[str, Any]] = as_given
    picture: Picture = FIRST_TABLE
    line: str = ""

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
