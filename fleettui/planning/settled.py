"""Where a search by simulation ended: what it tried, the best of that, and what it left untried."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.plan import Candidate
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes, Walk
from fleettui.planning.worth import Worth, cost, nothing

MOST_TRIED = 18
"""Fleets that a search simulates at most within the limits, and again past them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Untried:
    """A fleet that was not simulated and might be better than the answer, by at most `saving` of what counts.

    `more` is the share of it by which the shape is expected to be worse, None where it is expected to hold at no size.
    """

    shape: Candidate
    sizes: Sizes
    saving: float
    more: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Where the search ended: the walks in the order in which they were begun, and how many fleets were simulated.

    No more than `most_tried` are tried. `share` is how near to the constraints a fleet comes: above 1 it breaks one.
    `untried` is what could not be excluded when no more were, None where nothing is left. Where it looks `past_limits`
    no constraint counts. Walks that are `aside` were made and have no answer: of GPUs that are not to be it.
    """

    walks: tuple[Walk, ...]
    tried: int
    most_tried: int = MOST_TRIED
    worth: Worth = cost
    share: Worth = nothing
    untried: Untried | None = None
    past_limits: bool = False
    aside: tuple[Walk, ...] = ()

    @property
    def answer(self) -> Trial | None:
        """The best fleet that passes and keeps every constraint, of equals the farthest from its limits; or None."""
        passing = self.holding if self.past_limits else [trial for trial in self.holding if trial.good]
        return min(passing, key=lambda trial: (round(self.worth(trial.candidate), 9), trial.strain), default=None)

    @property
    def left_open(self) -> list[Trial]:
        """The fleets that more runs may prove, and that would be no better than the answer."""
        return [trial for walk in self.walks for trial in walk.trials.values() if trial.open]

    @property
    def simulated(self) -> tuple[Candidate, ...]:
        """The fleets that were tried, whatever they came to, each once."""
        walks = (*self.walks, *self.aside)
        tried = (trial.candidate for walk in walks for trial in walk.trials.values())
        return tuple({one.fleet: one for one in tried}.values())

    @property
    def walk(self) -> Walk | None:
        """The walk that came to the answer."""
        return next((walk for walk in self.walks if self.answer in walk.trials.values()), None)

    @property
    def nearest(self) -> Trial:
        """The fleet that may hold within the constraints; else that which passes and breaks a constraint by least.

        Where there is none, it is of the shape tried first the one tried last.
        """
        if self.unrefuted is not None:
            return self.unrefuted
        shares = ((self.share(trial.candidate), self.worth(trial.candidate), trial) for trial in self.holding)
        _, _, near = min(shares, key=lambda one: one[:2], default=(0.0, 0.0, None))
        return near or list(self.walks[0].trials.values())[-1]

    @property
    def unrefuted(self) -> Trial | None:
        """The fleet nearest to its limits of those within the constraints that were not shown to hold, nor to fail."""
        trials = (trial for walk in self.walks for trial in walk.trials.values())
        return min((one for one in trials if one.verdict == "unproven"), key=lambda one: one.strain, default=None)

    @property
    def least(self) -> Trial | None:
        """The best fleet that passes, whatever constraint it breaks, None where none does."""
        return min(self.holding, key=lambda trial: self.worth(trial.candidate), default=None)

    @property
    def holding(self) -> list[Trial]:
        """The fleets that pass, those that break a constraint with them."""
        return [trial for walk in self.walks for trial in walk.trials.values() if trial.passes]
