"""What stands beside an answer of hardware that the question's own fit has not seen, in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.other_gpus import known
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.unseen import SEEN_NONE, not_fitted


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideUnseen:
    """What an own fit makes of an `answer` whose hardware it has not seen all of.

    `seen` is the best fleet of what it has seen, None where none was shown to do. `wider` is the best of `gpus`, those
    that it has seen, were it right for each division of them, as it mostly is (`python -m
    tests.evidence.other_divisions`); None where nothing is known of that.
    """

    answer: Candidate
    seen: Candidate | None
    gpus: tuple[str, ...] = ()
    wider: Candidate | None = None

    def told(self, question: Question) -> str:
        """Return that in a sentence."""
        fit = question.fit
        assert fit is not None, "there is a fit that has not seen it"
        lacking = f"steps of {not_fitted(self.answer.fleet, question)}: {fit.words}"
        return f"{lacking}{SEEN_NONE}{self._of_seen()}{self._wider()}"

    def _of_seen(self) -> str:
        if self.seen is None:
            return "no fleet was seen to hold"
        return f"{self._fleet(self.seen)} beside {_dollars(self.answer)}"

    def _wider(self) -> str:
        if self.wider is None:
            return ""
        gpus = " and ".join(gpu.upper() for gpu in self.gpus)
        same = self.seen is not None and self.wider.fleet == self.seen.fleet
        return f"; if all {gpus} are so, as is likely, {'the same' if same else self._fleet(self.wider)}"

    def _fleet(self, one: Candidate) -> str:
        return f"{fleet_words(one.fleet)} holds, {known(one)}: {_dollars(one)}"


def _dollars(one: Candidate) -> str:
    return f"${one.cost_per_hour:,.2f}/h"
