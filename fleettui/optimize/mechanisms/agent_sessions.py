"""Schedulers under sessions of reasoning agents: aTTFT and hidden planning throughput (Frontier 5.5, B.1 to B.3).

A session has five rounds, the last of which answers; each holds what went before and adds new prompt tokens (Table 7).
Its aTTFT is from its arrival to the first token of the answer. The trace is fixed, so hidden tokens per second change
with the time that all of it takes alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.optimize.mechanisms.mechanism import Mechanism, Row, change
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.rounds import Rounds
from fleettui.simulation.run import play

Whole = NDArray[np.int64]

SHORT = ((4096, 96), (1024, 64), (512, 64), (512, 64), (256, 192))
HEAVY = ((32_768, 96), (16_384, 64), (8192, 64), (4096, 64), (256, 192))
"""New prompt tokens and output of each round of the two templates."""
ROUNDS = len(SHORT)
TOOL = 0.001
"""Seconds that a tool takes."""
SESSIONS, WARM, RUNS = 400, 40, 8
CASES = ((0.8, 0.05), (0.95, 0.05), (1.1, 0.05), (0.95, 0.2))
"""Loads, and shares of heavy sessions, both of which the paper leaves open."""
BLOCK = 64
PRINTED = {"mlfq": (-0.0145, -0.023), "h2q-br": (-0.304, 0.232)}
"""The paper's change of p95 aTTFT and of hidden planning throughput to vLLM's, at a load that it does not say."""
FIGURES = ("p95 aTTFT", "p95 aTTFT of short sessions", "mean aTTFT", "hidden tokens/s")
ENGINE = Engine(
    base=0.0065,
    per_context=0.00032 / 8192,
    per_prompt=29.5e-6,
    budget=2048,
    places=128,
    blocks=600_000,
    watermark=6000,
    replicas=1,
)
"""A replica like Llama-3.1-70B's on eight H100, with the paper's chunk of 2048 tokens and blocks for all sessions."""


class Seen(NamedTuple):
    """What a run shows: p95 aTTFT of all sessions and of short ones, their mean, hidden tokens per second."""

    p95: float
    short_p95: float
    mean: float
    hidden: float


def work(share: float) -> float:
    """Return the seconds that a session's prompts take on average by themselves, in steps of the whole budget."""
    rows = ((1.0 - share, SHORT), (share, HEAVY))
    seconds = ENGINE.per_prompt + ENGINE.base / ENGINE.budget
    return sum(weight * seconds * sum(fresh for fresh, _ in one) for weight, one in rows)


def draws_of(load: float, share: float, *, seed: int, index: int) -> tuple[Draws, NDArray[np.bool_]]:
    """Return SESSIONS sessions that come at random at a `load` of their prompts, and which of them are heavy: a share.

    Requests are numbered round by round: all first rounds, then all second ones.
    """
    rng = np.random.default_rng([seed, index, round(load * 1000)])
    heavy = rng.random(SESSIONS) < share
    begun = np.cumsum(rng.exponential(work(share) / load, SESSIONS))
    templates = np.array([SHORT, HEAVY])[heavy.astype(int)]  # (sessions, rounds, 2)
    fresh, output = templates[..., 0], templates[..., 1]
    prompt = np.cumsum(fresh + output, axis=1) - output
    blocks = (prompt + output) // BLOCK
    first = np.cumsum(blocks[:, -1]) - blocks[:, -1]
    count = SESSIONS * ROUNDS
    return Draws(
        prompt=_by_round(prompt).astype(np.int32),
        cached=np.zeros(count, np.int32),
        output=_by_round(output).astype(np.int32),
        pool=np.zeros(count, np.int32),
        tie=np.zeros(count),
        arrivals=np.concatenate([begun, np.full(count - SESSIONS, np.nan)]),
        thinking=np.zeros(0),
        prefixes=Prefixes(
            size=BLOCK,
            offsets=np.tile(first, ROUNDS),
            known=_by_round(blocks).astype(np.int32),
            hashes=np.arange(int(blocks[:, -1].sum()), dtype=np.int32),
        ),
        rounds=Rounds(
            begun=SESSIONS,
            then=np.append(np.arange(SESSIONS, count), np.full(SESSIONS, -1)).astype(np.int32),
            pause=np.full(count, TOOL),
            gap=np.zeros(count),
        ),
    ), heavy


def _by_round(values: Whole) -> Whole:
    return np.asarray(values.T.reshape(-1))


def seen(scheduler: str, load: float, share: float, *, seed: int, index: int) -> Seen:
    """Return what a scheduler does with the sessions of a run, all but the first WARM, which find an empty replica."""
    draws, heavy = draws_of(load, share, seed=seed, index=index)
    state = play([replace(ENGINE, scheduler=scheduler)], draws, 0, draws.requests).state
    assert state.sessions is not None, "requests come in sessions"
    requests = np.empty_like(state.requests)
    requests[np.argsort(state.sessions.came, kind="stable")] = state.requests  # by number again
    wait = (requests["first"][-SESSIONS:] - requests["arrival"][:SESSIONS])[WARM:]
    short = wait[~heavy[WARM:]]
    return Seen(
        p95=float(np.quantile(wait, 0.95)),
        short_p95=float(np.quantile(short, 0.95)),
        mean=float(wait.mean()),
        hidden=int(draws.output[:-SESSIONS].sum()) / float(requests["finish"].max()),
    )


def rows(seed: int, tell: Callable[[str, int, int], None]) -> list[Row]:
    """Return how each scheduler changes the figures of vLLM's, by load."""
    names = ("paged", "mlfq", "h2q-br", "h2q-br-repaired")
    found = list[Row]()
    for place, (load, share) in enumerate(CASES):
        runs = dict[str, list[Seen]]()
        for at, name in enumerate(names):
            tell(f"{name} at {load:.0%}", place * len(names) + at, len(CASES) * len(names))
            runs[name] = [seen(name, load, share, seed=seed, index=index) for index in range(RUNS)]
        found += [
            Row(
                name=f"{name}: {words}, load {load:.0%}, {share:.0%} heavy",
                printed=_printed(name, figure),
                ours=change([one[figure] for one in runs[name]], [one[figure] for one in runs["paged"]]),
                note=_note(name, figure),
            )
            for name in names[1:]
            for figure, words in enumerate(FIGURES)
        ]
    found += [
        Row(name="multipliers of Figures 15, 19, 20", note="of the paper's H800 profile and unpublished trace"),
        Row(name="p95 aTPOT unchanged under mlfq", note="its decode pool is another than its prefill pool"),
    ]
    return found


def _printed(name: str, figure: int) -> float | None:
    printed = PRINTED.get(name)
    return None if printed is None or figure not in (0, 3) else printed[figure == 3]


def _note(name: str, figure: int) -> str:
    if name == "h2q-br" and figure == 0:
        return "as printed a cut prompt makes its session long: nearly all are, and stand as they came"
    if figure == 3:
        return "sessions come by themselves: hidden tokens are as many, only their end moves"
    return "a short round that is cut stays short" if name == "h2q-br-repaired" and figure == 0 else ""


MECHANISM = Mechanism(
    title="FR 5.5",
    about="schedulers under sessions of agents (Table 7), change to vLLM's; printed for Llama-3.1-405B on H800, "
    "load and shares of templates unsaid",
    rows=rows,
)
