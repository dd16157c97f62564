"""What another question takes more or fewer GPUs than an answer has, and the key that asks it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from fleettui.domain.fleet import counted
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question

Turn = Literal["alone", "weights", "paired"]
TURNS: tuple[Turn, ...] = ("alone", "weights", "paired")
"""What is set otherwise where nothing answers a question, in turn, each where nothing before it does."""
CENT = 0.005
"""US dollars an hour below which fleets cost the same."""
MUST_KNOW = " must know outputs"
"""How the warning of a router ends that sends by lengths which nobody knows when a request comes."""
ONE_POOL = "; --pools 1 need not: "
"""What stands between that and what one pool takes."""
AT_MOST = "at most "
"""Before what a fleet comes to that is not shown to be the best of its kind."""
_COUNTED = re.compile(r"[ ~](?:[\d,]+ (?:GPUs? (?:fewer|more)|more like these)|as many GPUs(?: or fewer)?)(?:,|:|$)")
"""GPUs in advice that are counted from the answer's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What was `found` for another `question` at `rate` requests/s; None where no fleet holds.

    `saves` says whether it is told where it costs less than the answer, or as much in fewer pools, else where it costs
    more. `gpus` are paid for beyond the answer's, below zero where they are fewer; the fleet is `alike` where it runs
    on what the answer does and divides where that does. `open_below` says whether fewer of it may do as well, of which
    no simulation showed that they fail. `words` are its sentence, with {taken} for their number, and
    `pools` say of how many it is where those are others. `profiles` are of its hardware where its engine is set
    otherwise, none where it is set as it was.
    """

    question: Question
    rate: float
    found: Candidate | None
    saves: bool
    gpus: int = 0
    alike: bool = False
    open_below: bool = False
    words: str
    pools: str = ""
    profiles: tuple[Profile, ...] = ()

    @property
    def sets_engine(self) -> bool:
        """Whether its engine is set otherwise than the answer's."""
        return bool(self.profiles)

    def told(self, *, simulated: bool = False) -> str:
        """Return the sentence; a number that no simulation showed is about so many.

        Of other GPUs fewer may cost more, and more less: then it is their number and their cost.
        """
        if self.found is None:
            return self.words.format(taken="no fleet holds")
        return self.words.format(taken=", ".join(filter(None, (self._taken(self.found, simulated), self.pools))))

    def _taken(self, found: Candidate, simulated: bool) -> str:
        about = "" if simulated else "~"
        if self.gpus and (self.gpus < 0) is self.saves:
            number = abs(self.gpus)
            if simulated and (self.open_below or not (self.saves or self.alike)):  # of other fleets less may do
                about = "at least " if self.saves else AT_MOST
            more = f"{number} more like these" if self.alike else f"{counted(number)} more"
            return f"{about}{f'{counted(number)} fewer' if self.saves else more}"
        if self.saves and self.pools and not self.gpus:
            return "as many GPUs or fewer" if simulated and self.open_below else "as many GPUs"
        return f"another fleet of {about}{counted(found.gpus)} (${found.cost_per_hour:,.2f}/h)"

    def matters(self, now: Candidate) -> bool:
        """Return whether it takes more money than the answer does `now`, or less where it `saves`, or fewer pools."""
        if self.found is None:
            return not self.saves
        more = self.found.cost_per_hour - now.cost_per_hour
        if not self.saves:
            return more > CENT
        return -more > CENT or (more <= CENT and len(self.found.fleet.pools) < len(now.fleet.pools))


def counts_from_answer(warning: str) -> bool:
    """Return whether a warning is advice whose GPUs are so many more or fewer than the answer's.

    >>> counts_from_answer("a token budget of 4,096: 2 GPUs fewer, --token-budget 4096")
    True
    >>> counts_from_answer("a token budget of 2,048: as many GPUs or fewer, one pool, --token-budget 2048")
    True
    >>> counts_from_answer("bursts: busiest of 57 minutes at 29.2/s: ~14 more like these, --rate 29.2/s")
    True
    >>> counts_from_answer("bursts: busiest of 57 minutes at 29.2/s: no fleet holds, --rate 29.2/s")
    False
    """
    return _COUNTED.search(warning) is not None


def advised_budget(told: Iterable[Advice], question: Question) -> int | None:
    """Return the token budget of the first advice to set another one than a question does, None where none does."""
    budgets = (one.question.token_budget for one in told)
    return next((one for one in budgets if isinstance(one, int) and one != question.token_budget), None)


def told_once(why: tuple[str, ...], warnings: tuple[str, ...]) -> tuple[str, ...]:
    """Return reasons without what the formulas say of one pool, where a warning tells what it takes.

    >>> told_once(("pool all: TTFT", "one pool instead of two pools, by formula: 4 GPUs"), ("router length",))
    ('pool all: TTFT', 'one pool instead of two pools, by formula: 4 GPUs')
    """
    if not any(ONE_POOL in one for one in warnings):
        return why
    return tuple(one for one in why if not one.startswith("one pool instead of "))
