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

from fleettui.domain.agents import FIGURES as AGENT_FIGURES
from fleettui.domain.agents import Agents
from fleettui.optimize.mechanisms.mechanism import Mechanism, Row, change
from fleettui.simulation.agent_sessions import agents_run, rate_of, trace_of
from fleettui.simulation.layout import Engine

RUNS = 8
CASES = ((0.8, 0.05), (0.95, 0.05), (1.1, 0.05), (0.95, 0.2))
"""Loads, and shares of heavy sessions, both of which the paper leaves open."""
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


def seen(scheduler: str, load: float, share: float, *, seed: int, index: int) -> Seen:
    """Return what a scheduler does with the sessions of a run, which come at a `load`, a `share` of them heavy."""
    agents = Agents(share=share, load=load)
    rng = np.random.default_rng([seed, index, round(load * 1000)])
    trace = trace_of(agents, rate_of(agents, ENGINE), rng)
    run = agents_run(trace, replace(ENGINE, scheduler=scheduler), index=index)
    found = {figure.name: value or 0.0 for figure, value in zip(AGENT_FIGURES, run.values, strict=True)}
    return Seen(
        p95=found["attft_p95"],
        short_p95=found["short_p95"],
        mean=found["attft"],
        hidden=found["hidden"],
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
    about="schedulers under sessions of agents (Table 7), token by token, change to vLLM's; printed for "
    "Llama-3.1-405B on H800, load and shares of templates unsaid",
    rows=rows,
)
