"""What would bring an idle replica below its limits, in words: where more replicas do not."""

from __future__ import annotations

from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.hardware import Gpu, Profile
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.hardware import catalog

MORE_TP, MOST_TP = "more --tp", 8
"""The most GPUs that tensor parallelism may have."""
BYTES = {"bf16": 2.0}
"""Bytes of a weight by number format; every other has one at most."""
LEAST_BYTES = 0.5


def helping(profile: Profile, ratio: float, question: Question) -> str:
    """Return what would help the fastest replica, which is `ratio` times as slow as its limit allows.

    What the search of a `question` looked at is none of it.
    No GPU of the catalogue in any number format makes it faster than by its peak, or by its bandwidth over the bytes of
    a weight: where neither is enough, only another limit is.
    """
    more = MOST_TP / profile.tp
    if ratio > _fastest(profile) * more:
        times = f"{ratio:.0f} times as fast" if ratio >= MOST_TP else f"{ratio:.1f} times as fast"
        return f"only a limit above that helps: no GPU, tp up to {MOST_TP} or number format known here is {times}"
    ways = ["a limit above that", "faster GPUs"]
    ways += _other_tp(profile, question)
    ways += ["--dtype fp8"] * (profile.dtype in BYTES and question.dtype != SEARCHED)
    return f"{', '.join(ways[:-1])} or {ways[-1]} may help"


def more_tp(question: Question) -> bool:
    """Return whether the tensor parallelism that a question gives leaves any larger one out."""
    return 0 < max(question.tp, default=0) < MOST_TP


def _other_tp(profile: Profile, question: Question) -> list[str]:
    """Return which tensor parallelism may be faster: more where GPUs have a link of their own, else any not given.

    Over PCIe each all-reduce takes long, so that fewer GPUs may be faster.
    """
    if not question.tp or {1, 2, 4, MOST_TP} <= {*question.tp}:
        return []
    if _over_pcie(profile):
        return [f"another --tp (1 to {MOST_TP})"]
    return [f"{MORE_TP} (up to {MOST_TP})"] * more_tp(question)


def _over_pcie(profile: Profile) -> bool:
    try:
        return catalog.gpu(profile.gpu).link.startswith("PCIe")
    except InputError:
        return False


def _fastest(profile: Profile) -> float:
    """Return how many times as fast as a replica's GPU any known one may be; endless for a GPU that is not known."""
    try:
        own = catalog.gpu(profile.gpu)
    except InputError:
        return float("inf")
    known = [own, *catalog.gpus()]
    narrower = BYTES.get(profile.dtype, 1.0) / LEAST_BYTES
    peak = max(map(_peak, known)) / (own.peak(profile.units or "bf16") or own.peak_bf16)
    return max(peak, narrower * max(gpu.bandwidth for gpu in known) / own.bandwidth)


def _peak(gpu: Gpu) -> float:
    return max(filter(None, (gpu.peak_bf16, gpu.peak_fp8, gpu.peak_fp4, gpu.peak_int8)))
