"""A fleet: a router in front of one or more pools of equal replicas."""

from __future__ import annotations

from dataclasses import dataclass, fields

from fleettui.domain import checks
from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.engine_settings import EngineSettings, PromptSteps
from fleettui.domain.replica import OfReplica
from fleettui.domain.serialization import later
from fleettui.errors import InputError

BLOCK_SIZE = 16
"""Tokens of one block of the KV cache where nobody says otherwise: vLLM's."""
LARGEST_BLOCK = 64
"""Tokens that one may have at most: sessions are known by blocks of so many."""
WATERMARK = 0.02
"""Share of the blocks that admission leaves free for the growth of what runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolProfile:
    """What a pool's replicas do: seconds per step, per context token and per prompt token, in formula and engine.

    `front_end` are the seconds of each request outside the replica's steps: they are in its TTFT and its E2E.
    `api_token` are those in which its API process hands out one output token, after those before it.
    Its cache is `kv_blocks` of `block_size` tokens, a power of two.
    `by_kernels` says that the engine's steps are those of its hardware's tabulated kernels, and the three times only
    the line that the formulas lay through them.
    """

    base_step_time: float
    time_per_context_token: float
    time_per_prompt_token: float
    kv_blocks: int
    front_end: float = later(0.0)
    by_kernels: bool = later(False)
    api_token: float = later(0.0)
    block_size: int = later(BLOCK_SIZE)

    def __post_init__(self) -> None:
        checks.positive("base_step_time", self.base_step_time)
        checks.positive("kv_blocks", self.kv_blocks)
        if not 1 <= self.block_size <= LARGEST_BLOCK or self.block_size & (self.block_size - 1):
            accepted = f"a power of two from 1 to {LARGEST_BLOCK}, such as {BLOCK_SIZE}"
            raise InputError("blocks cannot have so many tokens", value=self.block_size, accepted=accepted)
        for name in ("time_per_context_token", "time_per_prompt_token", "front_end", "api_token"):
            checks.not_negative(name, getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool(OfReplica):
    """`replicas` engines of `tp` GPUs each, serving requests of total length in (above, up_to] tokens.

    `spares` more replicas stand by for those that are down; formulas and simulation see the `replicas` alone.
    `concurrency` is the formula's limit of sequences per replica, `max_num_seqs` the engine's own. Of several `batches`
    of a replica, its lanes, each has its part of the blocks: `concurrency` is that of one.
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
    spares: int = 0
    kv_dtype: CacheDtype = later("bf16")
    expert_parallel: bool = later(False)
    prompt_steps: PromptSteps = later("mixed")
    pp: int = later(1)
    attention_dp: bool = later(False)
    layout: str = later("")
    speculative: str = later("")

    def __post_init__(self) -> None:
        for name in ("tp", "pp", "replicas", "context", "concurrency", "max_num_seqs", "token_budget", "up_to"):
            checks.positive(f"pool {self.name}: {name}", getattr(self, name))
        for name in ("above", "spares"):
            checks.not_negative(f"pool {self.name}: {name}", getattr(self, name))
        if self.above >= self.up_to:
            raise InputError(f"pool {self.name}: serves no length", value=(self.above, self.up_to))

    @property
    def settings(self) -> EngineSettings:
        """How its engine is set."""
        return EngineSettings(
            max_num_seqs=self.max_num_seqs, token_budget=self.token_budget, prompt_steps=self.prompt_steps
        )

    @property
    def gpus(self) -> int:
        """GPUs in the pool: replicas, spare ones too, times GPUs per replica."""
        return (self.replicas + self.spares) * self.gpus_per_replica

    @property
    def lanes(self) -> int:
        """The batches that its replicas run."""
        return self.replicas * self.batches


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Pools in order of length; the pools' ranges join without a gap.

    Of the requests between a pool's upper end B and γB, a share `compressible` is rewritten to fit below B. The router
    looks at the loads each `router_refresh` seconds; it always knows them where that is None.
    """

    router: str = "length"
    gamma: float = 1.0
    compressible: float = 1.0
    admission: str = "paged"
    pools: tuple[Pool, ...]
    router_refresh: float | None = later(None)

    def __post_init__(self) -> None:
        if not self.pools:
            raise InputError("a fleet needs at least one pool")
        checks.share("compressible", self.compressible)
        if not 1.0 <= self.gamma < float("inf"):
            raise InputError("gamma must not be below 1", value=self.gamma, accepted="1.0 (no compression) or above")
        for lower, upper in zip(self.pools, self.pools[1:], strict=False):
            if lower.up_to != upper.above:
                raise InputError("the pools' lengths do not join", value=(lower.up_to, upper.above))

    @property
    def gpus(self) -> int:
        """GPUs in the fleet."""
        return sum(pool.gpus for pool in self.pools)

    @property
    def gpus_by_type(self) -> dict[str, int]:
        """GPUs in the fleet by the name of their type, in the order of the pools."""
        totals: dict[str, int] = {}
        for pool in self.pools:
            totals[pool.gpu] = totals.get(pool.gpu, 0) + pool.gpus
        return totals


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSketch(OfReplica):
    """A pool as a person writes it: what is None is worked out from the catalogue and the traffic."""

    name: str | None = None
    gpu: str
    model: str = "llama-3.1-70b"
    dtype: Dtype = "bf16"
    tp: int
    replicas: int
    context: int | None = None
    concurrency: int | None = None
    max_num_seqs: int | None = None
    token_budget: int | None = None
    above: int | None = None
    up_to: int | None = None
    profile: PoolProfile | None = None
    spares: int = 0
    kv_dtype: CacheDtype = later("bf16")
    expert_parallel: bool = later(False)
    prompt_steps: PromptSteps | None = later(None)
    pp: int = later(1)
    attention_dp: bool = later(False)
    layout: str = later("")
    speculative: str = later("")

    def __post_init__(self) -> None:
        checks.not_negative(f"pool {self.name or self.gpu}: spares", self.spares)
        for name in ("tp", "pp", "replicas", "context", "concurrency", "max_num_seqs", "token_budget", "up_to"):
            if getattr(self, name) is not None:
                checks.positive(f"pool {self.name or self.gpu}: {name}", getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetSketch:
    """A fleet as a person writes it."""

    router: str = "length"
    gamma: float = 1.0
    compressible: float = 1.0
    admission: str = "paged"
    pools: tuple[PoolSketch, ...]
    router_refresh: float | None = later(None)

    @classmethod
    def of(cls, fleet: Fleet) -> FleetSketch:
        """Return a whole fleet as one that is written down, nothing of it left to be worked out."""
        pools = tuple(PoolSketch(**{one.name: getattr(pool, one.name) for one in fields(Pool)}) for pool in fleet.pools)
        own = {one.name: getattr(fleet, one.name) for one in fields(Fleet)}
        return cls(**{**own, "pools": pools})


def counted(count: float, noun: str = "GPU") -> str:
    """Return a number with its noun, three digits where it is no whole one.

    >>> counted(1), counted(1024), counted(0.3914)
    ('1 GPU', '1,024 GPUs', '0.391 GPUs')
    """
    return f"{count:.3g} {noun}s" if count != round(count) else f"{round(count):,} {noun}{'s' * (round(count) != 1)}"
