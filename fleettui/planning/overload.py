"""The evidence against a fleet whose pools would be busier than they may be: its load alone condemns it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fleettui.domain.plan import Candidate, Estimate, Evidence, PoolEvidence


def evidence_against(
    candidate: Candidate,
    utilization: Sequence[float],
    fails: Callable[[float], bool],
    said: Callable[[str, float], str],
    *,
    seed: int,
    precision: float,
) -> Evidence:
    """Return the evidence against a fleet of which some pool is too busy, which takes no simulation.

    `utilization` is each pool's, and `fails` tells of which a pool fails; `said` makes the reason of the name and the
    load of the busiest.
    """
    rows = list(zip(candidate.fleet.pools, candidate.pools, utilization, strict=True))
    worst, _, busy = max(rows, key=lambda row: row[2])
    return Evidence(
        method="formula",
        verdict="fail",
        seed=seed,
        precision=precision,
        reason=said(worst.name, busy),
        ttft=Estimate(value=None),
        attainment=Estimate(value=None),
        pools=tuple(
            PoolEvidence(
                name=pool.name,
                ttft=Estimate(value=None),
                tpot=Estimate(value=None),
                utilization=one,
                batch=figures.batch if one < 1.0 else float(pool.concurrency),
                verdict="fail" if fails(one) else None,
            )
            for pool, figures, one in rows
        ),
    )
