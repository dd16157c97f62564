"""Where a config.json keeps its language model."""

from typing import Any

import pytest

from fleettui.errors import InputError
from fleettui.hardware.config_fields import ConfigFields
from fleettui.hardware.text_config import ARCHITECTURES, DEFAULTS, text_fields

KNOWN = ("LlamaForCausalLM", "Llama4ForCausalLM", "Qwen3NextForCausalLM", "DeepseekV3ForCausalLM")


def read(values: dict[str, Any]) -> ConfigFields:
    return text_fields(ConfigFields(values, "c.json"), KNOWN)


def test_a_file_without_a_wrapper_is_itself() -> None:
    fields = read({"architectures": ["LlamaForCausalLM"], "hidden_size": 8, "text_config": None})
    assert (fields.where, fields.architecture(), fields.count("hidden_size")) == ("c.json", "LlamaForCausalLM", 8)


def test_a_wrapped_models_keys_come_first_and_its_towers_count_for_nothing() -> None:
    fields = read(
        {
            "architectures": ["LlavaForConditionalGeneration"],
            "hidden_size": 1,
            "tie_word_embeddings": True,
            "quantization_config": {"quant_method": "fp8"},
            "vision_config": {"hidden_size": 2},
            "text_config": {"model_type": "llama", "hidden_size": 8, "tie_word_embeddings": None},
        }
    )
    assert (fields.architecture(), fields.count("hidden_size")) == ("LlamaForCausalLM", 8)
    assert fields.flag("tie_word_embeddings", default=False) is True
    assert fields.quantization() == "fp8"
    assert "vision_config" not in fields.values


def test_a_model_is_known_by_its_own_architecture_or_its_type() -> None:
    outer = {"architectures": ["KimiK25ForConditionalGeneration"]}
    by_type = read({**outer, "text_config": {"model_type": "kimi_k2"}})
    by_name = read({**outer, "text_config": {"model_type": "new", "architectures": ["DeepseekV3ForCausalLM"]}})
    assert by_type.architecture() == by_name.architecture() == "DeepseekV3ForCausalLM"


def test_a_missing_key_of_a_wrapped_model_is_told_with_its_place() -> None:
    fields = read({"architectures": ["X"], "text_config": {"model_type": "llama"}})
    with pytest.raises(InputError, match=r"c.json \[text_config\]: key hidden_size is missing"):
        fields.count("hidden_size")


def test_what_transformers_takes_for_granted_is_filled_in() -> None:
    fields = read({"architectures": ["Llama4ForConditionalGeneration"], "text_config": {"model_type": "llama4_text"}})
    assert fields.count("no_rope_layer_interval") == 4
    assert set(DEFAULTS) <= set(ARCHITECTURES.values())


@pytest.mark.parametrize("value", ["llama", 3, ["a"]])
def test_a_wrapper_that_is_no_object_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="text_config is no object"):
        read({"architectures": ["LlamaForCausalLM"], "text_config": value})


def test_of_an_unknown_architecture_the_nearest_are_told_and_where_all_are() -> None:
    """Seen: a refusal that listed all 17."""
    with pytest.raises(InputError, match=r"c.json: unknown architecture \(got 'MambaForCausalLM'\)") as caught:
        read({"architectures": ["MambaForCausalLM"]})
    near = "LlamaForCausalLM, Llama4ForCausalLM, Qwen3NextForCausalLM"
    assert f"accepted: {near} and others; fleettui model list shows them" in str(caught.value)
    with pytest.raises(InputError, match=r"c.json \[text_config\]: unknown architecture \(got 'Inner'\)"):
        read({"architectures": ["Outer"], "text_config": {"architectures": ["Inner"]}})
