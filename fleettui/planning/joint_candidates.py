"""What one workload of a joint plan may choose from, and what simulation has shown of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fleettui.domain.joint import Entry, Kind, Offered, Option
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer


@dataclass(slots=True, kw_only=True)
class Menu:
    """An entry's fleets, as the formulas size them or, once proven, as they hold.

    `rate` is what its demand comes to, requests per second. `plans` are the proven ones by the place of their fleet,
    `failed` the places of those that do not hold. `infeasible` is the plan of an entry that no fleet holds. `gpus` are
    the types that were searched. What is `passed_over` holds, and another fleet for as much is surer.
    """

    entry: Entry
    options: list[Option]
    rate: float | None = None
    infeasible: NewPlan | None = None
    gpus: tuple[str, ...] = ()
    plans: dict[int, Answer] = field(default_factory=dict)
    failed: set[int] = field(default_factory=set)
    passed_over: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, entry: Entry, found: Offered, kinds: Sequence[Kind]) -> Menu:
        """Return the menu that a worker found, its GPUs by type in the order of `kinds`."""
        own = tuple(kind.name for kind in found.kinds)
        options = [replace(one, gpus=_spread(dict(zip(own, one.gpus, strict=True)), kinds)) for one in found.options]
        return cls(entry=entry, options=options, rate=found.rate, infeasible=found.infeasible, gpus=own)

    def learn(self, place: int, plan: Answer, kinds: Sequence[Kind]) -> None:
        """Take in what a fleet came to: another size, or that it holds at none that was tried."""
        self.plans[place] = plan
        if plan.verdict != "pass" or plan.answer is None:
            self.failed.add(place)
            return
        best = plan.answer
        self.options[place] = Option(gpus=_spread(best.fleet.gpus_by_type, kinds), watts=best.power)

    def offer(self, plan: Answer, kinds: Sequence[Kind]) -> None:
        """Take in a plan of the workload by itself as one more fleet; raises AssertionError for one that fails."""
        assert plan.verdict == "pass", "only what holds is offered"
        assert plan.answer is not None, "what holds has a fleet"
        best = plan.answer
        self.plans[len(self.options)] = plan
        self.options.append(Option(gpus=_spread(best.fleet.gpus_by_type, kinds), watts=best.power))

    def places(self, *, proven_only: bool = False) -> list[int]:
        """Return the places of the fleets that are not known to fail, or of those that are known to hold.

        What was passed over is none.
        """
        known = sorted(self.plans) if proven_only else range(len(self.options))
        return [place for place in known if place not in self.failed | self.passed_over]


def _spread(counts: dict[str, int], kinds: Sequence[Kind]) -> tuple[int, ...]:
    return tuple(int(counts.get(kind.name, 0)) for kind in kinds)
