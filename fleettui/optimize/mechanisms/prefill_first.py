"""Prompts in steps of their own before decodes, as SGLang has it, beside vLLM's mixed steps (Frontier, Figure 21)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fleettui.optimize.mechanisms.agent_sessions import ENGINE
from fleettui.optimize.mechanisms.mechanism import Mechanism, Row, change
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.run import play

REQUESTS, WARM, RUNS = 4000, 400, 8
RATES = (6.0, 12.0, 15.0)
"""Requests per second."""
PROMPT, OUTPUT, SPREAD = 1024, 256, 0.6
"""Mean tokens of a request, and the deviation of their logarithm."""
PRINTED = (None, -0.0715, 0.0301, -0.029)
"""The paper's change of P95 TTFT (none but that it is within 1.06 %), P95 TPOT, P95 E2E and throughput."""
FIGURES = ("P95 TTFT", "P95 TPOT", "P95 E2E", "output tokens/s")


class Seen(NamedTuple):
    """What a run shows: P95 TTFT, TPOT and E2E, and output tokens per second until the last one."""

    ttft: float
    tpot: float
    e2e: float
    throughput: float


def draws_of(rate: float, *, seed: int, index: int) -> Draws:
    """Return REQUESTS requests that come at random at a rate."""
    rng = np.random.default_rng([seed, index, round(rate * 1000)])

    def tokens(mean: float) -> np.ndarray:
        return np.maximum(np.rint(rng.lognormal(np.log(mean) - SPREAD**2 / 2, SPREAD, REQUESTS)), 2).astype(np.int32)

    return Draws(
        prompt=tokens(PROMPT),
        cached=np.zeros(REQUESTS, np.int32),
        output=tokens(OUTPUT),
        pool=np.zeros(REQUESTS, np.int32),
        tie=np.zeros(REQUESTS),
        arrivals=np.cumsum(rng.exponential(1.0 / rate, REQUESTS)),
        thinking=np.zeros(0),
    )


def seen(engine: Engine, rate: float, *, seed: int, index: int) -> Seen:
    """Return what an engine does with the requests of a run, all but the first WARM."""
    draws = draws_of(rate, seed=seed, index=index)
    served = play([engine], draws, 0, REQUESTS).state.requests
    counted = served[WARM:]
    tpot = (counted["finish"] - counted["first"]) / (counted["output"] - 1)
    return Seen(
        ttft=float(np.quantile(counted["first"] - counted["arrival"], 0.95)),
        tpot=float(np.quantile(tpot, 0.95)),
        e2e=float(np.quantile(counted["finish"] - counted["arrival"], 0.95)),
        throughput=float(draws.output.sum() / served["finish"].max()),
    )


def rows(seed: int, tell: Callable[[str, int, int], None]) -> list[Row]:
    """Return how steps of prompts alone change the figures of mixed ones, by rate."""
    mixed = replace(ENGINE, budget=8192, places=256)
    found = list[Row]()
    for place, rate in enumerate(RATES):
        tell(f"prompts first at {rate:g}/s", place, len(RATES))
        plain, first = (
            [seen(replace(mixed, alone=alone), rate, seed=seed, index=index) for index in range(RUNS)]
            for alone in (False, True)
        )
        found += [
            Row(
                name=f"{words}, {rate:g} requests/s",
                printed=PRINTED[figure],
                ours=change([one[figure] for one in first], [one[figure] for one in plain]),
                note="printed as within 1.06 % of vLLM's" if figure == 0 else "",
            )
            for figure, words in enumerate(FIGURES)
        ]
    found.append(Row(name="batch sizes and decode shares, 390 to 510 s", note="of the paper's trace and H800 profile"))
    return found


MECHANISM = Mechanism(
    title="FR Fig. 21",
    about="prompts before decodes (SGLang) beside mixed steps (vLLM), token by token, change to mixed; "
    "the sign depends on step costs",
    rows=rows,
)
