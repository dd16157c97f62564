"""The number format of published weights: read, or refused in words."""

from typing import Any

import pytest

from fleettui.errors import InputError
from fleettui.hardware.config_fields import ConfigFields
from fleettui.hardware.quantization import native_cache, native_dtype


def fields(config: object) -> ConfigFields:
    return ConfigFields({"quantization_config": config}, "c.json")


def grouped(*weights: object, activations: object = None) -> dict[str, Any]:
    groups = {
        f"group_{index}": {"targets": ["Linear"], "weights": one, "input_activations": activations}
        for index, one in enumerate(weights)
    }
    return {"quant_method": "compressed-tensors", "config_groups": groups}


FLOAT8, INT4, INT8 = {"num_bits": 8, "type": "float"}, {"num_bits": 4, "type": "int"}, {"num_bits": 8, "type": "int"}
FLOAT4 = {"num_bits": 4, "type": "float", "group_size": 16}


@pytest.mark.parametrize(
    ("config", "dtype"),
    [
        (None, "bf16"),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8-block"),
        ({"quant_method": "fbgemm_fp8"}, "fp8"),
        (grouped(FLOAT8), "fp8"),
        (grouped(FLOAT8, FLOAT8), "fp8"),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, "fp8"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
        ({"quant_method": "modelopt_fp4", "quant_algo": "NVFP4"}, "nvfp4"),
        ({"quant_method": "modelopt", "quant_algo": "W4A16_AWQ"}, "int4"),
        ({"quant_method": "mxfp4"}, "mxfp4"),
        ({"quant_method": "awq"}, "int4"),
        ({"quant_method": "awq", "bits": 4}, "int4"),
        ({"quant_method": "awq", "w_bit": 4}, "int4"),
        ({"quant_method": "gptq", "bits": 4}, "int4"),
        ({"quant_method": "gptq", "bits": 8}, "int8"),
        (grouped(INT4), "int4"),
        (grouped(INT8), "int8"),
        (grouped(FLOAT4, activations=FLOAT4), "nvfp4"),
    ],
)
def test_formats_that_are_read(config: object, dtype: str) -> None:
    assert native_dtype(fields(config)) == dtype


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"quant_method": "awq", "bits": 8}, "'awq: 8 bits'"),
        ({"quant_method": "gptq", "bits": 3}, "'gptq: 3 bits'"),
        (grouped(INT8, activations=INT8), "'compressed-tensors: 8-bit int'"),
        (grouped(INT4, activations=FLOAT8), "'compressed-tensors: 4-bit int'"),
        (grouped(FLOAT4), "'compressed-tensors: 4-bit float alone'"),
        (
            grouped(FLOAT4 | {"group_size": 32}, activations=FLOAT4),
            "'compressed-tensors: 4-bit float in groups of 32'",
        ),
        (grouped(FLOAT8, INT4), "'compressed-tensors: 8-bit float, 4-bit int alone'"),
        ({"quant_method": "compressed-tensors"}, "'compressed-tensors: no config_groups'"),
        ({"quant_method": "modelopt", "quant_algo": "W4A8_AWQ"}, "'modelopt: W4A8_AWQ'"),
        ({"quant_method": "bitsandbytes"}, "'bitsandbytes'"),
    ],
)
def test_formats_that_are_not_modelled_are_refused_in_words(config: object, told: str) -> None:
    with pytest.raises(InputError, match="not modelled") as caught:
        native_dtype(fields(config))
    assert f"c.json: weights are quantized with a method that is not modelled (got {told})" in str(caught.value)
    assert "without quantization" in str(caught.value)


@pytest.mark.parametrize("weights", [None, "int4", 4])
def test_a_group_without_weights_is_refused_by_name(weights: object) -> None:
    with pytest.raises(InputError, match=r"quantization_config\.config_groups\.group_0 says nothing of the weights"):
        native_dtype(fields(grouped(weights)))


@pytest.mark.parametrize(
    ("said", "cache"),
    [
        ({}, None),
        ({"kv_cache_scheme": None}, None),
        ({"kv_cache_scheme": {"num_bits": 8, "type": "float", "strategy": "tensor"}}, "fp8"),
        ({"kv_cache_quant_algo": "FP8"}, "fp8"),
    ],
)
def test_the_cache_that_published_weights_ask_for(said: dict[str, Any], cache: str | None) -> None:
    assert native_cache(fields({"quant_method": "fp8", **said})) == cache
    assert native_cache(fields(None)) is None


@pytest.mark.parametrize(
    "said", [{"kv_cache_scheme": {"num_bits": 8, "type": "int"}}, {"kv_cache_quant_algo": "NVFP4"}]
)
def test_a_cache_that_is_not_modelled_is_refused(said: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="the cache is quantized in a way that is not modelled"):
        native_cache(fields({"quant_method": "fp8", **said}))
