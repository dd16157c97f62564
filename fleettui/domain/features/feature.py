"""What a runtime feature of a server declares: how a question says it, and what it does to the engine of a pool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from fleettui.domain.engine_settings import SEARCHED
from fleettui.errors import InputError

if TYPE_CHECKING:
    from fleettui.domain.fleet import Pool

E = TypeVar("E")


class EngineRule(Protocol):
    """What a feature does to an engine that is simulated."""

    def __call__(self, engine: E, said: str, pool: Pool, /) -> E:
        """Return the engine of a `pool` with what a question says of the feature; fields as the engine has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A feature: its name, which is its option and its field, an example, and one line of help.

    `written` returns a text as it is written and raises InputError, told where it stands, for what says nothing of it;
    `accepted` says what does. `tried` are the texts that a search tries beside none, where there are any. An engine has
    it by its `rule`. One that is `of_blocks` does nothing where blocks are reserved. The formulas know nothing of it:
    `gains` is what only a simulation tells. `unset` says what no argument of a server sets.
    """

    name: str
    help: str
    example: str
    accepted: str
    written: Callable[[str, str | None], str]
    rule: EngineRule
    gains: str
    unset: str
    tried: tuple[str, ...] = ()
    of_blocks: bool = False

    @property
    def field(self) -> str:
        """Its field of Features."""
        return self.name.replace("-", "_")

    @property
    def option(self) -> str:
        """Its option."""
        return f"--{self.name}"

    def read(self, text: str, where: str | None) -> str:
        """Return what a text says as it is written, or that it is left to the search; raises InputError."""
        said = text.strip().lower()
        return SEARCHED if self.tried and said == SEARCHED else self.written(said, where)

    def check(self, said: str) -> None:
        """Raise InputError for a text that is not as it is written."""
        if said and self.read(said, self.option) != said:
            raise InputError("this is not as it is written", where=self.option, value=said, accepted=self.accepted)
