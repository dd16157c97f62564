"""What a scheduler declares: which request's prompt a replica works at next, and what it needs for that.

A declaration loads no arrays, since the options and the app read it. Its rules are written in the subset of Python that
numba compiles: the twin calls them as they stand, the kernel in machine code, so they call no other function of ours.
What a rule is given, and all that this has, stands in `view`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, cast

from fleettui.scheduling.view import Moment, Turn, Waiting

LOWER = 2.0**32
"""The least rank of a lower queue: ranks below it are of the upper one."""


class Rank(Protocol):
    """Which request of a queue is first, by a number that is the same while it waits."""

    def __call__(self, request: Waiting, /) -> float:
        """Return a number of `request`: the least is first, equals as they came.

        One that was preempted is first all the same.
        """


class MomentRank(Protocol):
    """The same by a number that changes: it is asked for anew as a replica composes a step."""

    def __call__(self, request: Waiting, moment: Moment, /) -> float:
        """Return a number of `request` at a moment."""


class TurnRank(Protocol):
    """Which prompt has its turn next, of those that wait and those that were cut by the budget of a step."""

    def __call__(self, request: Waiting, turn: Turn, /) -> float:
        """Return a number, LOWER or more in the lower queue: the least is first, equals as they came."""


class TurnMomentRank(Protocol):
    """The same by a number that changes."""

    def __call__(self, request: Waiting, turn: Turn, moment: Moment, /) -> float:
        """Return a number at a moment, LOWER or more in the lower queue."""


class TurnRule(Protocol):
    """What happens to a request's turn as it comes, or as its prompt is cut."""

    def __call__(self, turn: Turn, /) -> None:
        """Change whether the session is `long`, which its later rounds inherit, and whether the prompt `carries` on."""


def first_come(request: Waiting, /) -> float:  # noqa: ARG001
    """Return the same for every request: they are served as they come."""
    return 0.0


def first_come_still(request: Waiting, moment: Moment, /) -> float:  # noqa: ARG001
    """Return the same for every request at any moment."""
    return 0.0


def first_turn(request: Waiting, turn: Turn, /) -> float:  # noqa: ARG001
    """Return the same for every prompt."""
    return 0.0


def first_turn_still(request: Waiting, turn: Turn, moment: Moment, /) -> float:  # noqa: ARG001
    """Return the same for every prompt at any moment."""
    return 0.0


def unchanged(turn: Turn, /) -> None:
    """Change nothing."""


def arguments(rule: object) -> int:
    """Return how many arguments a rule takes: one more than others where it is to see the moment."""
    return int(cast(Any, rule).__code__.co_argcount)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """How prompts take turns where what was cut does not simply go on: by `rank`, what waits and what was cut together.

    What `comes` and what is `cut` may change its turn. A cut prompt that `carries` is first where no prompt of the
    upper queue is older; after `quota` steps with prompts of the upper queue alone (0: never) the oldest of the lower
    one is. What waits and is interactive `preempts` what runs and is of class batch. `guesses` says whether outputs are
    guessed, with the question's error of lengths. A rank that takes the moment `varies`.
    """

    rank: TurnRank | TurnMomentRank
    comes: TurnRule = unchanged
    cut: TurnRule = unchanged
    quota: int = 0
    preempts: bool = False
    guesses: bool = False

    @property
    def varies(self) -> bool:
        """Whether ranks change while prompts wait: where the rule takes the moment."""
        return arguments(self.rank) == arguments(first_turn_still)

    @property
    def lasting(self) -> TurnRank:
        """The rank that stays as it is, that of all where ranks vary."""
        return first_turn if self.varies else cast(TurnRank, self.rank)

    @property
    def at_moment(self) -> TurnMomentRank:
        """The rank that varies, that of all where none does."""
        return cast(TurnMomentRank, self.rank) if self.varies else first_turn_still


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduler:
    """A scheduler: its name, one line of help, when a request joins the batch, and the `rank` of what waits.

    It `reserves` a place's blocks for the pool's whole context, or lets them fill token by token. Prompts run `alone`,
    before decodes, or where the engine has them. With `turns` those decide instead of the rank, and prompts that were
    cut no longer go on before all that waits. The formulas take requests as they come; `differs` says which wait longer
    in truth, "" where that is so. A rank that takes the moment `varies`, and what waits is put in order for each step.
    """

    name: str
    help: str
    reserves: bool
    rank: Rank | MomentRank = first_come
    alone: bool = False
    turns: Turns | None = None
    differs: str = ""

    def __post_init__(self) -> None:
        least = 1 if self.turns is None else 2
        taken = arguments(self.rank if self.turns is None else self.turns.rank)
        given = "request, turn" if self.turns else "request"
        assert taken in {least, least + 1}, f"admission {self.name}: a rank takes ({given}) or ({given}, moment)"

    @property
    def caution(self) -> str:
        """What a reader of the formulas' figures must know, "" where they take what the scheduler does."""
        return self.differs and f"admission {self.name}: {self.differs} than told; verify tells"

    @property
    def varies(self) -> bool:
        """Whether ranks change while requests wait: where the rule takes the moment."""
        return arguments(self.rank) == arguments(first_come_still) if self.turns is None else self.turns.varies

    @property
    def lasting(self) -> Rank:
        """The rank that stays as it is, that of all where ranks vary."""
        return first_come if self.varies or self.turns is not None else cast(Rank, self.rank)

    @property
    def at_moment(self) -> MomentRank:
        """The rank that varies, that of all where none does."""
        return cast(MomentRank, self.rank) if self.varies and self.turns is None else first_come_still
