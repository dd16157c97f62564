"""What serves: a GPU, a model, and the profile that the two give together. SI units: bytes, seconds, watts, FLOP/s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from fleettui.domain import checks
from fleettui.domain.dtype import CacheDtype, Dtype, Units
from fleettui.domain.engine_settings import EARLIER_ROOM, EARLIER_SETTINGS, AsksSettings, EngineSettings, Room
from fleettui.domain.power_law import PowerLaw
from fleettui.domain.replica import OfReplica
from fleettui.domain.serialization import later
from fleettui.domain.uncertain import Factors, Uncertain

Confidence = Literal["high", "medium", "low"]
StepLaw = Literal["kernels", "roofline"]
STEP_LAWS: tuple[StepLaw, ...] = get_args(StepLaw)
"""What a step's time is made of: measured kernels, or peaks and shapes alone."""
Tuning = Literal["stock", "tuned", "benchmark"]
TUNINGS: tuple[Tuning, ...] = get_args(Tuning)
"""How an engine is set: as it comes, as its own guide sets it for a load, or as benchmark submissions set it."""
STOCK: Tuning = "stock"
SEQUENCES = 256
"""Sequences that room is kept for, where each takes some whatever its length and nobody says how many run at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where the value of one field of a record comes from, and how far it can be trusted."""

    field: str
    source: str
    confidence: Confidence = "high"


PriceBasis = Literal["median", "range", "list", "one"]
"""The class of a price: the median of many providers, the middle of a range, a cloud's list, or one provider's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for one GPU for one hour, with the offer that it was read from.

    `basis` is the class of the price, empty where a file does not say it; `posted` are the ends of what was posted for
    the same GPU, None where no other offer is known.
    """

    per_hour: float
    purchase: str
    provider: str
    region: str
    date: str
    url: str
    basis: PriceBasis | Literal[""] = ""
    posted: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        checks.not_negative("price per hour", self.per_hour)


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCurve:
    """Watts of one GPU against the batch b: idle + (nominal − idle) / (1 + exp(−steepness·(log2 b − midpoint))).

    The papers' form; what it calls idle is drawn at the smallest batches.
    """

    idle: float
    nominal: float
    steepness: float
    midpoint: float
    confidence: Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One accelerator. Peaks are dense and per second; None is what it has no units for, or what is not known.

    `memory` is what a process can use, as the driver reports it where that is known; `memory_printed` is the figure of
    the datasheet, 10^9 bytes a GB. `link_bandwidth` (B/s) is one way per GPU within `scale_up_domain` GPUs, `scale_out`
    (B/s) one way beyond. `idle_power` is drawn without work, `all_in_power` with a GPU's share of server, network and
    cooling (watts). A GPU without a price can be planned with at a price that is given. `searched` ones are those that
    a question without GPUs chooses from. Measured kernels of `kernels_like` stand in for its own, the nearest first.
    """

    name: str
    vendor: str
    memory: float
    bandwidth: float
    peak_bf16: float
    peak_fp8: float | None
    link: str
    link_bandwidth: float
    gpus_per_node: int
    thermal_design_power: float
    power: PowerCurve
    price: Price | None
    citations: tuple[Citation, ...] = ()
    memory_printed: float | None = None
    peak_int8: float | None = None
    peak_fp4: float | None = None
    scale_up_domain: int | None = None
    scale_out: float | None = None
    idle_power: float | None = None
    all_in_power: float | None = None
    searched: bool = False
    kernels_like: tuple[str, ...] = ()

    def peak(self, units: Units) -> float | None:
        """Return the dense peak of `units` in FLOP/s, or None where the GPU has no such units."""
        peaks = {"bf16": self.peak_bf16, "fp8": self.peak_fp8, "fp4": self.peak_fp4, "int8": self.peak_int8}
        return peaks[units]

    @property
    def joined(self) -> int:
        """The GPUs that its link joins: a node's where no larger domain is known."""
        return self.scale_up_domain or self.gpus_per_node


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentShape:
    """Widths of latent attention: ranks of queries (0: no low rank) and of the cached latent, parts of a head."""

    query_rank: int
    rank: int
    plain: int
    rotary: int
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Widths of a model's matrices in numbers.

    `query` are the rows of the query projection. `dense_layers` have a gated feed-forward block that is `inner` wide;
    the other layers have routed experts, `expert_inner` wide each, beside shared ones of `shared_inner` together.
    Recurrent layers project a token to `recurrent_in` numbers and `recurrent_out` back.
    """

    vocabulary: int
    query: int
    dense_layers: int
    inner: int = 0
    expert_inner: int = 0
    shared_inner: int = 0
    recurrent_in: int = 0
    recurrent_out: int = 0
    latent: LatentShape | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A decoder-only transformer.

    `parameters` counts all weights; `active_parameters` those one token passes through, embedding look-up left
    out. Mixture of experts: `experts` routed experts of `expert_parameters` each (summed over layers), of which
    a token uses `experts_per_token`. Latent attention caches `latent_dimension` numbers a layer instead of heads.
    `windowed_layers` cache at most the last `window` tokens; `recurrent_layers` cache none, and keep `state_bytes` of a
    sequence together, whatever its length. `mtp_layers` further ones, counted nowhere else, predict later tokens.
    """

    name: str
    architecture: str
    parameters: float
    active_parameters: float
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dimension: int
    context: int
    shape: Shape
    experts: int = 0
    experts_per_token: int = 0
    expert_parameters: float = 0.0
    latent_dimension: int = 0
    windowed_layers: int = 0
    window: int = 0
    recurrent_layers: int = 0
    state_bytes: float = 0.0
    mtp_layers: int = later(0)
    native_dtype: Dtype = "bf16"
    native_cache: CacheDtype | None = None
    citations: tuple[Citation, ...] = ()

    @property
    def cached_layers(self) -> int:
        """The layers that cache tokens, all or a window of them."""
        return self.layers - self.recurrent_layers

    @property
    def whole_layers(self) -> int:
        """The layers that cache every token."""
        return self.cached_layers - self.windowed_layers


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCost:
    """Seconds of one engine step on one replica, as the roofline builds it (`hardware/step_cost.py` evaluates it).

    `overhead` is paid every step. `weight_time` reads the weights that every step touches; `expert_time` reads all
    routed experts, of which a step of x tokens touches 1 − (1 − experts_per_token/experts)^x. `linear_time` is
    the matrix work of one token, `all_reduce_time` its link time, `context_time` the cache read of one context
    token, `attention_time` the attention of one (query, key) pair of a prompt, `sequence_time` the read for one decoded
    token of what its sequence keeps whatever its length.
    """

    overhead: float
    weight_time: float
    expert_time: float = 0.0
    expert_share: float = 0.0
    linear_time: float
    all_reduce_time: float
    context_time: float
    attention_time: float
    sequence_time: float = later(0.0)

    @property
    def base_range(self) -> tuple[float, float]:
        """The least and the most seconds of a step's part that depends on neither context nor prompts."""
        least = self.overhead + self.weight_time
        return least, least + self.expert_time


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPart:
    """What one operator takes of two steps that stand for others, in seconds, and where its kernel was measured.

    `decode` is of `StepTable.shown_sequences` decodes of `shown_tokens` each, `prompt` of a prompt of `shown_tokens`.
    """

    operator: str
    decode: float
    prompt: float
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTable:
    """Seconds of one engine step on one replica as a sum of measured kernels (`hardware/step_cost.py` evaluates it).

    `overhead` is paid every step. All but attention takes `linear` for so many `tokens` in the step. n decoding
    sequences take `fixed` and `slope` for each cached token of theirs, at the `sequences` that are listed; between them
    n·slope is straight. A prompt, or a chunk of one, that forms so many (query, key) `pairs` takes `attention` above
    `prompt_floor`, which a step with prompts pays once. Such a step takes `prompt_extra` more, and no less than
    `prompt_least` without the overhead. Of each decoding sequence it computes `width` tokens. Between listed points all
    is straight, beyond them it goes on as it ended.
    `read_share` of the weights is read every step, and of the rest 1 − (1 − expert_share)^x by x tokens. `parts` are
    what the sums are made of. Where a replica's GPUs divide the sequences, `gathered` is the part of `linear` that the
    layers behind attention take, for as many tokens of each of the others; else it is empty. Where only steps of
    decodes are padded to CUDA graphs those take `alone` in place of `linear`; else it is empty.
    """

    overhead: float
    tokens: tuple[float, ...]
    linear: tuple[float, ...]
    sequences: tuple[float, ...]
    fixed: tuple[float, ...]
    slope: tuple[float, ...]
    pairs: tuple[float, ...]
    attention: tuple[float, ...]
    prompt_floor: float
    prompt_least: float = 0.0
    prompt_extra: float = 0.0
    read_share: float = 1.0
    expert_share: float = 0.0
    shown_sequences: int
    shown_tokens: int
    parts: tuple[StepPart, ...]
    width: int = later(1)
    gathered: tuple[float, ...] = later(())
    alone: tuple[float, ...] = later(())

    @property
    def base_range(self) -> tuple[float, float]:
        """The least and the most seconds of a step's part that depends on neither context nor prompts."""
        return self.overhead + self.linear[0], self.overhead + self.linear[-1] + self.fixed[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Uncertain, OfReplica):
    """One replica of `model` on `tp` GPUs of one kind: what it costs, holds, draws, and how long its steps take.

    `peak` (FLOP/s, of the fastest `units` that it uses, named like its dtype where None) and `bandwidth` (B/s) are
    those of the whole replica; `flops_per_token` are the linear ones, `attention_flops` those of one (query, key) pair;
    `bytes_per_step` are the weights that a step of a batch reads, `kv_bytes_per_token` the cache of one token, both on
    all GPUs. `kv_blocks` of `block_size` tokens are shared by the replica's sequences, where it runs several `batches`
    by those of each. `memory` is the arithmetic behind kv_blocks. For `sequences` it sets aside what each takes
    whatever its length, 0 where none takes anything. `settings` are the engine's own on that GPU, `room` what it takes
    of the memory; `front_end` are the seconds of each request outside the replica's steps, `api_token` those in which
    the API process hands out one output token. Of held-out runs nine in ten had step times within `band`, as factors on
    what was predicted; `evidence` says of what kind. `model_error` is the band's larger side, or both. `public_factor`
    is what public runs took of the time of the step's kernels; it is in the step. `speculative` says how drafts are
    made, `drafts` what they come to, `expert_load` what a load of experts does. Steps are padded to `graph_bins`.
    """

    name: str
    gpu: str
    model: str
    dtype: Dtype
    tp: int
    price_per_hour: float
    price_note: str
    step: StepCost | StepTable
    kv_blocks: int
    block_size: int
    context: int
    peak: float
    bandwidth: float
    flops_per_token: float
    attention_flops: float
    bytes_per_step: float
    kv_bytes_per_token: float
    power: PowerCurve | PowerLaw
    gpus_per_node: int
    model_error: float
    memory: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    sequences: int = later(0)
    settings: EngineSettings = later(EARLIER_SETTINGS)
    front_end: float = later(0.0)
    api_token: float = later(0.0)
    band: Factors | None = later(None)
    evidence: str = later("")
    kv_dtype: CacheDtype = later("bf16")
    expert_parallel: bool = later(False)
    units: Units | None = later(None)
    pp: int = later(1)
    attention_dp: bool = later(False)
    layout: str = later("")
    public_factor: float = later(1.0)
    speculative: str = later("")
    drafts: tuple[str, ...] = later(())
    graph_bins: tuple[int, ...] = later(())
    expert_load: str = later("")
    room: Room = later(EARLIER_ROOM)

    def serves(self, sequences: int | None) -> bool:
        """Return whether its blocks are those of a replica that runs so many at once at most, SEQUENCES if None."""
        return self.sequences in (0, sequences or SEQUENCES)

    def settled(self, *asked: AsksSettings) -> EngineSettings:
        """Return each setting as the first of `asked` says it, else the engine's own; what is searched is not said."""
        said = (*asked, self.settings)
        return EngineSettings(
            max_num_seqs=next(one.max_num_seqs for one in said if one.max_num_seqs is not None),
            token_budget=next(one.token_budget for one in said if isinstance(one.token_budget, int)),
            prompt_steps=next(one.prompt_steps for one in said if one.prompt_steps is not None),
        )
