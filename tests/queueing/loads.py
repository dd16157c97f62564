"""Small pool loads, and what they are made of, that tests share."""

from collections.abc import Sequence

import numpy as np

from fleettui.queueing.batching import saturated_rate
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.moments import Moments, RequestTable
from fleettui.queueing.ranges import RangeTable
from fleettui.queueing.service import Service

SPLITS = (600, 1500)


def line_service(base: float, per_context: float, per_prompt: float, places: float, budget: float) -> Service:
    """Return one replica whose steps are a line."""
    return Service(
        base=np.array(base),
        per_context=np.array(per_context),
        per_prompt=np.array(per_prompt),
        concurrency=np.array(places),
        token_budget=np.array(budget),
        front_end=np.zeros(()),
        api_token=np.zeros(()),
    )


def one_kind(prompt: float, output: float, chunk: int = 2048) -> Moments:
    """Return the means over requests that are all alike."""
    return RequestTable.of(((1.0, prompt, output),), chunk=chunk).moments(0, 1)


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
        front_end=np.zeros(shape),
        api_token=np.zeros(shape),
    )
    rate = busy * replicas * saturated_rate(ranges.moments.pick(rows), service)[0]
    return PoolLoad(ranges, rows, service, rate * ranges.moments.share[rows], np.full(shape, replicas))


def load_of(
    *atoms: tuple[float, float, float],
    rate: float,
    replicas: float = 1.0,
    chunk: int = 64,
    splits: Sequence[tuple[int, int]] = ((0, 10_000),),
    **figures: float,
) -> PoolLoad:
    """Return pools of (weight, prompt, output) requests, one row for each range of `splits`, which share the rate.

    A step takes ½ s and nothing for context or prompt, for 4 sequences and 64 tokens, unless `figures` say otherwise.
    """
    ranges = RangeTable.of(
        RequestTable.of(atoms, chunk=chunk), [low for low, _ in splits], [high for _, high in splits]
    )
    asked = {
        "base": 0.5, "per_context": 0.0, "per_prompt": 0.0, "concurrency": 4.0, "token_budget": 64.0,
        "front_end": 0.0, "api_token": 0.0, **figures
    }  # fmt: skip
    service = Service(**{name: np.full(len(splits), value) for name, value in asked.items()})  # type: ignore[arg-type]
    rows = np.arange(len(splits))
    return PoolLoad(ranges, rows, service, rate * ranges.moments.share, np.full(len(splits), replicas))
