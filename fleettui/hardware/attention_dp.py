"""Replicas whose GPUs divide the sequences among them (attention-DP), not the heads of attention.

Each GPU holds all that attention has, keeps the cache of its own sequences and runs a batch of its own, one of the
replica's lanes. Of a model with routed experts it holds the dense layers and the shared experts whole too, as engines
do (TensorRT-LLM: modeling_deepseekv3.py; vLLM: a rank of its own; SGLang: moe_dense_tp_size 1 and DeepEP); the routed
experts, or else the feed-forward layers, are divided as ever: they gather the tokens of all lanes before, and sum up
and give back behind, once a layer. So the lanes' steps are one. A step table has that of lanes which hold as much as
each other, and says which part works for all of them (`gathered`); the simulation lets every round last as long as the
longest lane for the rest, and takes that part for the tokens of all. A latent, which tensor parallelism copies to every
GPU, is kept once: that is what it is for.
"""

from __future__ import annotations

from fleettui.domain.hardware import Model, StepLaw
from fleettui.errors import InputError


def attention_parameters(model: Model) -> float:
    """Return the parameters of the layers' products into queries, keys and values and back.

    >>> from fleettui.hardware import catalog
    >>> round(attention_parameters(catalog.model("llama-3.1-8b")) / 1e9, 2)  # 32 layers of 4096 x (2 x 4096 + 2 x 1024)
    1.34
    """
    latent, heads, shape = model.shape.latent, model.heads, model.shape
    if latent is not None:
        queries = heads * (latent.plain + latent.rotary)
        first = latent.query_rank or queries
        into = model.hidden * (first + latent.rank + latent.rotary) + (latent.query_rank or 0) * queries
        back = latent.rank * heads * (latent.plain + latent.value) + model.hidden * heads * latent.value
        return float(model.cached_layers * (into + back))
    width = model.head_dimension
    each = model.hidden * (shape.query + 2 * model.kv_heads * width) + model.hidden * heads * width
    recurrent = model.hidden * (shape.recurrent_in + shape.recurrent_out)
    return float(model.cached_layers * each + model.recurrent_layers * recurrent)


def whole_parameters(model: Model) -> float:
    """Return the parameters that each GPU holds whole: attention's, and of a model with routed experts the dense ones.

    >>> from fleettui.hardware import catalog
    >>> dense = whole_parameters(catalog.model("deepseek-v3")) - attention_parameters(catalog.model("deepseek-v3"))
    >>> round(dense / 1e9, 2)  # 3 layers of 3 x 7168 x 18432, 58 of 3 x 7168 x 2048
    3.74
    """
    shape, own = model.shape, attention_parameters(model)
    if not model.experts:
        return own
    dense, sparse = shape.dense_layers, model.layers - shape.dense_layers
    return own + 3.0 * model.hidden * (dense * shape.inner + sparse * shape.shared_inner)


def check_attention_dp(*, tp: int, pp: int, step_law: StepLaw) -> None:
    """Raise InputError where no step of GPUs that divide the sequences is known."""
    where, leave = "--attention-dp", "leave out --attention-dp, or"
    if tp == 1:
        raise InputError("one GPU has no sequences to divide", where=where, remedy="add --tp 2, 4 or 8")
    if pp > 1:
        what = "no step of stages whose GPUs divide the sequences is known"
        raise InputError(what, where=where, remedy=f"{leave} --pp")
    if step_law != "kernels":
        what = "the roofline's line does not know GPUs that divide the sequences"
        raise InputError(what, where=where, remedy=f"{leave} --step-law roofline")
