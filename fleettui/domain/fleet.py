"""A fleet: a router in front of one or more pools of equal replicas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fleettui.domain import checks
from fleettui.domain.hardware import Dtype
from fleettui.errors import InputError

Admission = Literal["paged", "reserved"]
ADMISSIONS: tuple[Admission, ...] = ("paged", "reserved")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolProfile:
    """What a pool's replicas do: seconds per step, per context token and per prompt token, in formula and engine."""

    base_step_time: float
    time_per_context_token: float
    time_per_prompt_token: float
    kv_blocks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """`replicas` engines of `tp` GPUs each, serving requests of total length in (above, up_to] tokens.

    `concurrency` is the formula's limit of sequences per replica, `max_num_seqs` the engine's own.
    """

    name: str
    gpu: str
    model: str
    dtype: Dtype
    tp: int
    replicas: int
    context: int
    concurrency: int
    max_num_seqs: int
    token_budget: int
    above: int
    up_to: int
    profile: PoolProfile

    def __post_init__(self) -> None:
        for name in ("tp", "replicas", "context", "concurrency", "max_num_seqs", "token_budget", "up_to"):
            checks.positive(f"pool {self.name}: {name}", getattr(self, name))
        if self.above >= self.up_to:
            raise InputError(f"pool {self.name}: serves no length", value=(self.above, self.up_to))

    @property
    def gpus(self) -> int:
        """GPUs in the pool: replicas times GPUs per replica."""
        return self.replicas * self.tp


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Pools in order of length; the pools' ranges join without a gap."""

    router: str = "length"
    gamma: float = 1.0
    admission: Admission = "paged"
    pools: tuple[Pool, ...]

    def __post_init__(self) -> None:
        if not self.pools:
            raise InputError("a fleet needs at least one pool")
        for lower, upper in zip(self.pools, self.pools[1:], strict=False):
            if lower.up_to != upper.above:
                raise InputError("the pools' lengths do not join", value=(lower.up_to, upper.above))

    @property
    def gpus(self) -> int:
        """GPUs in the fleet."""
        return sum(pool.gpus for pool in self.pools)
