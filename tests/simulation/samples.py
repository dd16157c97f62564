"""Small engines and requests for the simulation's tests, and the three ways to run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.fleet import Pool, PoolProfile
from fleettui.simulation import kernel, twin
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED, Engine, State, prepare

CONTEXT = 16_384
WAYS = ("steps", "leaps", "twin")
W, H, P = 0.01, 1e-5, 1e-4
"""Seconds of a step, and more for each token of context and of prompt."""

PLAIN = Engine(base=W, per_context=H, per_prompt=P, budget=64, places=8, blocks=UNLIMITED, watermark=0, replicas=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What became of each request, seconds from the start of the run, and what a pool counted."""

    arrival: list[float]
    admitted: list[float]
    first: list[float]
    finish: list[float]
    preempted: int
    prompted: int | None


def pool(name: str, *, replicas: int = 2, above: int = 0, up_to: int = CONTEXT) -> Pool:
    """Return a pool like a Llama-70B's on eight H100s, with blocks to spare."""
    return Pool(
        name=name,
        gpu="fast",
        model="made-up",
        dtype="bf16",
        tp=8,
        replicas=replicas,
        context=up_to,
        concurrency=64,
        max_num_seqs=64,
        token_budget=2048,
        above=above,
        up_to=up_to,
        profile=PoolProfile(
            base_step_time=0.0065,
            time_per_context_token=0.00032 / 8192,
            time_per_prompt_token=29.5e-6,
            kv_blocks=100_000,
        ),
    )


def engine(**changes: object) -> Engine:
    """Return the plain engine with some fields replaced."""
    return replace(PLAIN, **changes)  # type: ignore[arg-type]


def requests(
    *lengths: tuple[int, int],
    arrivals: Sequence[float] | None = None,
    cached: Sequence[int] | None = None,
    pool: Sequence[int] | None = None,
    clients: int = 0,
    thinking: Sequence[float] | None = None,
) -> Draws:
    """Return requests of the given (prompt, output) tokens; those of a closed loop have clients and no arrivals."""
    count = len(lengths)
    prompt, output = np.array(lengths, np.int32).T
    open_loop = arrivals if arrivals is not None else np.zeros(count)
    return Draws(
        prompt=prompt.copy(),
        cached=np.array(cached if cached is not None else np.zeros(count), np.int32),
        output=output.copy(),
        pool=np.array(pool if pool is not None else np.zeros(count), np.int32),
        tie=np.zeros(count),
        arrivals=None if clients else np.array(open_loop, float),
        clients=clients,
        thinking=np.array(thinking if thinking is not None else np.zeros(count), float),
    )


def finished(engines: Sequence[Engine], draws: Draws, *, leaping: bool = True) -> State:
    """Return the state of the compiled engine after every request is served."""
    state = prepare(engines, draws)
    kernel.run(state, 0, draws.requests, leaping)
    return state


def story(way: str, engines: Sequence[Engine], draws: Draws) -> Story:
    """Return what became of `draws` by one of WAYS; the twin does not count prompt tokens."""
    if way == "twin":
        served = twin.play(engines, draws)
        return Story(
            arrival=[one.arrival for one in served],
            admitted=[one.admitted for one in served],
            first=[one.first for one in served],
            finish=[one.finish for one in served],
            preempted=sum(one.preempted for one in served),
            prompted=None,
        )
    state = finished(engines, draws, leaping=way == "leaps")
    return Story(
        arrival=state.requests["arrival"].tolist(),
        admitted=state.requests["admitted"].tolist(),
        first=state.requests["first"].tolist(),
        finish=state.requests["finish"].tolist(),
        preempted=int(state.pools["preempted"].sum()),
        prompted=int(state.pools["prompted"].sum()),
    )
