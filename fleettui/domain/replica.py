"""What tells the hardware of one replica from that of another."""

from __future__ import annotations

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.layout import Layout
from fleettui.domain.layout import layout as layout_of
from fleettui.domain.speculation import NO_DRAFTS, Speculation, speculation

ReplicaKey = tuple[str, str, Dtype, CacheDtype, int, bool, int, bool, str, str]


class OfReplica:
    """What is of replicas: `model` in `dtype` on `tp` GPUs of kind `gpu`, cached numbers in `kv_dtype`.

    Routed experts are divided among the GPUs, each of them; with `expert_parallel` every GPU holds some of them whole.
    With `pp` stages each is such a group of GPUs, holds a part of the layers and works for `pp` batches in turn. With
    `attention_dp` each GPU keeps sequences of its own and attends to them with all heads; other layers are divided.
    A `layout` says of how many GPUs the lanes are that keep sequences, and the groups that hold experts, where of more.
    `speculative` says how drafts are made and accepted, empty where none are.
    """

    __slots__ = ()
    gpu: str
    model: str
    dtype: Dtype
    kv_dtype: CacheDtype
    tp: int
    expert_parallel: bool

    @property
    def pp(self) -> int:
        """The stages of its pipeline: one where nothing else is said."""
        return 1

    @property
    def attention_dp(self) -> bool:
        """Whether its GPUs divide the sequences among them, not the heads: no where nothing else is said."""
        return False

    @property
    def layout(self) -> str:
        """How many GPUs lanes and groups have: one each where nothing else is said."""
        return ""

    @property
    def speculative(self) -> str:
        """How drafts are made and accepted: there are none where nothing else is said."""
        return ""

    @property
    def drafting(self) -> Speculation:
        """The same, read."""
        return speculation(self.speculative) if self.speculative else NO_DRAFTS

    @property
    def batches(self) -> int:
        """The batches that one replica runs: a pipeline's in turn, those of its GPUs at once."""
        return self.divided.attention_dp if self.attention_dp else self.pp

    @property
    def divided(self) -> Layout:
        """How a stage is divided in both domains."""
        if self.layout:
            return layout_of(self.layout)
        lanes, groups = self.tp if self.attention_dp else 1, self.tp if self.expert_parallel else 1
        return Layout(self.tp // lanes, lanes, self.tp // groups, groups)

    @property
    def gpus_per_replica(self) -> int:
        """The GPUs of one replica."""
        return self.tp * self.pp

    @property
    def division(self) -> str:
        """How a replica is divided among its GPUs, in a few signs."""
        return division_name(self.tp, self.pp, attention_dp=self.attention_dp, layout=self.layout)

    @property
    def replica_key(self) -> ReplicaKey:
        """What replicas of one kind have in common."""
        whole = self.expert_parallel
        return (
            *(self.gpu, self.model, self.dtype, self.kv_dtype, self.tp, whole, self.pp, self.attention_dp),
            self.layout,
            self.speculative,
        )

    @property
    def replica(self) -> str:
        """The kind in a few signs."""
        return replica_name(self.replica_key)


def division_name(tp: int, pp: int, *, attention_dp: bool = False, layout: str = "") -> str:
    """Return a tensor parallelism and the stages beside it, or whose attention divides sequences, in a few signs.

    >>> division_name(8, 1), division_name(8, 2), division_name(8, 1, attention_dp=True)
    ('tp8', 'tp8pp2', 'dp8')
    """
    if layout:
        return layout if pp == 1 else f"{layout}pp{pp}"
    if attention_dp:
        return f"dp{tp}"
    return f"tp{tp}" if pp == 1 else f"tp{tp}pp{pp}"


def replica_name(key: ReplicaKey) -> str:
    """Return a kind of replicas in a few signs; neither a bf16 cache nor experts that are divided are named.

    >>> replica_name(("h100", "qwen3-32b", "fp8", "bf16", 4, False, 1, False, "", ""))
    'h100/qwen3-32b/fp8/tp4'
    >>> replica_name(("h200", "gpt-oss-120b", "mxfp4", "fp8", 4, True, 1, False, "", "mtp:3@70%"))
    'h200/gpt-oss-120b/mxfp4/kv-fp8/tp4/ep4/mtp:3@70%'
    """
    gpu, model, dtype, kv_dtype, tp, expert_parallel, pp, attention_dp, layout, speculative = key
    cache = [] if kv_dtype == "bf16" else [f"kv-{kv_dtype}"]
    division = division_name(tp, pp, attention_dp=attention_dp, layout=layout)
    spread, drafts = [f"ep{tp}"] if expert_parallel and not layout else [], [speculative] if speculative else []
    return "/".join([gpu, model, dtype, *cache, division, *spread, *drafts])
