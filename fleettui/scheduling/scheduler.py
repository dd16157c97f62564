"""What a scheduler declares: which request's prompt a replica works at next, and what it needs for that.

A declaration loads no arrays, since the options and the app read it. Its rules are written in the subset of Python that
numba compiles: the twin calls them as they stand, the kernel in machine code, so they call no other function of ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

LOWER = 2.0**32
"""The least rank of a lower queue: ranks below it are of the upper one."""


class Rank(Protocol):
    """Which request of a queue is first."""

    def __call__(self, request: Any, /) -> float:
        """Return a number of `request`, the same while it waits: the least is first, equals as they came.

        It has `prompt`, `cached` and `output` tokens and its `arrival`. One that was preempted is first all the same.
        """


class TurnRank(Protocol):
    """Which prompt has its turn next, of those that wait and those that were cut by the budget of a step."""

    def __call__(self, request: Any, turn: Any, /) -> float:
        """Return a number, LOWER or more in the lower queue: the least is first, equals as they came.

        `request` is as for Rank. `turn` has its `fresh` prompt tokens, which its session did not have before, the
        tokens that its session was `served` in earlier rounds, whether that is `long`, and a `guess` of its output.
        """


class TurnRule(Protocol):
    """What happens to a request's turn as it comes, or as its prompt is cut."""

    def __call__(self, turn: Any, /) -> None:
        """Change whether the session is `long`, which its later rounds inherit, and whether the prompt `carries` on."""


def first_come(request: Any, /) -> float:  # noqa: ARG001
    """Return the same for every request: they are served as they come."""
    return 0.0


def unchanged(turn: Any, /) -> None:
    """Change nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """How prompts take turns where what was cut does not simply go on: by `rank`, what waits and what was cut together.

    What `comes` and what is `cut` may change its turn. A cut prompt that `carries` is first where no prompt of the
    upper queue is older; after `quota` steps with prompts of the upper queue alone (0: never) the oldest of the lower
    one is. What waits and is interactive `preempts` what runs and is of class batch. `guesses` says whether outputs are
    guessed, with the question's error of lengths.
    """

    rank: TurnRank
    comes: TurnRule = unchanged
    cut: TurnRule = unchanged
    quota: int = 0
    preempts: bool = False
    guesses: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduler:
    """A scheduler: its name, one line of help, when a request joins the batch, and the `rank` of what waits.

    It `reserves` a place's blocks for the pool's whole context, or lets them fill token by token. Prompts run `alone`,
    before decodes, or where the engine has them. With `turns` those decide instead of the rank, and prompts that were
    cut no longer go on before all that waits. The formulas take requests as they come; `differs` says which wait longer
    in truth, "" where that is so.
    """

    name: str
    help: str
    reserves: bool
    rank: Rank = first_come
    alone: bool = False
    turns: Turns | None = None
    differs: str = ""

    @property
    def caution(self) -> str:
        """What a reader of the formulas' figures must know, "" where they take what the scheduler does."""
        return self.differs and f"admission {self.name}: {self.differs} than told; verify tells"
