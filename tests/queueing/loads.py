"""Small pool loads that the latency tests share."""

import numpy as np

from fleettui.queueing.batching import Service, saturated_rate
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.moments import RequestTable
from fleettui.queueing.ranges import RangeTable

SPLITS = (600, 1500)


def random_load(seed: int, *, atoms: int = 60, busy: float = 0.7, replicas: float = 3.0) -> PoolLoad:
    """Return rows for everything (`busy` of its capacity) and for both sides of two splits of a random workload."""
    rng = np.random.default_rng(seed)
    prompts, outputs = np.ceil(rng.lognormal(6.0, 1.0, atoms)), np.ceil(rng.lognormal(4.0, 1.0, atoms))
    table = RequestTable.of(list(zip(rng.uniform(0.2, 3.0, atoms), prompts, outputs, strict=True)), chunk=512)
    ends = int(table.total[-1])
    above = [0, *[0] * len(SPLITS), *SPLITS]
    up_to = [ends, *SPLITS, *[ends] * len(SPLITS)]
    ranges = RangeTable.of(table, above, up_to)
    rows = np.flatnonzero(ranges.occupied)
    shape = len(rows)
    service = Service(
        base=np.full(shape, 0.01),
        per_context=np.full(shape, 2e-8),
        per_prompt=np.full(shape, 3e-5),
        concurrency=np.full(shape, 32.0),
        token_budget=np.full(shape, 512.0),
    )
    rate = busy * replicas * saturated_rate(ranges.moments.pick(rows), service)[0]
    return PoolLoad(ranges, rows, service, rate * ranges.moments.share[rows], np.full(shape, replicas))
