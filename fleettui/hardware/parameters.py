"""Weights counted from a transformer's shape: attention and feed-forward parts of the known architectures."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fleettui.domain.hardware import LatentShape
from fleettui.errors import InputError
from fleettui.hardware.config_fields import ConfigFields

BIASED = ("Qwen2ForCausalLM", "Qwen2MoeForCausalLM")  # query, key and value have a bias that no key states
GATED = ("Qwen3NextForCausalLM", "Qwen3_5ForCausalLM", "Qwen3_5MoeForCausalLM")  # the output has a gate by head
NORMED = (
    "Gemma3ForCausalLM",
    "Qwen3ForCausalLM",
    "Qwen3MoeForCausalLM",
    *GATED,
)  # queries and keys are normalized by head
WITH_SINKS = ("GptOssForCausalLM",)  # a number by head, and the output projection has a bias too


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """One layer's attention: its weights, the rows of its query projection, and what it caches for a token."""

    parameters: int
    query: int
    kv_heads: int
    head_dimension: int
    latent_dimension: int = 0
    latent: LatentShape | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrent:
    """One layer without a cache: its weights, and the bytes that it keeps of a sequence whatever the length.

    A token is projected to `rows` numbers, and `back` of them to the layer's output.
    """

    parameters: int = 0
    state_bytes: int = 0
    rows: int = 0
    back: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForward:
    """All layers' feed-forward weights: those every token passes, and routed experts (one expert over all layers).

    `dense_layers` are `inner` wide; in the others an expert is `expert_inner` wide, all shared ones `shared_inner`.
    """

    always: int
    dense_layers: int = 0
    inner: int = 0
    expert_inner: int = 0
    shared_inner: int = 0
    experts: int = 0
    experts_per_token: int = 0
    expert_parameters: int = 0


def grouped_attention(fields: ConfigFields) -> Attention:
    """Count multi-head or grouped-query attention: query, key, value and output projections."""
    hidden, heads = fields.count("hidden_size"), fields.count("num_attention_heads")
    kv_heads = fields.count("num_key_value_heads", heads)
    if "head_dim" not in fields.values and hidden % heads:
        raise InputError("hidden_size is no multiple of num_attention_heads", where=fields.where, value=hidden)
    if heads % kv_heads:
        what = "num_attention_heads is no multiple of num_key_value_heads"
        raise InputError(what, where=fields.where, value=f"{heads} and {kv_heads}")
    width = fields.count("head_dim", hidden // heads)
    rows = (heads + 2 * kv_heads) * width
    parameters = rows * hidden + heads * width * hidden
    architecture = fields.architecture()
    if fields.flag("attention_bias", default=False) or architecture in BIASED:
        parameters += rows
    if fields.flag("use_qk_norm", default=architecture in NORMED):
        parameters += 2 * width
    has_gate = fields.flag("attn_output_gate", default=architecture in GATED)
    if has_gate:
        parameters += heads * width * hidden
    if architecture in WITH_SINKS:
        parameters += hidden + heads
    query = heads * width * (2 if has_gate else 1)
    return Attention(parameters=parameters, query=query, kv_heads=kv_heads, head_dimension=width)


def latent_attention(fields: ConfigFields) -> Attention:
    """Count multi-head latent attention (DeepSeek-V2, arXiv 2405.04434): low-rank queries, one latent cache row.

    Attention FLOPs of a prompt are 2·heads·(query-key width + value width) a pair and layer, hence the mean width.
    """
    hidden, heads = fields.count("hidden_size"), fields.count("num_attention_heads")
    latent, rope = fields.count("kv_lora_rank"), fields.count("qk_rope_head_dim")
    plain, value = fields.count("qk_nope_head_dim"), fields.count("v_head_dim")
    rank = fields.count("q_lora_rank", 0)
    query_width = heads * (plain + rope)
    query = hidden * rank + rank + rank * query_width if rank else hidden * query_width
    key_value = hidden * (latent + rope) + latent + latent * heads * (plain + value)
    return Attention(
        parameters=query + key_value + heads * value * hidden,
        query=query_width,
        kv_heads=heads,
        head_dimension=(plain + rope + value) // 2,
        latent_dimension=latent + rope,
        latent=LatentShape(query_rank=rank, rank=latent, plain=plain, rotary=rope, value=value),
    )


def recurrent_attention(fields: ConfigFields) -> Recurrent:
    """Count a gated delta network (arXiv 2412.06464), as Qwen3-Next has it: a matrix by value head instead of a cache.

    Its state is that matrix in fp32 and the last inputs of a short convolution in bf16.
    """
    hidden, kernel = fields.count("hidden_size"), fields.count("linear_conv_kernel_dim")
    key_heads, value_heads = fields.count("linear_num_key_heads"), fields.count("linear_num_value_heads")
    key_width, value_width = fields.count("linear_key_head_dim"), fields.count("linear_value_head_dim")
    values, mixed = value_heads * value_width, 2 * key_heads * key_width + value_heads * value_width
    projected = hidden * (mixed + values + 2 * value_heads)
    return Recurrent(
        parameters=projected + mixed * kernel + 2 * value_heads + value_width + values * hidden,
        state_bytes=4 * value_heads * key_width * value_width + 2 * mixed * (kernel - 1),
        rows=mixed + values + 2 * value_heads,
        back=values,
    )


def dense(fields: ConfigFields) -> FeedForward:
    """Count gated feed-forward layers: gate, up and down projections."""
    layers = fields.count("num_hidden_layers")
    return FeedForward(
        always=layers * gated(fields, "intermediate_size"),
        dense_layers=layers,
        inner=fields.count("intermediate_size"),
    )


def mixtral_experts(fields: ConfigFields) -> FeedForward:
    """Count layers of routed experts as Mixtral has them: every layer, `intermediate_size` wide."""
    layers, experts = fields.count("num_hidden_layers"), fields.count("num_local_experts")
    return FeedForward(
        always=layers * fields.count("hidden_size") * experts,
        expert_inner=fields.count("intermediate_size"),
        experts=experts,
        experts_per_token=_used(fields, experts),
        expert_parameters=layers * gated(fields, "intermediate_size"),
    )


def qwen_experts(fields: ConfigFields) -> FeedForward:
    """Count Qwen mixture-of-experts layers, some of which may be dense, with a shared expert where one is named."""
    layers, experts = fields.count("num_hidden_layers"), fields.count("num_experts")
    step, only_dense = fields.count("decoder_sparse_step", 1), fields.counts("mlp_only_layers")
    sparse = sum(1 for layer in range(layers) if (layer + 1) % step == 0 and layer not in only_dense)
    shared = fields.count("shared_expert_intermediate_size", 0, least=0)
    hidden = fields.count("hidden_size")
    always = sparse * (hidden * experts + (3 * hidden * shared + hidden if shared else 0))
    if sparse < layers:
        always += (layers - sparse) * gated(fields, "intermediate_size")
    return FeedForward(
        always=always,
        dense_layers=layers - sparse,
        inner=fields.count("intermediate_size") if sparse < layers else 0,
        expert_inner=fields.count("moe_intermediate_size"),
        shared_inner=shared,
        experts=experts,
        experts_per_token=_used(fields, experts),
        expert_parameters=sparse * gated(fields, "moe_intermediate_size"),
    )


def gpt_oss_experts(fields: ConfigFields) -> FeedForward:
    """Count layers of routed experts whose three matrices and router have biases."""
    found = mixtral_experts(fields)
    layers, width = fields.count("num_hidden_layers"), fields.count("intermediate_size")
    return replace(
        found,
        always=found.always + layers * found.experts,
        expert_parameters=found.expert_parameters + layers * (2 * width + fields.count("hidden_size")),
    )


def llama4_experts(fields: ConfigFields) -> FeedForward:
    """Count Llama 4 layers: every n-th has routed experts and a shared one, the others are dense and wider."""
    layers, experts = fields.count("num_hidden_layers"), fields.count("num_local_experts")
    sparse = layers // fields.count("interleave_moe_layer_step", 1)
    expert = gated(fields, "intermediate_size")
    always = sparse * (fields.count("hidden_size") * experts + expert)
    if sparse < layers:
        always += (layers - sparse) * gated(fields, "intermediate_size_mlp")
    return FeedForward(
        always=always,
        dense_layers=layers - sparse,
        inner=fields.count("intermediate_size_mlp") if sparse < layers else 0,
        expert_inner=fields.count("intermediate_size"),
        shared_inner=fields.count("intermediate_size"),
        experts=experts,
        experts_per_token=_used(fields, experts),
        expert_parameters=sparse * expert,
    )


def deepseek_experts(fields: ConfigFields) -> FeedForward:
    """Count DeepSeek layers: the first ones dense, the others with routed and shared experts.

    Layers for multi-token prediction are left out: engines serve without them unless told to.
    """
    layers, experts = fields.count("num_hidden_layers"), fields.count("n_routed_experts")
    first, step = fields.count("first_k_dense_replace", 0, least=0), fields.count("moe_layer_freq", 1)
    sparse = sum(1 for layer in range(layers) if layer >= first and layer % step == 0)
    expert = gated(fields, "moe_intermediate_size")
    router = (fields.count("hidden_size") + 1) * experts
    shared = fields.count("n_shared_experts", 0, least=0)
    return FeedForward(
        always=sparse * (router + shared * expert) + (layers - sparse) * gated(fields, "intermediate_size"),
        dense_layers=layers - sparse,
        inner=fields.count("intermediate_size"),
        expert_inner=fields.count("moe_intermediate_size"),
        shared_inner=shared * fields.count("moe_intermediate_size"),
        experts=experts,
        experts_per_token=_used(fields, experts),
        expert_parameters=sparse * expert,
    )


def gated(fields: ConfigFields, width: str) -> int:
    """Return the weights of one gated feed-forward block: three matrices of hidden_size by the key `width`."""
    return 3 * fields.count("hidden_size") * fields.count(width)


def _used(fields: ConfigFields, experts: int) -> int:
    used = fields.count("num_experts_per_tok")
    if used > experts:
        raise InputError("num_experts_per_tok exceeds the experts there are", where=fields.where, value=used)
    return used
