"""What tells the hardware of one replica from that of another."""

from __future__ import annotations

from fleettui.domain.dtype import CacheDtype, Dtype

ReplicaKey = tuple[str, str, Dtype, CacheDtype, int]


class OfReplica:
    """What is of replicas: `model` in `dtype` on `tp` GPUs of kind `gpu`, cached numbers in `kv_dtype`."""

    __slots__ = ()
    gpu: str
    model: str
    dtype: Dtype
    kv_dtype: CacheDtype
    tp: int

    @property
    def replica_key(self) -> ReplicaKey:
        """What replicas of one kind have in common."""
        return self.gpu, self.model, self.dtype, self.kv_dtype, self.tp

    @property
    def replica(self) -> str:
        """The kind in a few signs."""
        return replica_name(self.replica_key)


def replica_name(key: ReplicaKey) -> str:
    """Return a kind of replicas in a few signs; a bf16 cache is not named.

    >>> replica_name(("h100", "qwen3-32b", "fp8", "bf16", 4)), replica_name(("h100", "qwen3-32b", "fp8", "fp8", 4))
    ('h100/qwen3-32b/fp8/tp4', 'h100/qwen3-32b/fp8/kv-fp8/tp4')
    """
    gpu, model, dtype, kv_dtype, tp = key
    return "/".join([gpu, model, dtype, *([] if kv_dtype == "bf16" else [f"kv-{kv_dtype}"]), f"tp{tp}"])
