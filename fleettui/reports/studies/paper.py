"""The papers' puzzles on any lengths, as studies: by split, by rate, and of a fleet that is given."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.paper_fleet import PaperFleet, PaperPool
from fleettui.domain.plan import Answer, Verdict
from fleettui.domain.study import Declared, Study, StudyTable, table_of
from fleettui.reports import units
from fleettui.reports.studies import subject as words

WARNING = "the papers' method: prompts cost no time, a GPU is as fast as a node: unreal"
HELD = "slots held: simulated, each request holds its slot for its whole time; P99 TTFT of the worst pool"


def front_study(plan: Answer, asked: str, found: Sequence[PaperFleet], limit: float) -> Study:
    """Return the study of the cheapest fleet of each split, one pool first (inference-fleet-sim, Table 1)."""
    whole = next((one for one in found if len(one.pools) == 1), None)
    best = min(found, key=lambda one: (one.ttft is None or one.ttft > limit, one.cost))
    sentences = [f"the cheapest that keeps the limit by their formula: {_told(best)}, {_split(best)}"]
    if whole is not None and best is not whole and whole.cost:
        sentences.append(f"one pool takes {_told(whole)}: the split saves {units.percent(1 - best.cost / whole.cost)}")
    sentences += [f"{_split(one)} breaks the limit as simulated: {_seconds(one)}" for one in _broken(found, limit)]
    return Study.of(
        plan.plan,
        kind="pareto",
        title=f"{plan.plan.called}: the cheapest fleet of each split, by the papers",
        question=asked,
        sentences=sentences,
        tables=(_by_split(found, whole, limit),),
        warnings=(WARNING,),
    )


def steps_study(plan: Answer, asked: str, found: Sequence[PaperFleet], limit: float) -> Study:
    """Return the study of where each fleet of a plan's split runs out (inference-fleet-sim, Table 4)."""
    rate = plan.demand.rate
    own = next((one for one in found if one.rate >= rate * (1 - 1e-9)), found[-1])
    return Study.of(
        plan.plan,
        kind="steps",
        title=f"{plan.plan.called}: where each fleet of its split runs out, by the papers",
        question=asked,
        sentences=(
            f"{_told(own)} last until {words.rate(own.rate)}, {words.signed_percent(own.rate / rate - 1)} on the "
            f"plan's {words.rate(rate)}, by their formula",
            *(
                f"at {words.rate(one.rate)} it breaks the limit as simulated: {_seconds(one)}"
                for one in _broken([own], limit)
            ),
            f"{len(found)} fleets, {found[0].gpus} to {found[-1].gpus} GPUs, up to {words.rate(found[-1].rate)}",
        ),
        tables=(
            table_of(
                "where each fleet runs out",
                found,
                ("up_to", "rate", lambda one: one.rate),
                ("gpus", "count", lambda one: one.gpus),
                ("replicas", "text", lambda one: words.sizes(tuple(pool.replicas for pool in one.pools))),
                ("cost_per_hour", "dollars per hour", lambda one: one.cost),
                ("ttft", "seconds", lambda one: one.ttft),
                *_held_columns(limit),
                note="by their rule, which sizes by the wait alone, a fleet holds up to the rate of its row; "
                f"{HELD}, at that rate",
            ),
        ),
        warnings=(WARNING,),
    )


def given_study(fleet: PaperFleet, asked: str, limit: float, seed: int, arithmetic: str) -> Study:
    """Return the study of a fleet that was given; its verdict is by the simulation."""
    verdict = _verdict(fleet, limit)
    return Study(
        kind="slots",
        title="a fleet by the papers' method, its slots held",
        question=asked,
        seed=seed,
        sentences=(
            f"{verdict.upper() if verdict != 'unproven' else 'NOT PROVEN'}: {_told(fleet)} at {words.rate(fleet.rate)} "
            f"({arithmetic}); {_seconds(fleet)}, limit {units.seconds(limit)}",
        ),
        tables=(_pools(fleet),),
        warnings=(WARNING,),
        verdict=verdict,
    )


def _verdict(fleet: PaperFleet, limit: float) -> Verdict:
    within = fleet.within(limit)
    return "unproven" if within is None else "pass" if within else "fail"


def _by_split(found: Sequence[PaperFleet], whole: PaperFleet | None, limit: float) -> StudyTable:
    return table_of(
        "the cheapest fleet of each split",
        found,
        ("split", "tokens", lambda one: one.pools[0].up_to if len(one.pools) > 1 else None),
        ("gamma", "number", lambda one: one.gamma),
        ("fleet", "text", _fleet),
        ("gpus", "count", lambda one: one.gpus),
        ("cost_per_hour", "dollars per hour", lambda one: one.cost),
        ("saving", "share", lambda one: None if whole is None or not whole.cost else 1 - one.cost / whole.cost),
        ("ttft", "seconds", lambda one: one.ttft),
        *_held_columns(limit),
        note=f"TTFT by their formula, P99 wait and mean prefill; {HELD}, where no other fleet is as cheap and as fast",
    )


def _held_columns(limit: float) -> tuple[Declared[PaperFleet], ...]:
    return (
        ("held_ttft", "seconds", lambda one: None if one.held is None else one.held.value),
        ("keeps", "text", lambda one: _within(one, limit)),
    )


def _within(one: PaperFleet, limit: float) -> str:
    if one.held is None and all(pool.utilization < 1.0 for pool in one.pools):
        return ""
    within = one.within(limit)
    return "not proven" if within is None else "yes" if within else "no"


def _pools(fleet: PaperFleet) -> StudyTable:
    return table_of(
        "its pools",
        fleet.pools,
        ("pool", "text", lambda one: f"{one.gpu.upper()} x{one.replicas}"),
        ("up_to", "tokens", lambda one: one.up_to),
        ("busy", "share", lambda one: one.utilization),
        ("held_busy", "share", lambda one: None if one.held is None else one.held.utilization),
        ("ttft", "seconds", lambda one: one.ttft),
        ("held_ttft", "seconds", lambda one: None if one.held is None else one.held.ttft.value),
        ("low", "seconds", lambda one: None if one.held is None else one.held.ttft.low),
        ("high", "seconds", lambda one: None if one.held is None else one.held.ttft.high),
        note="busy and TTFT by their formula, then with slots held and the ends of the 95 % interval; a pool "
        "that is full all the time has no P99",
    )


def _broken(found: Sequence[PaperFleet], limit: float) -> list[PaperFleet]:
    """Return the fleets that keep the limit by formula and break it as simulated."""
    return [one for one in found if one.ttft is not None and one.ttft <= limit and one.within(limit) is False]


def _fleet(one: PaperFleet) -> str:
    return " + ".join(_pool(pool) for pool in one.pools)


def _pool(pool: PaperPool) -> str:
    return f"{pool.replicas} {pool.gpu.upper()}"


def _told(one: PaperFleet) -> str:
    return f"{_fleet(one)}, {units.dollars_per_hour(one.cost)}"


def _split(one: PaperFleet) -> str:
    if len(one.pools) == 1:
        return "one pool"
    gamma = f" γ = {one.gamma:g}" if one.gamma > 1.0 else ""
    return f"split at {units.count(one.pools[0].up_to)}{gamma}"


def _seconds(one: PaperFleet) -> str:
    """Return the simulated TTFT, or that there is none."""
    if any(pool.utilization >= 1.0 for pool in one.pools):
        return "a pool is full all the time, the wait has no bound"
    if one.held is None:
        return "not simulated"
    return f"P99 TTFT {units.seconds(one.held.value)} with its slots held"
