"""What a plan says about routing, about splitting prefill from decode, about power: a sentence, then the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fleettui.domain.limit import TPOT
from fleettui.domain.plan import Candidate, PoolEvidence, PoolFigures
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text, units
from fleettui.reports.table import WIDTH, Head, Table, render, wrap
from fleettui.routing import ROUTERS

NO_FLEET = "The plan has no fleet that holds, so there is nothing to say here. 2 shows what is nearest."


def routing_text(
    candidate: Candidate | None, question: Question, width: int = WIDTH, *, others: Iterable[Candidate] = ()
) -> str:
    """Return how requests find their pool, and what each pool gets; `others` are what the plan holds beside it."""
    if candidate is None:
        return _sentence(NO_FLEET, width)
    pools, router = candidate.fleet.pools, ROUTERS.named(candidate.fleet.router)
    if len(pools) == 1:
        sentence = f"One pool: every request goes {router.sends}.{_splits(question, others)}"
    else:
        shorter = "".join(f"up to {units.count(pool.up_to)} to pool {pool.name}, " for pool in pools[:-1])
        compressed = fleet_text.compressed(candidate.fleet)
        sentence = (
            f"Requests go by their total tokens: {shorter}longer ones to pool {pools[-1].name}; within a pool "
            f"{router.sends}{f'; {compressed}' if compressed else ''}."
        )
    later = f"Other routers under the same arrivals are compared in a later version; this plan uses {router.name}."
    return "\n\n".join([_sentence(sentence, width), render(_routing_table(candidate), width), _sentence(later, width)])


def _splits(question: Question, others: Iterable[Candidate]) -> str:
    """Return whether fleets of several pools were searched; a fleet that was given was not searched at all."""
    if any(len(one.fleet.pools) > 1 for one in others):
        return " Splitting by length was searched too: 2 lists what it costs."
    return " Splitting by length was not searched (pools 1)." if question.pools == (1,) else ""


def _routing_table(candidate: Candidate) -> Table:
    total = sum(pool.arrival_rate for pool in candidate.pools)
    columns = (
        Head(title="pool"),
        Head(title="total tokens"),
        *(Head(title=title, align="right") for title in ("req/s", "share", "busy", "replicas", "GPUs")),
    )
    seen = fleet_text.simulation_of(candidate)
    known: Sequence[PoolFigures | PoolEvidence] = candidate.pools if seen is None else seen.pools
    rows = tuple(
        (
            pool.name,
            f"{units.count(pool.above + 1)} to {units.count(pool.up_to)}",
            units.per_second(figures.arrival_rate),
            units.percent(figures.arrival_rate / total),
            units.fraction(found.utilization),
            units.count(pool.replicas),
            units.count(pool.gpus),
        )
        for pool, figures, found in zip(candidate.fleet.pools, candidate.pools, known, strict=True)
    )
    return Table(columns=columns, rows=rows)


def disagg_text(candidate: Candidate | None, question: Question, width: int = WIDTH) -> str:
    """Return what prefill and decode do to each other in the plan's replicas."""
    if candidate is None:
        return _sentence(NO_FLEET, width)
    rank = f"P{units.write_percentile(question.slo.percentile)}"
    longest = max(pool.longest_step for pool in candidate.pools)
    worst = fleet_text.worst(candidate, TPOT.latency)
    tpot = units.seconds(None if worst is None else worst.value)
    sentence = (
        f"Every replica does both: prefill and decode share its steps. {rank} TPOT is {tpot} in the worst pool, and "
        f"the longest gap between two tokens, a step with a full prompt chunk, is {units.seconds(longest)}. "
        "Steps and prefill are by formula."
    )
    later = (
        "Pools of their own for prefill and for decode are compared in a later version; until then a TPOT limit is "
        "held by smaller chunks (e, token-budget) or more replicas."
    )
    return "\n\n".join(
        [_sentence(sentence, width), render(_steps_table(candidate, rank), width), _sentence(later, width)]
    )


def _steps_table(candidate: Candidate, rank: str) -> Table:
    columns = (
        Head(title="pool"),
        *(Head(title=title, align="right") for title in ("tokens a step", "longest step", f"{rank} prefill")),
        Head(title=f"{rank} TPOT", align="right"),
        Head(title="limited by"),
    )
    tpots = fleet_text.estimates(candidate, TPOT.latency)
    rows = tuple(
        (
            pool.name,
            units.count(pool.token_budget),
            units.seconds(figures.longest_step),
            units.seconds(figures.prefill),
            units.seconds(tpot.value),
            figures.limited_by,
        )
        for pool, figures, tpot in zip(candidate.fleet.pools, candidate.pools, tpots, strict=True)
    )
    return Table(columns=columns, rows=rows)


def power_text(candidate: Candidate | None, question: Question, width: int = WIDTH) -> str:
    """Return what the fleet draws, in all and per GPU, and how far that is from a power limit."""
    if candidate is None:
        return _sentence(NO_FLEET, width)
    each = candidate.power / candidate.gpus
    sentence = f"The GPUs draw {units.watts(candidate.power)} at this load, {units.watts(each)} each on average."
    if question.max_power:
        left = 1 - candidate.power / question.max_power
        far = f"leaves {units.percent(left)}" if left >= 0 else f"is exceeded by {units.percent(-left)}"
        sentence += f" The limit of {units.watts(question.max_power)} {far}."
    else:
        sentence += " No power limit is set (e, max-power)."
    later = (
        "Power caps, and what they cost in latency, are searched in a later version. Hosts, network and cooling are "
        "not counted."
    )
    return "\n\n".join([_sentence(sentence, width), render(_power_table(candidate), width), _sentence(later, width)])


def _power_table(candidate: Candidate) -> Table:
    columns = (
        Head(title="pool"),
        Head(title="GPUs"),
        *(Head(title=title, align="right") for title in ("power", "per GPU", "busy", "MFU", "req/s", "J per request")),
    )
    rows = tuple(
        (
            pool.name,
            fleet_text.gpus(pool),
            units.watts(figures.power),
            units.watts(figures.power / pool.gpus),
            units.fraction(figures.utilization),
            units.fraction(figures.mfu),
            units.per_second(figures.arrival_rate),
            units.count(figures.power / figures.arrival_rate) if figures.arrival_rate else units.UNDEFINED,
        )
        for pool, figures in zip(candidate.fleet.pools, candidate.pools, strict=True)
    )
    return Table(columns=columns, rows=rows)


def _sentence(text: str, width: int) -> str:
    return "\n".join(wrap(text, width))
