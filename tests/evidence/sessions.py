"""What routers find of the shipped sessions, and what that costs: `python -m tests.evidence.sessions`.

Ten replicas like a Llama-70B's on eight H100s, each with 1.6 million tokens of cache, at 12 requests/s of all rounds.
"""

from __future__ import annotations

import sys
import time

from fleettui.domain.fleet import Fleet
from fleettui.domain.sessions import SessionRecord, rounds_of
from fleettui.domain.simulation import PoolLength, PoolTraffic, Traffic
from fleettui.domain.slo import Slo
from fleettui.simulation.run import replicate
from fleettui.workloads import library
from tests.simulation.samples import pool

NAMES = ("agent-sessions", "mooncake-conversation")
ROUTERS = ("session-affinity", "session-bounded", "prefix-aware", "length", "random")
RATE, REPLICAS, CONTEXT = 12.0, 10, 131_072
LENGTHS = (PoolLength(warm_up=6_000, measured=20_000, relaxation=1.0),)


def told(record: SessionRecord, router: str) -> str:
    """Return the share of prompt tokens found behind a router, its P99 TTFT and wait, and how fast that was played."""
    atoms = tuple((1.0, float(one.prompt), float(one.output)) for row in record.rows for one in rounds_of(row))
    part = PoolTraffic(arrival_rate=RATE, atoms=atoms, lengths=(0, CONTEXT))
    fleet = Fleet(router=router, pools=(pool("all", replicas=REPLICAS, up_to=CONTEXT),))
    traffic, slo = Traffic(pools=(part,), sessions=record, keeps=True), Slo(ttft=5.0)
    for _ in range(2):  # the first may compile
        start = time.process_time()
        run = replicate(fleet, traffic, LENGTHS, profiles=(None,), slo=slo, seed=1, index=0)
        seconds = time.process_time() - start
    own = run.pools[0]
    return (
        f"found {own.hit:.1%}, P99 TTFT {own.ttft:.2f} s, P99 wait {own.wait:.2f} s, busy {own.utilization:.2f}; "
        f"{run.requests / seconds:,.0f} requests/s of this core"
    )


def main() -> None:
    """Tell it of each shipped workload of sessions and each router."""
    for name in NAMES:
        record = library.sessions(name)
        assert record is not None, "it is shipped"
        sys.stdout.write(f"{name}: one cache without limit would find {record.reusable():.1%}\n")
        for router in ROUTERS:
            sys.stdout.write(f"  {router}: {told(record, router)}\n")


if __name__ == "__main__":
    main()
