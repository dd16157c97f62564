"""The variants of the engine that the suite runs, each on a few requests: `python -m tests.simulation.variants`.

In the order in which tests ask for them, in one process: what a variant has in common with one before it is compiled
already. Those that only thorough tests and evidence run are left to these.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fleettui.simulation import run, tandem_run
from fleettui.simulation.elastic import ElasticPool
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.tandem import Tandem
from fleettui.simulation.tandem_run import Moved
from tests.simulation.samples import engine, requests

FEW = requests((32, 4), (32, 4), arrivals=[0.0, 5.0])
CACHED = replace(FEW, prefixes=Prefixes.of(size=16, known=np.full(2, 2, np.int32), hashes=np.array([0, 1, 0, 1])))
CONSTANT = {"plain": (engine(), FEW), "bounded": (engine(queue=1), FEW), "cached": (engine(blocks=20), CACHED)}
"""Of constant fleets: the engine, and what it serves."""


def come_and_go() -> ElasticPool:
    """Return a pool whose replicas could come and go, played to its end."""
    pool = ElasticPool.of(engine(blocks=20), FEW, replicas=1, most=2)
    pool.advance(np.inf)
    return pool


def constant(name: str) -> None:
    """Play one of the constant fleets."""
    own, draws = CONSTANT[name]
    run.play([own], draws, 0, draws.requests)


def apart() -> Tandem:
    """Return a fleet whose prefill and decode have replicas of their own, played to its end."""
    moved = Moved(out=1e6, into=1e6, latency=0.0, size=np.ones(FEW.requests))
    return tandem_run.play(engine(blocks=20), engine(blocks=20), FEW, moved, (0, FEW.requests)).tandem


if __name__ == "__main__":
    come_and_go()
    for name in CONSTANT:
        constant(name)
    apart()
