"""Sessions as a simulation saw them: what each round found in caches, and which pool it went to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fleettui.domain.plan import Candidate
from fleettui.domain.sessions import MOST_ROUNDS, RoundSeen
from fleettui.reports import units
from fleettui.reports.chart import Axis, Chart, Series
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.panes import Pane, pane, picture

ByNumber = Mapping[str, Mapping[int, RoundSeen]]
"""What each pool saw, by its name and the round."""


def session_panes(candidate: Candidate) -> list[Pane]:
    """Return what rounds found and where they went, with a picture where caches are kept; nothing without sessions."""
    pools = _by_number(candidate)
    numbers = sorted({number for own in pools.values() for number in own})
    if not numbers:
        return []
    sums = {number: _sum([own[number] for own in pools.values() if number in own]) for number in numbers}
    every = sum(one.requests for one in sums.values())
    columns: list[Column[int]] = [
        words("round", lambda number: f"{number}{' on' if number == MOST_ROUNDS else ''}"),
        figure("requests", lambda number: sums[number].requests / every, units.percent),
        figure("prompt tokens", lambda number: sums[number].prompt / sums[number].requests, units.count),
    ]
    if any(one.found for one in sums.values()):
        columns.append(figure("found", lambda number: _share(sums[number]), units.percent))
    if len(pools) > 1:
        columns += [_to(name, own, sums) for name, own in pools.items()]
    said = pane("sessions: what each round finds", [_flow(candidate, sums, every)], [table(columns, numbers)])
    return [said, *picture(_chart(pools, sums))]


def _to(name: str, own: Mapping[int, RoundSeen], sums: Mapping[int, RoundSeen]) -> Column[int]:
    """Return the column of how many of each round's requests go to a pool."""
    return figure(
        f"to {name}",
        lambda number: own[number].requests / sums[number].requests if number in own else 0.0,
        units.percent,
    )


def _flow(candidate: Candidate, sums: Mapping[int, RoundSeen], every: int) -> str:
    """Return how many sessions begin and how long they are, in a sentence."""
    begins = sums[1].requests / every if 1 in sums else 0.0
    rate = sum(pool.arrival_rate for pool in candidate.pools)
    if not begins:
        return f"No session was seen to begin; {units.per_second(rate)} rounds come every second."
    return (
        f"{units.per_second(rate * begins)} sessions begin every second, of {1.0 / begins:.3g} rounds on average; "
        f"router {candidate.fleet.router} sends them."
    )


def _by_number(candidate: Candidate) -> ByNumber:
    seen = candidate.simulation
    if seen is None:
        return {}
    return {pool.name: {one.number: one for one in pool.rounds} for pool in seen.pools}


def _sum(rows: Sequence[RoundSeen]) -> RoundSeen:
    return RoundSeen(
        number=rows[0].number,
        requests=sum(one.requests for one in rows),
        prompt=sum(one.prompt for one in rows),
        found=sum(one.found for one in rows),
    )


def _share(one: RoundSeen) -> float:
    return one.found / one.prompt


def _chart(pools: ByNumber, sums: Mapping[int, RoundSeen]) -> Chart | None:
    """Return the share of prompt tokens that is found over the rounds, by pool, None where none is."""
    if len(sums) < 2 or not any(one.found for one in sums.values()):
        return None
    series = tuple(
        Series(name=name, points=tuple((float(number), _share(own[number])) for number in sorted(own)))
        for name, own in pools.items()
        if own
    )
    best = max(sums.values(), key=_share)
    return Chart(
        title="prompt tokens found, by round",
        series=series,
        x=Axis(label="round", write=lambda value: f"{value:.0f}", low=1.0),
        y=Axis(label="found", write=units.percent, low=0.0),
        summary=f"round {best.number} finds most: {units.percent(_share(best))} of its prompt tokens",
    )
