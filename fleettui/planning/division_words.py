"""What another division of the GPUs of a fleet that was given would do, in a sentence."""

from __future__ import annotations

from fleettui.domain.fleet import Fleet
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.plan import Candidate
from fleettui.domain.remedy import OF_THE_SAME, OTHER_DIVISIONS, SIMULATED, WOULD_DO, WOULD_HOLD
from fleettui.domain.scenario import Question
from fleettui.reports import confidence_text, units
from fleettui.reports.fleet_text import gpu_total, ranked


def would_hold(best: Candidate, other: Candidate, question: Question) -> str:
    """Return that another division of the GPUs of the `best` fleet, simulated, holds, with its tightest latency."""
    does = WOULD_HOLD if other.gpus == best.gpus else WOULD_DO
    return f"{_divided(best, other)}{does}: {_tightest(other, question)}, {SIMULATED}"


def would_be_sure(best: Candidate, other: Candidate, share: float) -> str:
    """Return in what share of the cases it holds."""
    return f"{_divided(best, other)} would be {confidence_text.surely(share)} sure, {SIMULATED}"


def not_tried(best: Candidate, unknown: str) -> str:
    """Return that no other division of the GPUs of the `best` fleet was tried: what they would be is `unknown`."""
    return f"{OTHER_DIVISIONS}{gpu_total(best.fleet)} were not tried: {unknown}"


def _divided(best: Candidate, other: Candidate) -> str:
    """Return the division of the same GPUs, or of fewer of them: tp8 x2 of the same 16 H100; 12 of them as tp2 x6.

    Two pools that divide at another length are told by it.
    """
    same, words = gpu_total(best.fleet), _without_gpu(other.fleet, best.fleet)
    split = [[pool.up_to for pool in one.fleet.pools[:-1]] for one in (best, other)]
    if len(split[1]) == 1 and split[1] != split[0]:
        words += f" split at {units.count(split[1][0])} tokens"
    if other.gpus == best.gpus:
        return f"{words}{OF_THE_SAME}{same}"
    return f"{units.count(other.gpus)}{OF_THE_SAME}{same} as {words}"


def _without_gpu(fleet: Fleet, given: Fleet) -> str:
    """Return a fleet in a few words, without the GPU's name where all GPUs of the `given` one are of one type."""
    words = fleet_words(fleet, beside=given)
    return words.removeprefix(f"{fleet.pools[0].gpu.upper()} ") if len(given.gpus_by_type) == 1 else words


def _tightest(other: Candidate, question: Question) -> str:
    """Return the simulated latency of its pools that is nearest to its limit."""
    seen = (
        (value / limit.seconds, f"{ranked(limit, question.slo)} {value:.3g} s within {limit.seconds:.3g} s")
        for pool in other.simulated_pools
        for limit in question.held_limits()
        if (value := pool.at(limit).value) is not None
    )
    return max(seen, default=(0.0, "every limit is kept"))[1]
