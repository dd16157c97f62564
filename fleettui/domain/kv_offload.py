"""A memory beside each GPU for what leaves its cache, over a link, so that it need not be computed again.

It takes what a prefix cache drops, or without one what preempted sequences had. It is the host's, or a remote one; both
are said by their size and the bandwidth of each GPU's way there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from fleettui.domain.engine_settings import ALL_DIVISIONS, SEARCHED
from fleettui.errors import InputError

if TYPE_CHECKING:
    from fleettui.domain.scenario import Question

WHERE = "--kv-offload"
EXAMPLE = (
    "100GB@25GB/s: the memory for each GPU, and the bandwidth of its way there; auto: before it tries without, too"
)
MOST = 1e15
_AUTO = f"{SEARCHED}:"
_SAID = re.compile(r"(\d+(?:\.\d+)?)(GB|TB)@(\d+(?:\.\d+)?)(GB|TB)/s", re.ASCII | re.IGNORECASE)
_UNITS = {"GB": 1e9, "TB": 1e12}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offload:
    """The bytes of memory for each GPU, and its bandwidth one way, in bytes per second."""

    memory: float
    bandwidth: float

    def blocks(self, size: float, gpus: int) -> int:
        """Return how many blocks the memories of so many GPUs hold, each of them `size` bytes on all of these."""
        return int(self.memory * gpus // size)

    def seconds(self, size: float, gpus: int) -> float:
        """Return the seconds in which such a block comes over the ways of all of them at once."""
        return size / (self.bandwidth * gpus)


def offload(text: str, where: str | None = WHERE) -> Offload:
    """Return the memory that a text says; raises InputError.

    >>> offload("100GB@25GB/s")
    Offload(memory=100000000000.0, bandwidth=25000000000.0)
    """
    found = _SAID.fullmatch(text.replace(" ", ""))
    if found is None:
        raise InputError("this is no memory and bandwidth", where=where, value=text, accepted=EXAMPLE)
    memory, bandwidth = (float(found[at]) * _UNITS[found[at + 1].upper()] for at in (1, 3))
    if not (0.0 < memory <= MOST and 0.0 < bandwidth <= MOST):
        raise InputError("memory and bandwidth are above 0 and at most 1000 TB", where=where, value=text)
    return Offload(memory=memory, bandwidth=bandwidth)


def written(text: str, where: str | None = WHERE) -> str:
    """Return it as it is written, left to the search or not; raises InputError for what is none.

    >>> written("0.1tb @ 25 GB/s"), written("AUTO: 100GB@25GB/s")
    ('100GB@25GB/s', 'auto:100GB@25GB/s')
    """
    head = _AUTO if is_searched(text) else ""
    found = offload(text.strip()[len(head) :], where)
    memory, bandwidth = (f"{Decimal(f'{size / 1e9:.10g}'):f}" for size in (found.memory, found.bandwidth))
    return f"{head}{memory}GB@{bandwidth}GB/s"


def is_searched(text: str) -> bool:
    """Return whether a text leaves it to the search whether there is such a memory.

    >>> is_searched("auto:100GB@25GB/s"), is_searched("100GB@25GB/s")
    (True, False)
    """
    return text.strip().lower().startswith(_AUTO)


def tried(text: str) -> tuple[str, str]:
    """Return no memory, and the one that a text leaves to the search."""
    return "", text.removeprefix(_AUTO)


def check(asked: Question) -> None:
    """Raise InputError where a question asks beside that for what it is not simulated with."""
    if not asked.kv_offload:
        return
    if written(asked.kv_offload) != asked.kv_offload:
        raise InputError("this is not as it is written", where=WHERE, value=asked.kv_offload)
    beside = {
        "--pp": asked.pp != (1,),
        "--attention-dp": asked.attention_dp,
        f"--parallel {ALL_DIVISIONS}": asked.parallel == ALL_DIVISIONS,
        "--sessions without --prefix-cache": asked.sessions and not asked.prefix_cache,
    }
    if other := next((name for name, is_asked in beside.items() if is_asked), None):
        raise InputError(
            f"moving caches out is not simulated with {other}",
            where=WHERE,
            value=asked.kv_offload,
            remedy="add --prefix-cache" if "without" in other else f"leave out {other}, or {WHERE}",
        )
