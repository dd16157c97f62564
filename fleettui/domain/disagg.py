"""A disaggregated fleet: one pool that prefills, one that decodes, and the links that move the cache between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fleettui.domain import checks
from fleettui.domain.fleet import Pool
from fleettui.domain.plan import Candidate, Estimate, Verdict
from fleettui.domain.roles import DECODE, PREFILL
from fleettui.domain.simulation import PoolLength

PREFILL_STEPS = 1.13
"""What steps of a replica that only prefills took of their kernels' time: a public server that ran nothing else."""
DECODE_STEPS = 1.14
"""What steps of a replica that only decodes took of their kernels' time: median of public runs, drawn towards 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """The links of replicas, one way: bytes per second out of one that prefills and into one that decodes.

    A transfer takes `latency` seconds beside its bytes. Each link is shared equally by the transfers that use it.
    """

    prefill: float
    decode: float
    latency: float

    def __post_init__(self) -> None:
        checks.positive("link of a prefill replica", self.prefill)
        checks.positive("link of a decode replica", self.decode)
        checks.not_negative("latency of a link", self.latency)

    @property
    def each(self) -> float:
        """Bytes per second of a transfer that shares its links with no other."""
        return min(self.prefill, self.decode)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSize:
    """Bytes that a prompt's cache has, counted once: per token, per token within a `window`, and beside the tokens."""

    per_token: float
    per_windowed_token: float = 0.0
    window: int = 0
    state: float = 0.0


Side = Literal["prefill", "decode"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """How requests pass from one side to the other.

    A cache leaves in so many `parts`, all but the last while its prompt is still computed: a model's layers, or 1 where
    it leaves whole. `first_token` is the side that sends it. A prompt of up to `short` tokens to compute stays with the
    replica that decodes it, which prefills it beside its decodes.
    """

    parts: int = 1
    first_token: Side = "prefill"
    short: int = 0

    def __post_init__(self) -> None:
        checks.FROM_ONE.check("parts of a cache", self.parts)
        checks.one_of("side that sends the first token", self.first_token, (PREFILL, DECODE))
        checks.not_negative("tokens of a short prompt", self.short)

    @property
    def sent(self) -> int:
        """Tokens of a request that the side that prefills sends."""
        return int(self.first_token == PREFILL)


AT_ONCE = Handover()
"""Every prompt is passed on, its cache leaves whole, and its first token comes from the side that prefilled it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisaggFleet:
    """A pool of replicas that only prefill, one of replicas that only decode, and the links between them."""

    prefill: Pool
    decode: Pool
    links: Links
    cache: CacheSize
    router: str
    handover: Handover = AT_ONCE

    @property
    def pools(self) -> tuple[Pool, Pool]:
        """Both pools, in the order of a request's way."""
        return self.prefill, self.decode

    @property
    def gpus(self) -> int:
        """GPUs of both pools, spare ones too."""
        return self.prefill.gpus + self.decode.gpus


@dataclass(frozen=True, slots=True, kw_only=True)
class DisaggFigures:
    """A disaggregated fleet by formula: US dollars an hour, and latencies in seconds at the SLO's percentile.

    `wait` is that for prefill, `transfer` the mean seconds of moving a prompt's cache. Each `busy` is offered work over
    what the part can do: prefill steps, decode batches, links. `batch` are the mean sequences of a decode lane. The
    share of requests that `stays` are those with short prompts, which decode prefills.
    """

    fleet: DisaggFleet
    cost: float
    ttft: float
    tpot: float
    e2e: float
    wait: float
    transfer: float
    prefill_busy: float
    decode_busy: float
    link_busy: float
    batch: float
    stays: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DisaggStage:
    """A disaggregated fleet as the formulas see it, `within` its limits on load, money and stock or not.

    `lengths` and `look` are how long it must be simulated, and a short run; `unstable` says why no length would do.
    """

    figures: DisaggFigures
    within: bool
    lengths: tuple[PoolLength, ...]
    look: tuple[PoolLength, ...]
    unstable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The smallest fleet of one way that holds in simulation: latencies of the worst pool at the SLO's percentile.

    So many sizes were `tried`. `figures` are what the formulas say of it where it is a disaggregated one.
    """

    pools: tuple[Pool, ...]
    gpus: int
    cost: float
    ttft: Estimate
    tpot: Estimate
    verdict: Verdict
    runs: int
    requests: int
    tried: int
    figures: DisaggFigures | None = None


Axis = Literal["tpot", "ttft", "rate", "link", "output"]
"""What may be moved: a limit's seconds, requests/s, bytes/s of a replica's link, or all outputs by a factor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Where the cheaper way changes as one input moves from its `asked` value: at `below` it and `above`, None if not.

    It was looked for from `low` to `high`. `pays` says whether disaggregation is cheaper at the asked value.
    """

    axis: Axis
    asked: float
    low: float
    high: float
    pays: bool
    below: float | None
    above: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """What of a disaggregated fleet's dollars an hour buys nothing, by part.

    Replicas beyond the work of each pool at the allowed utilization, and what links without end would save.
    """

    idle_prefill: float
    idle_decode: float
    transfer: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Disaggregated:
    """Both ways to the same need by formula: the best disaggregated fleets, the best co-located one, where it flips.

    `left_out` are the GPU types whose steps are known much worse than the plan's. `lost` is of the first row, which is
    the best one, at the sizes that hold in simulation where some do. `apart` and `together` are what simulations made
    of the best fleet of each way, None where none did; `tried_together` what they made of the `colocated` one, where
    the plan's own is together. Where short prompts stay with decode, `passing_all` are US dollars an hour of the best
    fleet that passes all on, None where none holds.
    """

    rows: tuple[DisaggFigures, ...]
    colocated: Candidate | None
    flips: tuple[Flip, ...]
    lost: Lost | None
    left_out: tuple[str, ...]
    apart: Proof | None = None
    together: Proof | None = None
    passing_all: float | None = None
    tried_together: Proof | None = None

    @property
    def proven(self) -> bool:
        """Whether both ways were simulated and hold, so that these fleets are compared."""
        proofs = [self.apart, *([self.together] if self.colocated else [])]
        return all(one is not None and one.verdict == "pass" for one in proofs)

    @property
    def costs(self) -> tuple[float, float | None]:
        """US dollars an hour apart and together, None where no such fleet holds: as simulated where both are."""
        together = None if self.colocated is None else self.colocated.cost_per_hour
        if self.proven and self.apart is not None:
            return self.apart.cost, self.together.cost if self.together else None
        return self.rows[0].cost, together

    @property
    def pays(self) -> bool:
        """Whether the best disaggregated fleet costs less than the best co-located one."""
        apart, together = self.costs
        return together is None or apart < together * (1.0 - 1e-9)
