"""Weights counted from shapes, on shapes small enough to count by hand."""

from typing import Any

import pytest

from fleettui.errors import InputError
from fleettui.hardware.config_fields import ConfigFields
from fleettui.hardware.parameters import (
    deepseek_experts,
    dense,
    gated,
    gpt_oss_experts,
    grouped_attention,
    latent_attention,
    llama4_experts,
    mixtral_experts,
    qwen_experts,
    recurrent_attention,
)

TINY: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 8,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 16,
    "moe_intermediate_size": 4,
    "num_experts_per_tok": 2,
}


def fields(**changes: object) -> ConfigFields:
    return ConfigFields(TINY | changes, "tiny.json")


def test_grouped_queries() -> None:
    attention = grouped_attention(fields())
    assert attention.parameters == 8 * (4 + 2 + 2) * 2 + 4 * 2 * 8
    assert (attention.kv_heads, attention.head_dimension) == (2, 2)
    assert grouped_attention(fields(attention_bias=True)).parameters == attention.parameters + 16
    assert grouped_attention(fields(architectures=["Qwen3ForCausalLM"])).parameters == attention.parameters + 4
    assert grouped_attention(fields(head_dim=4)).parameters == 2 * attention.parameters
    assert grouped_attention(fields(num_key_value_heads=None)).kv_heads == 4


@pytest.mark.parametrize("change", [{"hidden_size": 9}, {"num_key_value_heads": 3}])
def test_heads_that_do_not_divide_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="no multiple"):
        grouped_attention(fields(**change))


def test_latent_attention_with_and_without_a_low_rank_query() -> None:
    shape: dict[str, Any] = {
        "kv_lora_rank": 3,
        "qk_rope_head_dim": 2,
        "qk_nope_head_dim": 4,
        "v_head_dim": 4,
    }
    key_value = 8 * (3 + 2) + 3 + 3 * 4 * (4 + 4)
    output = 4 * 4 * 8
    assert latent_attention(fields(**shape)).parameters == 8 * 4 * 6 + key_value + output
    low_rank = latent_attention(fields(**shape, q_lora_rank=5))
    assert low_rank.parameters == 8 * 5 + 5 + 5 * 4 * 6 + key_value + output
    assert low_rank.latent_dimension == 5


def test_dense_layers() -> None:
    assert gated(fields(), "intermediate_size") == 3 * 8 * 16
    assert dense(fields()).always == 3 * 3 * 8 * 16


def test_mixtral_layers() -> None:
    experts = mixtral_experts(fields(num_local_experts=4))
    assert (experts.always, experts.experts, experts.experts_per_token) == (3 * 8 * 4, 4, 2)
    assert experts.expert_parameters == 3 * 3 * 8 * 16


def test_qwen_layers_may_be_dense_or_have_a_shared_expert() -> None:
    sparse = qwen_experts(fields(num_experts=4))
    assert (sparse.always, sparse.expert_parameters) == (3 * 8 * 4, 3 * 3 * 8 * 4)
    mixed = qwen_experts(fields(num_experts=4, mlp_only_layers=[0]))
    assert (mixed.always, mixed.expert_parameters) == (2 * 8 * 4 + 3 * 8 * 16, 2 * 3 * 8 * 4)
    stepped = qwen_experts(fields(num_experts=4, decoder_sparse_step=3))
    assert stepped.expert_parameters == 3 * 8 * 4
    shared = qwen_experts(fields(num_experts=4, shared_expert_intermediate_size=5))
    assert shared.always == 3 * (8 * 4 + 3 * 8 * 5 + 8)


def test_llama_4_layers_are_sparse_every_nth() -> None:
    every = llama4_experts(fields(num_local_experts=4, num_experts_per_tok=1))
    assert (every.always, every.expert_parameters) == (3 * (8 * 4 + 3 * 8 * 16), 3 * 3 * 8 * 16)
    other = llama4_experts(
        fields(num_local_experts=4, num_experts_per_tok=1, interleave_moe_layer_step=2, intermediate_size_mlp=32)
    )
    assert (other.always, other.expert_parameters) == (8 * 4 + 3 * 8 * 16 + 2 * 3 * 8 * 32, 3 * 8 * 16)


def test_gpt_oss_has_biases_and_sinks() -> None:
    experts = gpt_oss_experts(fields(num_local_experts=4))
    assert (experts.always, experts.expert_parameters) == (3 * (8 * 4 + 4), 3 * (3 * 8 * 16 + 2 * 16 + 8))
    plain = grouped_attention(fields()).parameters
    found = grouped_attention(fields(architectures=["GptOssForCausalLM"], attention_bias=True))
    assert found.parameters == plain + (4 + 2 + 2) * 2 + 8 + 4


def test_a_gate_is_as_wide_as_the_queries() -> None:
    plain = grouped_attention(fields(architectures=["Qwen3ForCausalLM"])).parameters
    assert grouped_attention(fields(architectures=["Qwen3NextForCausalLM"])).parameters == plain + 4 * 2 * 8
    off = fields(architectures=["Qwen3NextForCausalLM"], attn_output_gate=False)
    assert grouped_attention(off).parameters == plain


def test_a_delta_network_by_hand() -> None:
    shape = {
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "linear_key_head_dim": 3,
        "linear_value_head_dim": 5,
    }
    found = recurrent_attention(fields(linear_conv_kernel_dim=4, **shape))
    keys, values = 2 * 3, 4 * 5
    mixed = 2 * keys + values
    assert found.parameters == 8 * (mixed + values + 4 + 4) + mixed * 4 + 4 + 4 + 5 + values * 8
    assert found.state_bytes == 4 * 4 * 3 * 5 + 2 * mixed * 3


def test_deepseek_layers_start_dense() -> None:
    experts = deepseek_experts(fields(n_routed_experts=4, n_shared_experts=1, first_k_dense_replace=1))
    assert experts.expert_parameters == 2 * 3 * 8 * 4
    assert experts.always == 2 * (9 * 4 + 3 * 8 * 4) + 3 * 8 * 16


def test_more_experts_a_token_than_there_are_is_refused() -> None:
    with pytest.raises(InputError, match="num_experts_per_tok"):
        mixtral_experts(fields(num_local_experts=1))
