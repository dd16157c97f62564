"""What tells the server of one benchmark run from that of another."""

from __future__ import annotations

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.replica import OfReplica

ServerKey = tuple[str, str, str, Dtype, int, CacheDtype, bool, bool]


class OfServer(OfReplica):
    """What is of one server: `model` in `dtype` on `tp` GPUs of kind `gpu` under `engine`, its cache in `kv_dtype`."""

    __slots__ = ()
    engine: str

    @property
    def server_key(self) -> ServerKey:
        """What all runs of its server have in common: GPU, model, engine, precision, parallelism, cache."""
        whole, own = self.expert_parallel, self.attention_dp
        return self.gpu, self.model, self.engine, self.dtype, self.tp, self.kv_dtype, whole, own

    @property
    def server(self) -> str:
        """The server in words."""
        cache = "" if self.kv_dtype == "bf16" else f", {self.kv_dtype} cache"
        spread = ", experts spread" if self.expert_parallel else ""
        spread += ", sequences divided" if self.attention_dp else ""
        return f"{self.model} {self.dtype} on {self.tp} {self.gpu} under {self.engine}{cache}{spread}"
