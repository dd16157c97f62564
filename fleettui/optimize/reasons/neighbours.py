"""One replica more or fewer in each pool: what it does to latency and cost, and which limits break."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fleettui.domain.limit import TTFT, Latency
from fleettui.domain.limiting import limited_by
from fleettui.domain.plan import Candidate, Evidence, PoolEvidence, PoolFigures
from fleettui.domain.remedy import BY_FORMULA, SIMULATED
from fleettui.domain.slo import Slo
from fleettui.domain.stock import Stock
from fleettui.domain.study import Declared, StudyTable, table_of
from fleettui.optimize.reasons.inputs import Ground, resized
from fleettui.optimize.reasons.limits import FLEET, ROUNDING, UTILIZATION, LimitCheck, broken, finite, limits, told

NOTHING = "nothing"
AS_SIMULATED, AS_GIVEN = "the simulation asked for this size", "the fleet is as it was given"
"""Why a fleet has a replica without which it keeps every limit by formula."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """The fleet with `step` more replicas in one pool, that pool's figures before and after, by formula.

    `seen` is its evidence where it was simulated, `stands` that of the fleet as it is; `breaks` are the limits that it
    does not keep: as simulated where it was, else by formula.
    """

    pool: str
    step: int
    candidate: Candidate
    before: PoolFigures
    after: PoolFigures
    cost: float
    breaks: tuple[LimitCheck, ...]
    seen: Evidence | None = None
    stands: Evidence | None = None

    @property
    def how(self) -> str:
        """How the limits that it breaks are known."""
        return "by formula" if self.seen is None else "as simulated"

    @property
    def only_others_fail(self) -> bool:
        """Whether it does not pass in simulation for another pool's sake, as the fleet as it is does not."""
        if self.seen is None or self.stands is None or "pass" in (self.seen.verdict, self.stands.verdict):
            return False
        return self._own(self.seen).verdict == "pass"

    def _own(self, evidence: Evidence) -> PoolEvidence:
        return next(pool for pool in evidence.pools if pool.name == self.pool)

    @property
    def compared(self) -> Literal["simulated", "formula"]:
        """How both its latencies and those of the fleet as it is are known."""
        return "formula" if self.seen is None or self.stands is None else "simulated"

    def moves(self, latency: Latency) -> tuple[float, float]:
        """Return a latency of the pool before and after, in seconds: both as simulated where both were.

        One that is undefined in simulation has no end.
        """
        if self.seen is None or self.stands is None:
            return self.before.at(latency), self.after.at(latency)
        before, after = (self._own(one).at(latency).value for one in (self.stands, self.seen))
        return float("inf") if before is None else before, float("inf") if after is None else after

    @property
    def replicas(self) -> int:
        """Replicas of the pool, as changed."""
        return next(pool.replicas for pool in self.candidate.fleet.pools if pool.name == self.pool)


def neighbours(ground: Ground, answer: Candidate) -> tuple[Neighbour, ...]:
    """Return, per pool, the fleet with one replica fewer (where there is one to take) and with one more."""
    standing = ground.standing(answer)
    limiting = _limiting(ground, standing.candidate)
    found = []
    for place, pool in enumerate(answer.fleet.pools):
        for step in (-1, 1):
            if pool.replicas + step < 1:
                continue
            fixed = ground.fix(answer.fleet, resized(answer, place, step))
            found.append(
                Neighbour(
                    pool=pool.name,
                    step=step,
                    candidate=fixed.candidate,
                    before=replace(standing.candidate.pools[place], limited_by=limiting[place]),
                    after=fixed.candidate.pools[place],
                    cost=fixed.candidate.cost_per_hour - standing.candidate.cost_per_hour,
                    breaks=broken([one for one in limits(ground, fixed) if one.place in (pool.name, FLEET)]),
                    seen=ground.seen(fixed.candidate.fleet),
                    stands=ground.seen(standing.candidate.fleet),
                )
            )
    return tuple(found)


def _limiting(ground: Ground, standing: Candidate) -> tuple[str, ...]:
    """Return what limits each pool of a fleet as it stands: as simulations show, where they do."""
    proof = ground.proofs.get(standing.fleet)
    known = standing if proof is None else replace(standing, evidence=proof.evidence)
    return limited_by(known, ground.question, ground.proofs.values())


def sentences(
    answer: Candidate,
    found: Sequence[Neighbour],
    standing: Sequence[LimitCheck],
    because: str = AS_SIMULATED,
    stock: Stock | None = None,
) -> tuple[str, ...]:
    """Return, per pool, what limits it and by how much, and what one replica fewer breaks.

    `because` is why the fleet has a replica without which it keeps every limit by formula; where more than one of a
    given fleet is spare, as its `stock` has it, it is told how many are enough.
    """
    said = []
    for place, pool in enumerate(answer.fleet.pools):
        fewer = next((one for one in found if one.pool == pool.name and one.step < 0), None)
        own = [one for one in standing if one.place == pool.name and not one.part]
        enough = _enough(answer, place, stock)
        said.append(f"pool {pool.name}: {_limited(fewer, own, f'{because}{enough}')}")
    return tuple(said)


def _enough(answer: Candidate, place: int, stock: Stock | None) -> str:
    """Return how many replicas of a pool of a given fleet are enough, empty where that is one fewer or more.

    Where another pool is short it is empty, too.
    """
    held, needed = [pool.replicas for pool in answer.fleet.pools], () if stock is None else stock.replicas or ()
    if stock is None or not needed or any(need > have for need, have in zip(needed, held, strict=True)):
        return ""
    known = SIMULATED if stock.simulated else BY_FORMULA
    fewer = needed[place] < held[place] - 1
    return f", {needed[place]} of these {held[place]} are enough, {known}" if fewer else ""


def gains(found: Sequence[Neighbour], slo: Slo) -> tuple[str, ...]:
    """Return, per pool, what one replica more does to a latency with a limit, and what it costs.

    It is the one that limits the pool, else the first. Of a fleet that was simulated the formulas say by how much, not
    from what to what. What is beyond the money, power or stock says so.
    """
    said = []
    for one in found:
        latency = _limiting_latency(one, slo)
        before, after = one.moves(latency)
        if one.step > 0 and finite(before) is not None and finite(after) is not None:
            over = next((f", but breaks {told(limit)}" for limit in one.breaks if limit.place == FLEET), "")
            said.append(f"pool {one.pool}: one replica more {_gain(one, latency)}, for ${one.cost:.2f}/h{over}")
    return tuple(said)


def _limiting_latency(one: Neighbour, slo: Slo) -> Latency:
    known = slo.limits()
    label = one.before.limited_by.partition(":")[0]
    return next((limit for limit in known if limit.label == label), next(iter(known), TTFT.latency))


def _gain(one: Neighbour, latency: Latency) -> str:
    before, after = one.moves(latency)
    if one.compared == "formula" and one.stands is not None:
        change = after / before - 1.0
        moved = f"adds {change:.1%} to" if change > 0 else f"takes {-change:.1%} off"
        return f"{moved} {latency.label} by formula"
    how = "by formula" if one.compared == "formula" else "as simulated"
    return f"takes {latency.label} from {before:.3g} s to {after:.3g} s {how}"


def _limited(fewer: Neighbour | None, own: Sequence[LimitCheck], because: str) -> str:
    if fewer is None:
        near = min(own, key=_share_left)
        return f"one replica is the least there is; nearest to its limit is {near.name}, {_left(near)}"
    label = fewer.before.limited_by.partition(":")[0]
    over = next((one for one in own if one.label == label and not one.holds), None)
    if over is not None:
        return f"limited by {over.name} (now {_left(over)})"
    return _breaking(fewer, own, label) if fewer.breaks else _keeping(fewer, because)


def _breaking(fewer: Neighbour, own: Sequence[LimitCheck], label: str) -> str:
    first = next((one for one in fewer.breaks if one.label == label), fewer.breaks[0])
    now = next((one for one in own if one.name == first.name), None)
    left = f" (now {_left(now)})" if now is not None else ""
    work = "" if any(one.label == label for one in own) else f", most of it {fewer.before.limited_by}"
    by = f"{UTILIZATION}{work}" if first.name == UTILIZATION else first.name
    rest = "".join(f"; {told(one)}" for one in fewer.breaks if one != first and finite(one.value) is not None)
    breaks = "breaks" if fewer.seen is None or fewer.seen.verdict == "fail" else "is not proven to keep"
    return f"limited by {by}{left}: one replica fewer {breaks} {told(first)}{rest}, {fewer.how}"


def _keeping(fewer: Neighbour, because: str) -> str:
    if fewer.seen is None:
        return f"by formula one replica fewer keeps every limit too; {because}"
    if fewer.only_others_fail:
        return f"as simulated one replica fewer keeps every limit of this pool too; {because}"
    if fewer.seen.verdict != "pass":
        word = "fails" if fewer.seen.verdict == "fail" else "is not proven"
        return f"by formula one replica fewer keeps every limit, but it {word} in simulation: {fewer.seen.reason}"
    why = "it costs as much, as whole nodes are paid for" if fewer.cost > -ROUNDING else because
    return f"as simulated one replica fewer keeps every limit too{'' if why == AS_SIMULATED else f'; {why}'}"


def _share_left(limit: LimitCheck) -> float:
    return limit.room / limit.most


def _left(limit: LimitCheck) -> str:
    """Return the room of a limit in its unit, or by how much it is exceeded.

    >>> _left(LimitCheck(place="all", name="TTFT", unit="seconds", value=0.41, most=0.5))
    '0.41 s of 0.5 s, 0.09 s left'
    >>> _left(LimitCheck(place="all", name="TTFT", unit="seconds", value=0.61, most=0.5))
    '0.61 s of 0.5 s, 0.11 s over'
    """
    unit = " s" if limit.unit == "seconds" else " tokens" if limit.unit == "tokens" else ""
    used = limit.most - limit.room
    sign = "left" if limit.room >= 0 else "over"
    return f"{used:.3g}{unit} of {limit.most:.3g}{unit}, {abs(limit.room):.3g}{unit} {sign}"


def table(found: Sequence[Neighbour], slo: Slo, wished: float | None = None) -> StudyTable:
    """Return the table: TTFT, TPOT and every latency with a limit, each with its value and its change.

    A fleet that is `wished` to be surer than at the step times predicted is no longer with one replica fewer.
    """
    return table_of(
        "one replica fewer and one more",
        found,
        ("pool", "text", lambda one: one.pool),
        ("replicas", "count", lambda one: one.replicas),
        ("more_per_hour", "dollars per hour", lambda one: one.cost),
        *(column for latency in slo.latencies() for column in _latency(latency)),
        ("breaks", "text", lambda one: _breaks(one) or _as_seen(one, wished)),
        note="each pool by itself, the others as they are; ~ by formula, its latencies too",
    )


def _breaks(one: Neighbour) -> str:
    """Return the limits that a fleet does not keep, marked where that is by formula or is not proven.

    What it takes of money, power and stock no simulation decides.
    """
    if one.seen is None:
        return f"~{_names(one.breaks)}" if one.breaks else ""
    if one.seen.verdict == "fail":
        return _names(one.breaks)
    own, taken = ([limit for limit in one.breaks if (limit.place == FLEET) is fleet] for fleet in (False, True))
    return ", ".join(filter(None, [_names(taken), f"perhaps {_names(own)}: not proven" if own else ""]))


def _names(found: Sequence[LimitCheck]) -> str:
    return ", ".join(limit.name for limit in found)


def _as_seen(one: Neighbour, wished: float | None) -> str:
    """Return what a fleet breaks that keeps every limit by formula: nothing, unless a simulation saw otherwise."""
    if one.seen is None or one.seen.verdict == "pass" or one.only_others_fail:
        nothing = f"~{NOTHING}" if one.seen is None else NOTHING
        return nothing if wished is None or one.step > 0 else f"the {100 * wished:.3g}% asked for"
    return "a limit, as simulated" if one.seen.verdict == "fail" else "perhaps a limit: not proven as simulated"


def _latency(latency: Latency) -> Iterator[Declared[Neighbour]]:
    """Yield a latency after the change and by how much it moves."""
    yield latency.column, "seconds", lambda one: finite(one.moves(latency)[1])
    yield f"{latency.column}_up", "seconds", lambda one: _moved(*one.moves(latency))


def _moved(before: float, after: float) -> float | None:
    return finite(after - before) if finite(before) is not None else None
