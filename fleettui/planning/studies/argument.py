"""What may be said to a command that asks for studies: its words and options, each declared once.

An argument's text is read and written by its form; the command line, the app's one line, Python and the line that says
what was asked read the same declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fleettui.domain.given_again import given_again
from fleettui.errors import InputError

Given = Mapping[str, Any]
"""Texts by the names of arguments; True for a flag, a tuple of texts for what may be given several times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A word of a command; or an option with a text, one without (a flag), or one that may be given several times.

    `example` stands for a value in the help. Unless it is `needed`, `default` is what holds where it is not given.
    `reads` names the form of its text in `argument_forms`; a text that has none stands for itself. A number lies
    between `least` and `most`. A list with commas, which is one by its form or where it is `listed`, may be given again
    and goes on. `fills` is the parameter of a study's work that gets the value, unless it is called so; `also` is
    another name for it in a line of words.
    """

    name: str
    help: str
    form: Literal["word", "text", "flag", "several"] = "text"
    example: str | None = None
    default: str | None = None
    needed: bool = False
    reads: str = ""
    least: float | None = None
    most: float | None = None
    fills: str = ""
    also: str = ""
    listed: bool = False

    @property
    def typed(self) -> str:
        """How it is typed in a line of words: its name and its example."""
        return f"{self.name} {self.example or ''}".rstrip()

    @property
    def is_list(self) -> bool:
        """Whether its text is a list with commas."""
        from fleettui.planning.studies.argument_forms import form_of

        return self.listed or bool(self.reads and form_of(self.reads).several)

    @property
    def written(self) -> str:
        """How it is told in a message: an option with its dashes and its example."""
        return f"--{self.name} {self.example}" if self.example else f"--{self.name}"

    @property
    def field(self) -> str:
        """The parameter of a study's work that gets its value."""
        return self.fills or self.name.replace("-", "_")

    def value(self, text: Any) -> Any:
        """Return what a text says, True for a flag, a tuple where there are several; raises InputError."""
        if self.form == "flag" or not self.reads:
            return text
        if self.form == "several":
            return tuple(map(self._one, text))
        return self._one(text)

    def with_another(self, given: Any, text: str) -> Any:
        """Return what is given once `text` is, too, after what was; raises InputError where it takes one value."""
        if self.form == "several":
            return (*(given or ()), *filter(None, (text,)))
        if given is None:
            return text
        if not self.is_list:
            raise given_again(f"--{self.name}", (given, text))
        return f"{given},{text}"

    def said_again(self, value: Any) -> tuple[str, ...]:
        """Return what says `value` on a command line; nothing where it is the default or none."""
        is_none = any(value is one for one in (None, False, ()))
        if is_none or (self.default is not None and value == self.value(self.default)):
            return ()
        if self.form == "flag":
            return (f"--{self.name}",)
        texts = [self._written(one) for one in (value if self.form == "several" else (value,))]
        return tuple(texts if self.form == "word" else (f"--{self.name} {text}" for text in texts))

    def _one(self, text: str) -> Any:
        from fleettui.planning.studies.argument_forms import form_of

        where, form = f"--{self.name}", form_of(self.reads)
        value = form.read(text, where)
        least, most = self.least, self.most
        if (least is not None and value < least) or (most is not None and value > most):
            ends = (f"{word} {form.write(end)}" for word, end in (("from", least), ("up to", most)) if end is not None)
            raise InputError(f"{form.noun} is out of range", where=where, value=text, accepted=" ".join(ends))
        return value

    def _written(self, value: Any) -> str:
        from fleettui.planning.studies.argument_forms import form_of

        return form_of(self.reads).write(value) if self.reads else str(value)


PLAN = Argument(
    name="plan", form="word", example="PLAN", default="last", help="a kept plan: handle, name, last, last~1"
)

Other = Callable[[dict[str, Any], str], bool]
"""Takes a word that is no argument's name to what is given so far; says whether it meant anything."""


def read_words(arguments: Iterable[Argument], line: str, command: str, other: Other = lambda *_: False) -> Given:
    """Return what a line of words says: names with or without their dashes, and behind each its value.

    The words of a command stand first, each for itself; one that takes nothing else has the whole line. What is no name
    is left to `other`. Raises InputError for a word that means nothing here.

    >>> known = Argument(name="tp", help="GPUs of a replica"), Argument(name="all", help="all of them", form="flag")
    >>> read_words(known, "all --tp 8", "why"), read_words(known, "tp=8", "why")
    ({'all': True, 'tp': '8'}, {'tp': '8'})
    """
    own = tuple(arguments)
    known = {name: one for one in own for name in (one.name, one.also) if name}
    places = [one.name for one in own if one.form == "word"]
    if places and len(own) == 1:
        return {places[0]: line} if line else {}
    given: dict[str, Any] = {}
    words = iter(line.split())
    for word in words:
        name, equals, value = word.removeprefix("--").partition("=")
        one = known.get(name)
        if one is not None and one.form == "flag" and not equals:
            given[one.name] = True
        elif one is not None and one.form in ("text", "several"):
            text = value if equals else next(words, "")
            given[one.name] = one.with_another(given.get(one.name), text)
        elif not other(given, word):
            if not places:
                options = ", ".join(one.name for one in own if one.form != "word")
                raise InputError(f"this is no word for {command}", value=word, accepted=options)
            given[places.pop(0)] = word
    return given
