"""The replays of a day: every policy on every pool in every run, side by side, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleettui.domain.autoscale import PolicyFigures, PoolReplay, PoolSite
from fleettui.domain.fleet import Fleet
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.reports import units

if TYPE_CHECKING:
    from fleettui.planning.studies.study_context import StudyContext

PACE = 600_000
"""Requests that a core replays in a second, about."""
HELD_TO = "static-peak"
"""The policy to which the others are held, where it is among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayReplays:
    """The pools of a fleet on a day; run i of every policy meets the same requests. `event` is when the first was."""

    desk: StudyContext
    source: SceneSource
    fleet: Fleet
    pools: tuple[PoolSite, ...]
    seed: int
    event: float | None = None
    first: int = 0

    async def figures(self, names: Sequence[str], runs: int, share: float) -> tuple[PolicyFigures, ...]:
        """Return what each policy comes to over so many runs, from the `first` on, of which `share` of the requests is
        to keep the limits.
        """
        indices = range(self.first, self.first + runs)
        cases = [(index, place, name) for index in indices for place in range(len(self.pools)) for name in names]
        requests = sum(one.site.day.requests for one in self.pools) * runs * len(names)
        told = (
            f"replaying {names[0] if len(names) == 1 else f'{len(names)} policies'}, "
            f"about {units.seconds(requests / PACE)} of a core"
        )
        found = await self.desk.each((self._replay(*case) for case in cases), told)
        by_case = dict(zip(cases, found, strict=True))
        played = [
            [[by_case[index, place, name] for place in range(len(self.pools))] for index in indices] for name in names
        ]
        return await self.desk.run(
            "autoscale-judge",
            tuple[PolicyFigures, ...],
            pools=self.pools,
            names=names,
            runs=played,
            held_to=HELD_TO if HELD_TO in names else names[0],
            share=share,
            event=self.event,
        )

    async def _replay(self, index: int, place: int, name: str) -> PoolReplay:
        return await self.desk.run(
            "autoscale-replay",
            PoolReplay,
            source=self.source,
            fleet=self.fleet,
            place=place,
            site=self.pools[place].site,
            policy=name,
            seed=self.seed,
            index=index,
        )
