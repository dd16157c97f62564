"""Rollouts of reinforcement learning whose layout is switched when few trajectories are left (Frontier, Section 6.4).

Neither the paper's layouts nor its burst, threshold, pause and gain are legible. Shown is by what share a rollout's
makespan changes with the threshold, what a pause leaves of it, and that without a tail there is little to gain.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from fleettui.domain.hardware import StepTable
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.optimize.mechanisms.mechanism import Mechanism, Row, change
from fleettui.simulation.curve import Curve
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.rollout import Ended, ended, rest, stopped

GPU, MODEL, GPUS = "h100", "llama-3.1-8b", 16
NARROW, WIDE = 1, 8
TRAJECTORIES, RUNS = 2000, 8
PROMPT, OUTPUT, SPREAD = 1024, 512, 0.5
"""Mean tokens of a trajectory, and the deviation of their logarithm."""
TAIL, LONGER = 0.05, 8.0
"""The share of trajectories whose outputs are so many times as long."""
THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.5)
PAUSES = (5.0, 20.0)
"""Seconds that a switch takes, beside that it takes none."""


@cache
def engine(tp: int) -> Engine:
    """Return the replicas of `tp` GPUs that there are, by kernels."""
    profile = build_profile(catalog.gpu(GPU), catalog.model(MODEL), dtype="bf16", tp=tp, step_law="kernels")
    assert isinstance(profile.step, StepTable), "a step by kernels is a table"
    budget, places = profile.settings.token_budget, profile.settings.places(1)
    curve = Curve.of(profile.step, budget=budget, places=places)
    return Engine(
        base=float(curve.batches["base"][1]),
        per_context=float(curve.batches["per_context"][1]),
        per_prompt=0.0,
        budget=budget,
        places=places,
        blocks=profile.kv_blocks,
        watermark=profile.kv_blocks // 50,
        replicas=GPUS // tp,
        curve=curve,
    )


def draws_of(tail: float, *, seed: int, index: int) -> Draws:
    """Return TRAJECTORIES that come at once, a share `tail` of them with outputs LONGER times as long."""
    rng = np.random.default_rng([seed, index])

    def tokens(mean: float) -> np.ndarray:
        return np.maximum(np.rint(rng.lognormal(np.log(mean) - SPREAD**2 / 2, SPREAD, TRAJECTORIES)), 2)

    prompt, output = tokens(PROMPT), tokens(OUTPUT)
    long = rng.random(TRAJECTORIES) < tail
    return Draws(
        prompt=prompt.astype(np.int32),
        cached=np.zeros(TRAJECTORIES, np.int32),
        output=np.where(long, output * LONGER, output).astype(np.int32),
        pool=np.zeros(TRAJECTORIES, np.int32),
        tie=rng.random(TRAJECTORIES),
        arrivals=np.zeros(TRAJECTORIES),
        thinking=np.zeros(0),
    )


def switched(draws: Draws, plain: Ended, threshold: float) -> float:
    """Return the makespan with a switch that takes no time when a share of the trajectories is left."""
    last = int(plain.order[TRAJECTORIES - round(threshold * TRAJECTORIES) - 1])
    left = stopped(engine(NARROW), draws, last)
    return left.at + ended(engine(WIDE), rest(left, moved=True)).makespan


def rows(seed: int, tell: Callable[[str, int, int], None]) -> list[Row]:
    """Return the change of the makespan by threshold, by pause, and with no tail, to narrow replicas throughout."""
    found = list[Row]()
    for place, tail in enumerate((TAIL, 0.0)):
        tell(f"rollouts with {tail:.0%} long", place, 2)
        runs = [draws_of(tail, seed=seed, index=index) for index in range(RUNS)]
        plain = [ended(engine(NARROW), one) for one in runs]
        spans = [one.makespan for one in plain]
        by = {
            threshold: [switched(one, own, threshold) for one, own in zip(runs, plain, strict=True)]
            for threshold in (THRESHOLDS if tail else (0.1,))
        }
        words = f"makespan, {tail:.0%} long" if tail else "makespan, none long"
        found += [Row(name=f"{words}, switch at {at:.0%} left", ours=change(own, spans)) for at, own in by.items()]
        found += [
            Row(
                name=f"{words}, switch at 10% left, a pause of {pause:g} s",
                ours=change([one + pause for one in by[0.1]], spans),
                note=f"the mean without a switch is {float(np.mean(spans)):.3g} s",
            )
            for pause in PAUSES
        ]
        alone = [ended(engine(WIDE), one).makespan for one in runs]
        found.append(Row(name=f"{words}, wide from the start", ours=change(alone, spans)))
    found += [
        Row(name="makespan and decode throughput of Figure 16", note="illegible; of Llama-3.1-405B on H800"),
        Row(name="profiled cost of reconfiguration", note="of the paper's servers; here the pause is an input"),
    ]
    return found


MECHANISM = Mechanism(
    title="FR 6.4",
    about=f"rollouts switched from {GPUS} replicas of one {GPU.upper()} to {GPUS // WIDE} of {WIDE}, token by token; "
    "change of the makespan to no switch",
    rows=rows,
)
