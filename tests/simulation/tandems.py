"""Random disaggregated fleets that starve, on which the compiled loop is compared with its plain twin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fleettui.domain.disagg import AT_ONCE, Handover
from fleettui.domain.fleet import BLOCK_SIZE
from fleettui.simulation import tandem
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.tandem_run import Moved, check, ready, whole
from fleettui.simulation.tandem_twin import Links, play
from tests.simulation.twins import in_lockstep, starved

LONGEST = 128
TIMES = ("arrival", "admitted", "first", "finish")


def fleet(
    seed: int, *, closed: bool = False, handover: Handover = AT_ONCE, lockstep: bool = False
) -> tuple[Engine, Engine, Draws, Moved]:
    """Return a random pool of either kind, short of blocks, budget, places or links, and requests that fit.

    Replicas have lanes in `lockstep`, or none. Requests come in an open loop, or in a closed one of some clients who
    start at once, and are handed over as is said.
    """
    rng = np.random.default_rng(seed)
    prefill, decode = (replace(starved(rng, LONGEST), lanes=1) for _ in range(2))
    decode = replace(decode, blocks=max(decode.blocks, LONGEST // BLOCK_SIZE + decode.watermark + 1))
    prefill = replace(prefill, blocks=max(prefill.blocks, LONGEST // BLOCK_SIZE + prefill.watermark + 1))
    if lockstep:
        prefill, decode = (
            in_lockstep(one, np.random.default_rng((seed, side))) for side, one in enumerate((prefill, decode))
        )
    count = int(rng.integers(150, 400))
    total = rng.integers(2, LONGEST + 1, count).astype(np.int32)
    prompt = np.maximum(1, (total * rng.random(count)).astype(np.int32))
    draws = Draws(
        prompt=prompt,
        cached=np.minimum(rng.choice((0.0, 0.5)) * prompt, prompt - 1).astype(np.int32),
        output=(total - prompt + 1).astype(np.int32),
        pool=np.zeros(count, np.int32),
        tie=rng.random(count),
        arrivals=np.cumsum(rng.exponential(1.0 / 10.0 ** rng.uniform(0.3, 2.3), count)),
        thinking=np.zeros(count),
    )
    if closed:
        draws = replace(draws, arrivals=None, clients=int(rng.integers(1, 60)), thinking=rng.exponential(0.05, count))
    moved = Moved(
        out=10.0 ** rng.uniform(3, 6),
        into=10.0 ** rng.uniform(3, 6),
        latency=float(rng.choice((0.0, 1e-3))),
        size=prompt * 20.0,
        handover=handover,
    )
    return prefill, decode, draws, moved


def played_alike(prefill: Engine, decode: Engine, draws: Draws, moved: Moved) -> tuple[int, int]:
    """Return how many sequences were preempted on either side, after asserting that both engines tell one story."""
    twin = play(
        replace(prefill, api_token=0.0),
        decode,
        draws,
        moved.size.tolist(),
        Links(moved.out, moved.into, moved.latency, moved.handover),
    )
    states = [ready(prefill, decode, draws, moved) for _ in range(2)]
    for state, leaping in zip(states, (False, True), strict=True):
        tandem.run(state, 0, draws.requests, leaping)
        check(state, prefill, decode, draws.requests)
        for side, told in ((state.prefill, twin.prefilled), (state.decode, twin.decoded)):
            for name in TIMES:
                expected = np.array([getattr(request, name) for request in told])
                if leaping:
                    assert np.nan_to_num(np.abs(side.requests[name] - expected)).max() < 1e-9, name
                else:
                    assert np.array_equal(side.requests[name], expected, equal_nan=True), name
            assert int(side.pools["preempted"].sum()) == sum(request.preempted for request in told)
        assert np.isfinite(whole(state)["finish"]).all()
    return tuple(int(side.pools["preempted"].sum()) for side in (states[0].prefill, states[0].decode))  # type: ignore[return-value]
