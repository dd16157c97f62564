"""How fast sessions are played behind the least loaded of two pools: `python -m tests.evidence.session_speed`.

Replicas like a Llama-70B's on eight H100s that keep prefixes, and sessions of four rounds, each of a few hundred tokens
more; and the shipped agent-sessions, whose prompts are tens of thousands of tokens long.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from fleettui.domain.fleet import Fleet
from fleettui.domain.sessions import SessionRecord, rounds_of
from fleettui.domain.simulation import PoolLength, PoolTraffic, Traffic
from fleettui.domain.slo import Slo
from fleettui.simulation.run import replicate
from fleettui.workloads import library
from tests.simulation.samples import pool

CONTEXT = 131_072
LENGTH = PoolLength(warm_up=5_000, measured=40_000, relaxation=1.0)


def chats() -> SessionRecord:
    """Return sessions of four rounds, each 100 to 500 tokens more, with answers of 20 to 120 after 2 to 20 s."""
    draws = np.random.default_rng(1)
    rows = []
    for _ in range(400):
        held, row = 0, list[float]()
        for place in range(4):
            prompt, output = held + int(draws.integers(100, 500)), int(draws.integers(20, 120))
            row += [prompt, output, float(draws.uniform(2.0, 20.0)) if place else 0.0]
            held = prompt + output
        rows.append(tuple(row))
    return SessionRecord(rows=tuple(rows))


def told(record: SessionRecord, replicas: int, rate: float) -> str:
    """Return how fast a fleet of so many replicas in two pools is played at a rate of all rounds, and what it finds."""
    atoms = [(1.0, float(one.prompt), float(one.output)) for row in record.rows for one in rounds_of(row)]
    split = int(np.median([prompt + output for _, prompt, output in atoms]))
    long = [atom for atom in atoms if atom[1] + atom[2] > split]
    share = len(long) / len(atoms)
    fleet = Fleet(
        router="least-loaded",
        pools=(
            pool("short", replicas=max(1, round(replicas * (1.0 - share))), up_to=split),
            pool("long", replicas=max(1, round(replicas * share)), up_to=CONTEXT, above=split),
        ),
    )
    short = tuple(atom for atom in atoms if atom[1] + atom[2] <= split)
    parts = (
        PoolTraffic(arrival_rate=rate * (1.0 - share), atoms=short, lengths=(0, split)),
        PoolTraffic(arrival_rate=rate * share, atoms=tuple(long), lengths=(split, CONTEXT)),
    )
    traffic = Traffic(pools=parts, sessions=record, keeps=True)
    seconds = []
    for _ in range(3):  # the first may compile
        start = time.process_time()
        run = replicate(fleet, traffic, (LENGTH, LENGTH), profiles=(None, None), slo=Slo(ttft=5.0), seed=1, index=0)
        seconds.append(time.process_time() - start)
    busy = ", ".join(f"{one.name} {one.utilization:.2f} busy, {one.hit or 0.0:.0%} found" for one in run.pools)
    return f"{replicas} replicas at {rate:g}/s: {run.requests / min(seconds[1:]):,.0f} requests/s of this core; {busy}"


def main() -> None:
    """Tell it of both kinds of sessions at ten and a hundred replicas."""
    for name, record, each in (("chats", chats(), 10.0), ("agent-sessions", library.sessions("agent-sessions"), 1.2)):
        assert record is not None, "it is shipped"
        for replicas in (10, 100):
            sys.stdout.write(f"{name}, {told(record, replicas, each * replicas)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
