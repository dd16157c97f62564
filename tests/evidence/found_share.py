"""What caches find by formula and as played: `python -m tests.evidence.found_share`.

Shipped sessions and a trace with hashes on Llama-3.1-70B in fp8, whose replicas of two and four H100 have little and
much memory for caches, without and with a memory beside the GPUs; the played share is that of one run. By
formula a token that is fetched counts as the part of it that this spares, nearly a whole one here.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import product

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolRun
from fleettui.domain.slo import Slo
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.recorded_arrivals import with_record
from fleettui.planning.tasks.simulation_inputs import Scene, read
from fleettui.simulation import lengths, run

CASES = (  # workload, in sessions, GPUs of a replica, replicas, requests per second
    ("agent-sessions", True, 2, 12, 2.0),
    ("agent-sessions", True, 4, 10, 5.0),
    ("mooncake-conversation", True, 2, 12, 2.0),
    ("mooncake-conversation", True, 4, 12, 5.0),
    ("mooncake-conversation", False, 2, 12, 2.0),
    ("mooncake-conversation", False, 4, 12, 5.0),
)
IN_SESSIONS = ("session-affinity", "prefix-aware", "random")
BY_HASHES = ("prefix-aware", "random")
BESIDE = ("", "100GB@25GB/s")
MOST = 15_000
"""Requests of a run at most, after its warm-up."""


def shares(
    name: str, *, sessions: bool, tp: int, replicas: int, rate: float, router: str, beside: str = "", most: int = MOST
) -> tuple[float, PoolRun]:
    """Return the share of prompt tokens that is found by formula, and what was played."""
    asked = Question(
        workload=name,
        sessions=sessions,
        prefix_cache=True,
        demand=Demand(form="rate", rate=rate),
        slo=Slo(ttft=60.0),
        model="llama-3.1-70b",
        dtype="fp8",
        router=router,
        pools=(1,),
        drop_longer=True,
        kv_offload=beside,
    )
    workload = workload_of(asked, longest=131_072, format=None)
    question = with_record(asked, workload)
    cases, context = read(question, workload)
    scene = Scene(question=question, case=cases[0], rate=rate, context=context)
    pool = PoolSketch(gpu="h100", model="llama-3.1-70b", dtype="fp8", tp=tp, replicas=replicas)
    scored, profiles = scene.stage(FleetSketch(router=router, pools=(pool,)))
    fleet, traffic = scored.candidate.fleet, scored.traffic
    wanted = [replace(one, measured=min(one.measured, most)) for one in lengths.lengths(fleet, traffic).pools]
    played = run.replicate(fleet, traffic, wanted, profiles=profiles, slo=question.slo, seed=1, index=0)
    found = traffic.pools[0].found
    assert found is not None, "replicas keep prefixes"
    return found, played.pools[0]


def main() -> None:
    """Tell it of each case and router, and how far apart they are."""
    off = []
    for (name, sessions, tp, replicas, rate), beside in product(CASES, BESIDE):
        kind = "sessions" if sessions else "hashes"
        sys.stdout.write(f"{name} by {kind}, {replicas} replicas of {tp} H100 {beside or 'alone'}, {rate:g}/s\n")
        for router in IN_SESSIONS if sessions else BY_HASHES:
            found, run = shares(
                name, sessions=sessions, tp=tp, replicas=replicas, rate=rate, router=router, beside=beside
            )
            hit, fetched = run.hit or 0.0, run.link.fetched if run.link else 0.0
            off.append(abs(found - hit))
            sys.stdout.write(f"  {router}: {found:.1%} by formula, {hit:.1%} as played, {fetched:.1%} fetched\n")
    sys.stdout.write(f"off by {100 * sum(off) / len(off):.1f} points in the mean, {100 * max(off):.1f} at most\n")


if __name__ == "__main__":
    main()
