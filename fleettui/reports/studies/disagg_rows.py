"""A fleet of either way, prefill and decode apart or together, as a row of the study of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.domain.disagg import DisaggFigures, Proof
from fleettui.domain.fleet import Pool
from fleettui.domain.limit import TPOT, TTFT
from fleettui.domain.plan import Candidate, Verdict
from fleettui.reports import fleet_text, units
from fleettui.reports.studies import subject as words

APART, TOGETHER = "apart", "together"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A fleet of either way as it is known: latencies in seconds, `proof` by formula, or what simulations said."""

    way: str
    pools: tuple[Pool, ...]
    gpus: int
    cost: float
    ttft: float | None
    tpot: float | None
    proof: str

    @classmethod
    def of_apart(cls, one: DisaggFigures) -> Row:
        """Return a disaggregated fleet by formula."""
        return cls(
            way=APART,
            pools=one.fleet.pools,
            gpus=one.fleet.gpus,
            cost=one.cost,
            ttft=one.ttft,
            tpot=one.tpot,
            proof=words.proof(False),
        )

    @classmethod
    def of_together(cls, one: Candidate) -> Row:
        """Return a fleet whose replicas do both, as it was simulated where it was."""
        seen = one.simulation
        ttft, tpot = (fleet_text.worst(one, latency) for latency in (TTFT.latency, TPOT.latency))
        return cls(
            way=TOGETHER,
            pools=one.fleet.pools,
            gpus=one.gpus,
            cost=one.cost_per_hour,
            ttft=None if ttft is None else ttft.value,
            tpot=None if tpot is None else tpot.value,
            proof=words.proof(False) if seen is None else _seen(seen.verdict),
        )

    @classmethod
    def of_proof(cls, way: str, one: Proof) -> Row:
        """Return what simulations made of a fleet."""
        return cls(
            way=way,
            pools=one.pools,
            gpus=one.gpus,
            cost=one.cost,
            ttft=one.ttft.value,
            tpot=one.tpot.value,
            proof=_seen(one.verdict),
        )


def joined(way: str, members: Sequence[Pool]) -> str:
    """Return the pools of a fleet: those that requests pass in turn, or between which they are divided."""
    return (" > " if way == APART else " + ").join(map(pool_words, members))


def pool_words(pool: Pool) -> str:
    """Return a pool with its replicas, spare ones apart: H100 tp4 x10+1."""
    spare = f"+{pool.spares}" if pool.spares else ""
    return f"{pool.gpu.upper()} {pool.division} x{pool.replicas}{spare}"


def budgets(pools: Sequence[Pool]) -> str:
    """Return the tokens that a step of each pool takes, once where they are alike: 8,192."""
    return " + ".join(dict.fromkeys(units.count(pool.token_budget) for pool in pools))


def tokens_a_step(pools: Sequence[Pool]) -> int | None:
    """Return the tokens that a step of every pool takes, None where that of one is another's."""
    different = {pool.token_budget for pool in pools}
    return different.pop() if len(different) == 1 else None


def _seen(verdict: Verdict) -> str:
    """Return how a simulated fleet is known, in the words of the candidates' table."""
    return {"pass": words.proof(True), "fail": "fails"}.get(verdict, "not proven")
