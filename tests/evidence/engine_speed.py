"""How fast one core plays what servers do, in one run: `python -m tests.evidence.engine_speed`.

Azure conversations on Llama-3.1-70B in fp8 on eight H100s, half busy where nothing else is said, each in seconds of the
processor, the better of two after one that may compile: the plain engine and every step an event of its own; steps by
kernels that are padded to graph bins and verify drafts by expectation; sessions with prefix caches whose blocks are
short, so that sequences are preempted, and drafts by each sequence's own luck, .9 busy; and 1,024 replicas.
"""

from __future__ import annotations

import time
from dataclasses import replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.simulation import PoolLength, PoolTraffic, Traffic
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.hardware.graph_bins import graphed
from fleettui.hardware.profile import build_profile
from fleettui.simulation import kernel
from fleettui.simulation.draws import Draws, open_draws
from fleettui.simulation.layout import Engine, prepare
from fleettui.simulation.run import replicate
from tests.evidence.common import say
from tests.evidence.pools import Setup, Staged, staged
from tests.evidence.session_speed import chats
from tests.simulation.samples import pool

DRAFTS = "llama-3.1-8b:3@70%"
SEED, TIMES = 3, 3
REQUESTS, MANY = 200_000, 1_000_000


def setup(replicas: int) -> Staged:
    """Return the pool of so many replicas with its traffic, half busy."""
    return staged(Setup(workload="azure-2023-conv", gpu="h100", tp=8, replicas=replicas, utilization=0.5))


def drawn(one: Staged, requests: int) -> Draws:
    """Return so many requests of a pool."""
    return open_draws(one.traffic.pools[0], 0, prefix_hit=0.0, requests=requests, seed=SEED, index=0)


def played(own: Engine, draws: Draws, *, leaping: bool = True) -> tuple[float, float]:
    """Return the seconds of the processor in which an engine plays requests, and its steps."""
    found = []
    for _ in range(TIMES):
        state = prepare([own], draws)
        start = time.process_time()
        kernel.run(state, 0, draws.requests, leaping)
        found.append(time.process_time() - start)
    return min(found[1:]), float(state.pools["steps"].sum())


def drafting(plain: Engine, one: Staged) -> Engine:
    """Return the engine of the same pool with steps by kernels, padded to bins, that verify drafts by expectation."""
    profile = build_profile(
        catalog.gpu("h100"),
        catalog.model("llama-3.1-70b"),
        dtype="fp8",
        tp=8,
        step_law="kernels",
        speculative=DRAFTS,
    )
    profile = graphed(profile, "engine", "vllm")
    given = one.fleet.pools[0]
    steps = replace(given.profile, by_kernels=True)
    made = replace(given, dtype="fp8", speculative=profile.speculative, profile=steps)
    return replace(Engine.of(made, "paged", hardware=profile), replicas=plain.replicas)


def sessions() -> str:
    """Return how fast sessions are played with everything on, and how often their sequences are preempted."""
    record = replace(chats(), common=96)
    scarce = pool("all", replicas=10)
    scarce = replace(scarce, profile=replace(scarce.profile, kv_blocks=2_200), speculative=f"{DRAFTS}:sampled")
    traffic = Traffic(pools=(PoolTraffic(arrival_rate=350.0, atoms=(), lengths=(0, scarce.up_to)),), sessions=record)
    length = PoolLength(warm_up=5_000, measured=40_000, relaxation=1.0)
    seconds = []
    for _ in range(TIMES):
        start = time.process_time()
        run = replicate(
            Fleet(pools=(scarce,), router="session-affinity"),
            replace(traffic, keeps=True),
            (length,),
            profiles=(None,),
            slo=Slo(ttft=5.0),
            seed=SEED,
            index=0,
        )
        seconds.append(time.process_time() - start)
    seen = run.pools[0]
    per_thousand = 1000.0 * seen.preemptions / run.requests
    return (
        f"{run.requests / min(seconds[1:]):,.0f} requests/s, {seen.utilization:.2f} busy, {seen.hit or 0.0:.1%} found, "
        f"{per_thousand:.1f} preemptions per 1,000 requests"
    )


def main() -> None:
    """Tell every figure."""
    one = setup(10)
    plain, draws = Engine.of(one.fleet.pools[0], "paged"), drawn(one, REQUESTS)
    seconds, _ = played(plain, draws)
    say(f"plain, 10 replicas: {REQUESTS / seconds:,.0f} requests/s")
    stepped, steps = played(plain, draws, leaping=False)
    say(f"every step an event: {steps / stepped:,.0f} steps/s, {REQUESTS / stepped:,.0f} requests/s")
    seconds, _ = played(drafting(plain, one), draws)
    say(f"graph bins and drafts by expectation: {REQUESTS / seconds:,.0f} requests/s")
    say(f"sessions, prefix cache, preemption, sampled drafts: {sessions()}")
    wide = setup(1024)
    seconds, _ = played(Engine.of(wide.fleet.pools[0], "paged"), drawn(wide, MANY))
    say(f"1,024 replicas and {MANY:,} requests: {seconds:.1f} s of the processor")


if __name__ == "__main__":
    main()
