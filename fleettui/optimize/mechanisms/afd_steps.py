"""Steps of attention/FFN disaggregation: gains of micro-batches, costs of unevenly chosen experts (Frontier, 5.3).

A layer's feed-forward part takes as long as its fullest rank. Tokens choose experts evenly or by popularity, anew in
each layer and micro-batch, so that its times differ and a step is worked out event by event.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fleettui.domain.expert_load import ExpertLoad
from fleettui.domain.plan import Estimate
from fleettui.hardware.afd_pipeline import by_recurrence, step_seconds
from fleettui.hardware.fullest_rank import fullest_of_steps
from fleettui.hardware.operators import Floats
from fleettui.optimize.mechanisms.mechanism import Mechanism, Row, change

LAYERS, MICRO_BATCHES, RUNS = 61, 3, 4
ATTENTION, FEED_FORWARD, TRANSFER = 90e-6, 150e-6, 55e-6
"""Seconds of a micro-batch in a layer, near those of Qwen3-235B on H100 (tp1dp4/ep8) at 256 sequences."""
FIXED = 60e-6
"""Of the feed-forward part, what a step takes for a single token already."""
EXPERTS, USED, RANKS = 256, 8, 32
TOKENS = (16, 64, 256, 1024)
ZIPF = 0.5


def fullest(tokens: int, power: float, rng: np.random.Generator) -> Floats:
    """Return, of shape (layers, micro-batches), the tokens of the fullest rank over those of a rank on average.

    Experts are chosen by popularities that fall as rank^−power, which stand in another order in each layer.
    """
    load = ExpertLoad(power=power)
    layers = (
        fullest_of_steps(load, tokens, MICRO_BATCHES, rng, count=EXPERTS, used=USED, ranks=RANKS) for _ in range(LAYERS)
    )
    return np.array(list(layers))


def uneven(tokens: int, power: float, *, seed: int) -> Estimate:
    """Return by what share steps are longer than with even experts, over RUNS draws."""
    shape = (LAYERS, MICRO_BATCHES)
    a, c = np.full(shape, ATTENTION), np.full(shape, TRANSFER)
    even = float(step_seconds(LAYERS, MICRO_BATCHES, ATTENTION, FEED_FORWARD, TRANSFER))
    steps = []
    for index in range(RUNS):
        rng = np.random.default_rng([seed, index, tokens, round(100 * power)])
        steps.append(by_recurrence(a, FIXED + (FEED_FORWARD - FIXED) * fullest(tokens, power, rng), c))
    return change(steps, [even] * RUNS)


def rows(seed: int, tell: Callable[[str, int, int], None]) -> list[Row]:
    """Return what so many micro-batches change to one, and what uneven experts change by the tokens of one."""
    found = list[Row]()
    one = float(step_seconds(LAYERS, 1, MICRO_BATCHES * ATTENTION, MICRO_BATCHES * FEED_FORWARD, TRANSFER))
    for many in (2, 3, 4):
        scale = MICRO_BATCHES / many
        share = float(step_seconds(LAYERS, many, scale * ATTENTION, scale * FEED_FORWARD, TRANSFER)) / one - 1.0
        exact = Estimate(value=share, low=share, high=share)
        found.append(Row(name=f"step with {many} micro-batches, to one", ours=exact, note="by the closed form"))
    for place, tokens in enumerate(TOKENS):
        tell(f"{tokens} tokens a micro-batch", place, len(TOKENS))
        found += [
            Row(name=f"step with {words} experts, {tokens} tokens", ours=uneven(tokens, power, seed=seed), note=note)
            for words, power, note in (
                ("evenly drawn", 0.0, "to equal loads; the fewer tokens, the more uneven"),
                ("popular", ZIPF, f"popularity falls as rank^-{ZIPF:g}"),
            )
        ]
    found.append(Row(name="errors of TPOT and throughput", note="against the paper's own AFD server on Step3 and H800"))
    return found


MECHANISM = Mechanism(
    title="FR 5.3",
    about="attention/FFN disaggregation: changes of a decode step's time, by the recurrence; nothing of it is printed",
    rows=rows,
)
