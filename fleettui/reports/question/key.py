"""One part of a question: what it is called, how it is read and what it means.

Type, range and default are those of the field that it fills, which the domain declares; all else is declared here,
once. The command line, question files, settings, the app, sweeps, comparisons and reports read it.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, MISSING, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from fleettui.domain import checks
from fleettui.domain.bounds import Bounds
from fleettui.domain.checks import Range
from fleettui.domain.demand import Demand
from fleettui.domain.features import Features
from fleettui.domain.length_factors import Lengths
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.typed_range import LENGTHS, RANGED, TypedRange
from fleettui.errors import InputError
from fleettui.reports.question import range_text
from fleettui.reports.question.text_forms import FLAG, Form

if TYPE_CHECKING:
    from fleettui.domain.study import Quantity

HOLDERS: dict[str, type[Any]] = {
    "": Question,
    "demand": Demand,
    "slo": Slo,
    "bounds": Bounds,
    "features": Features,
    "lengths": Lengths,
}
"""Where the fields of a question are, by what stands before the dot."""


@dataclass(frozen=True, slots=True)
class Key:
    """One part of a question: name, form of its text, an example of it, and one line of help.

    The name is the option without its dashes and the key in a question file. `demand` is the form of demand that it
    belongs to. `fills` is its field, through one of HOLDERS where it has a dot, unless that is named like
    the key. `now` is the text of its default in a new question where that differs from the field's default, which is
    what questions have that were kept before there was the key. `is_setting` where a default of one's own can be set;
    `of_given` where it says something of a fleet that is given; `is_swept` where another value is the same question
    elsewhere; `is_input` where the answer rests on it, and `of_proof` where it only says how that is proven. `also` is
    another name that people know it by.
    """

    name: str
    form: Form
    example: str
    help: str
    _: KW_ONLY
    demand: str = ""
    fills: str = ""
    is_setting: bool = False
    of_given: bool = False
    now: str = ""
    is_swept: bool = True
    is_input: bool = True
    of_proof: bool = False
    also: str = ""

    @property
    def option(self) -> str:
        """The option on the command line."""
        return f"--{self.name}"

    @property
    def full_help(self) -> str:
        """The help, with what each of the names means that it takes, and that it may be a range."""
        if self.is_ranged:
            return f"{self.help}; or {range_text.ACCEPTED}"
        return f"{self.help}: {self.form.words}" if self.form.words else self.help

    @property
    def hint(self) -> str:
        """What is said where it is typed: the full help, and an example."""
        return f"{self.full_help}; for example {self.example}"

    @property
    def field(self) -> str:
        """The field of a `Question` that it fills: `max_gpus`, `demand.rate`."""
        return self.fills or f"{'demand.' if self.demand else ''}{self.name.replace('-', '_')}"

    @property
    def is_flag(self) -> bool:
        """Whether it is yes or no."""
        return self.form is FLAG

    @property
    def is_ranged(self) -> bool:
        """Whether it may be typed as a range: low:high."""
        return self.name in RANGED

    @property
    def quantity(self) -> Quantity:
        """What its values are; a text where there is no range between two of them."""
        return self.form.quantity

    @property
    def default(self) -> str:
        """The text of the default, empty where there is none."""
        return self.now or _default(self)

    @property
    def range(self) -> Range | None:
        """The numbers that its field may hold."""
        part, _, name = self.field.rpartition(".")
        return checks.range_of(HOLDERS[part], name)

    def read(self, text: str, where: str | None) -> Any:
        """Return the value of a text that stands at `where`, a TypedRange where it says one; raises InputError."""
        if self.is_ranged and range_text.SIGN in text:
            one = self.form.read if self.name in LENGTHS else self.read_one
            low, high = range_text.read(text, where, lambda end: one(end, where))
            return TypedRange(key=self.name, low=low, high=high)
        return self.read_one(text, where)

    def read_one(self, text: str, where: str | None) -> Any:
        """Return the same of a text that says one value; raises InputError."""
        value = self.form.read(text, where)
        limits = self.range
        if limits is not None and value is not None and isinstance(value, int | float) and not limits.holds(value):
            raise InputError(f"{self.form.noun} {limits.what}", where=where, value=text, accepted=limits.accepted)
        return value

    def write(self, value: Any) -> str:
        """Return the text that `read` reads as `value`."""
        if isinstance(value, TypedRange):
            return range_text.write(self.form.write(value.low), self.form.write(value.high))
        return self.form.write(value)

    def is_default(self, text: str) -> bool:
        """Return whether a text, as `write` writes it, says what the key's default says."""
        return bool(self.default) and self.default == text


@dataclass(frozen=True, slots=True)
class Group:
    """Keys that belong together, and what all of them are about in one sentence."""

    about: str
    keys: tuple[Key, ...]


@cache
def _default(key: Key) -> str:
    part, _, name = key.field.rpartition(".")
    value = HOLDERS[part].__dataclass_fields__[name].default
    return key.form.empty if value in (MISSING, None, (), "") else key.write(value)
