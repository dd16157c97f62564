"""Our view of a fleet under a power cap (model.md §9): the cap on the batch, what it draws, what it still serves."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Atom
from fleettui.hardware import catalog
from fleettui.hardware.power import largest_batch, power
from fleettui.optimize.given_fleet import ScoredFleet, score
from fleettui.optimize.published.cell_questions import Curtailed, Found


def curtailed(asked: Curtailed, question: Question, atoms: Sequence[Atom], profiles: Sequence[Profile]) -> Found:
    """Return the figure of the same GPUs, put together to replicas that hold the model; None for what has no bound."""
    curve, profile = catalog.gpu(asked.gpu).power, max(profiles, key=lambda profile: profile.tp)
    cap = largest_batch(curve, curve.nominal * (1.0 - asked.shed), most=profile.settled(question).max_num_seqs)
    if cap is None:
        return Found(value=None, note="even one sequence draws more: no cap on the batch sheds that much")
    if asked.figure == "cap":
        return Found(value=cap, note="the largest batch within the target, of what the engine may run")
    if asked.figure in ("watts", "fleet watts"):
        watts = float(power(curve, cap)) * (1 if asked.figure == "watts" else asked.gpus)
        return Found(value=watts, note=f"the same curve at our cap of {cap}; drawn only by full batches")
    fixed = _scored(asked, question, atoms, profile, cap)
    figures, pool = fixed.candidate.pools[0], fixed.candidate.fleet.pools[0]
    busy = f"{pool.replicas} replicas of {pool.tp} at a cap of {cap} are {figures.utilization:.1f} times full"
    if not math.isfinite(figures.ttft) or figures.utilization >= 1.0:
        return Found(value=None, note=f"no bound: prompts counted, {busy}")
    return Found(value=figures.ttft, note=busy)


def _scored(asked: Curtailed, question: Question, atoms: Sequence[Atom], profile: Profile, cap: int) -> ScoredFleet:
    pool = PoolSketch(
        gpu=asked.gpu,
        model=question.model,
        tp=profile.tp,
        replicas=asked.gpus // profile.tp,
        max_num_seqs=cap,
    )
    longest = math.ceil(max(prompt + output for _, prompt, output in atoms))
    return score(question, FleetSketch(pools=(pool,)), [profile], [(asked.rate, atoms)], longest)
