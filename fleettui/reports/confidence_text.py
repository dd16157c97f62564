"""How sure it is that a fleet suffices, in words."""

from __future__ import annotations

from fleettui.domain.confidence import LIKELY, Confidence
from fleettui.reports import units


def holding(sure: Confidence, gpus: int) -> str:
    """Return in what share of the cases a plan's GPUs suffice.

    >>> holding(Confidence(holds=0.483, replicas=None, gpus=None, cost=None, span=(None, None)), 1800)
    '1,800 GPUs suffice in 48% of the cases'
    """
    return f"{units.count(gpus)} GPUs suffice in {round(100 * sure.holds)}% of the cases"


def for_more(sure: Confidence) -> str:
    """Return how many suffice in nine cases of ten.

    >>> for_more(Confidence(holds=0.483, replicas=(7,), gpus=28, cost=70.0, span=(8, 40)))
    '28 ($70.00/h) in 90%'
    """
    likely = f"{round(100 * LIKELY)}%"
    if sure.gpus is None or sure.cost is None:
        return f"no number of them in {likely}"
    return f"{units.count(sure.gpus)} ({units.dollars_per_hour(sure.cost)}) in {likely}"
