"""The replays of a day: every policy on every pool in every run, side by side, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleettui.domain.autoscale import PolicyFigures, PoolReplay, PoolSite
from fleettui.domain.digest import digest
from fleettui.domain.fleet import Fleet
from fleettui.domain.serialization import to_plain
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.reports import units

if TYPE_CHECKING:
    from fleettui.planning.studies.study_context import StudyContext

PACE = 1_000_000
"""Requests that a core replays in a second, about."""
HELD_TO = "static-peak"
"""The policy to which the others are held, where it is among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A policy, and the pools as it is to find them."""

    policy: str
    pools: tuple[PoolSite, ...]


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
        told = f"replaying {names[0] if len(names) == 1 else f'{len(names)} policies'}"
        played = await self.played([Trial(policy=name, pools=self.pools) for name in names], runs, told)
        held_to = HELD_TO if HELD_TO in names else names[0]
        return await self.judged(names, self.pools, played, share=share, held_to=held_to)

    async def played(self, trials: Sequence[Trial], runs: int, told: str) -> list[list[list[PoolReplay]]]:
        """Return of each trial the replays of every pool in each of so many runs, all side by side; progress is told.

        Those of one run follow each other, so that its requests are drawn once in each worker.
        """
        indices, places = range(self.first, self.first + runs), range(len(self.pools))
        cases = [(at, index, place) for index in indices for place in places for at in range(len(trials))]
        sites = [[digest(to_plain(pool.site)) for pool in one.pools] for one in trials]
        requests = sum(pool.site.day.requests for one in trials for pool in one.pools) * runs
        found = await self.desk.each(
            (self._replay(trials[at], index, place, sites[at][place]) for at, index, place in cases),
            f"{told}, about {units.seconds(requests / PACE)} of a core",
        )
        by_case = dict(zip(cases, found, strict=True))
        return [[[by_case[at, index, place] for place in places] for index in indices] for at in range(len(trials))]

    async def judged(
        self,
        names: Sequence[str],
        pools: Sequence[PoolSite],
        played: Sequence[Sequence[Sequence[PoolReplay]]],
        *,
        share: float,
        held_to: str,
    ) -> tuple[PolicyFigures, ...]:
        """Return what policies come to of which the runs on `pools` were `played`."""
        return await self.desk.run(
            "autoscale-judge",
            tuple[PolicyFigures, ...],
            pools=pools,
            names=names,
            runs=played,
            held_to=held_to,
            share=share,
            event=self.event,
        )

    async def _replay(self, trial: Trial, index: int, place: int, named: str) -> PoolReplay:
        """Return one replay, on a site that is `named` by its digest."""
        return await self.desk.piece(
            [trial.policy, place, index, named],
            "autoscale-replay",
            PoolReplay,
            source=self.source,
            fleet=self.fleet,
            place=place,
            site=trial.pools[place].site,
            policy=trial.policy,
            seed=self.seed,
            index=index,
            told=index == self.first,
        )
