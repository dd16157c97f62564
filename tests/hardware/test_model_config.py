"""Models from config.json: published parameter counts, catalogue and disk alike, and unknown architectures."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.model_config import FAMILIES, GUESSED, read_model
from fleettui.hardware.text_config import NEAREST

PUBLISHED = {  # parameters, active parameters (embedding look-up left out), in units of 1e9
    "llama-3.1-8b": (8.03, 7.50),
    "llama-3.1-70b": (70.55, 69.5),
    "llama-3.1-405b": (405.85, 403.75),
    "qwen3-32b": (32.76, 31.98),
    "qwen3-235b-a22b": (235.1, 22.0),
    "deepseek-v3": (671.0, 37.0),
}
STATED = {  # parameters and active ones as published, in units of 1e9, and by whom
    "deepseek-v3": (671, 37, "arXiv 2412.19437"),
    "gemma-3-27b": (27.016, 27.016, "arXiv 2503.19786, table 1: 25,600 and 1,416 million; the vision tower is beside"),
    "glm-4.5": (355, 32, "arXiv 2508.06471"),
    "gpt-oss-120b": (116.83, 5.13, "model card, table 1"),
    "gpt-oss-20b": (20.91, 3.61, "model card, table 1"),
    "kimi-k2": (1026, 32, "tensors of the checkpoint; one trillion on the model card"),
    "llama-2-70b": (68.977, 68.977, "tensors of the checkpoint"),
    "llama-2-7b": (6.738, 6.738, "tensors of the checkpoint"),
    "llama-3.1-405b": (405.853, 405.853, "tensors of the checkpoint"),
    "llama-3.1-70b": (70.554, 70.554, "tensors of the checkpoint"),
    "llama-3.1-8b": (8.03, 8.03, "tensors of the checkpoint"),
    "llama-4-maverick": (401.584, 17.0, "tensors of the checkpoint, 0.872 of them the vision tower's; model card"),
    "llama-4-scout": (108.642, 17.0, "tensors of the checkpoint, 0.872 of them the vision tower's; model card"),
    "minimax-m2": (228.69, 10.0, "tensors of the checkpoint; model card"),
    "mistral-large": (122.61, 122.61, "tensors of the checkpoint"),
    "mixtral-8x7b": (46.703, 12.9, "tensors of the checkpoint; arXiv 2401.04088"),
    "qwen3-235b-a22b": (235, 22, "arXiv 2505.09388"),
    "qwen3-30b-a3b": (30.5, 3.3, "model card"),
    "qwen3-32b": (32.8, 32.8, "model card"),
    "qwen3.5-397b-a17b": (397, 17, "model card"),
}
MIXTRAL = {  # mistralai/Mixtral-8x7B-v0.1
    "architectures": ["MixtralForCausalLM"],
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "vocab_size": 32000,
    "max_position_embeddings": 32768,
}


def write(folder: Path, config: dict[str, Any]) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps(config), "utf-8")
    return str(path)


def catalogue_config(name: str) -> dict[str, Any]:
    text = catalog.folder("models").joinpath(f"{name}.toml").read_text("utf-8")
    config: dict[str, Any] = tomllib.loads(text)["config"]
    return config


@pytest.mark.parametrize("name", PUBLISHED)
def test_counted_parameters_are_the_published_ones(name: str) -> None:
    model = catalog.model(name)
    total, active = PUBLISHED[name]
    assert model.parameters / 1e9 == pytest.approx(total, rel=0.001)
    assert model.active_parameters / 1e9 == pytest.approx(active, rel=0.03)


@pytest.mark.parametrize("name", catalog.model_names())
def test_parameters_are_within_a_percent_of_what_is_published(name: str) -> None:
    """Active ones are counted without the embedding look-up, which some publishers count."""
    model = catalog.model(name)
    total, active, _ = STATED[name]
    assert model.parameters / 1e9 == pytest.approx(total, rel=0.01)
    assert model.active_parameters / 1e9 == pytest.approx(active, rel=0.08)


def test_there_are_the_models_that_people_ask_for() -> None:
    assert set(catalog.model_names()) >= set(STATED)
    assert len(catalog.model_names()) >= 18


def test_an_alias_is_the_model_itself() -> None:
    assert catalog.model_aliases()["deepseek-r1"] == "deepseek-v3"
    for alias, name in catalog.model_aliases().items():
        assert catalog.model(alias) == catalog.model(name)
        assert alias not in catalog.model_names()


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_config_on_disk_gives_the_same_model(name: str, tmp_path: Path) -> None:
    known = catalog.model(name)
    read = catalog.model(write(tmp_path, catalogue_config(name)))
    for field in ("parameters", "active_parameters", "layers", "kv_heads", "head_dimension", "experts", "context"):
        assert getattr(read, field) == getattr(known, field)
    assert read.name == tmp_path.name.lower()


def test_a_folder_stands_for_its_config_and_lends_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "Mixtral-8x7B"
    folder.mkdir()
    write(folder, MIXTRAL)
    model = catalog.model(str(folder))
    assert model.name == "mixtral-8x7b"
    assert model.parameters / 1e9 == pytest.approx(46.70, rel=0.001)
    assert model.active_parameters / 1e9 == pytest.approx(12.75, rel=0.003)


def test_latent_attention_caches_a_latent_and_the_rope_key() -> None:
    model = catalog.model("deepseek-v3")
    assert model.latent_dimension == 512 + 64
    assert model.head_dimension == (128 + 64 + 128) // 2
    assert model.native_dtype == "fp8"


@pytest.mark.parametrize(
    ("change", "parameters"),
    [
        ({"architectures": ["MistralForCausalLM"]}, 7.2417),  # mistralai/Mistral-7B-v0.1
        ({"tie_word_embeddings": True, "architectures": ["MistralForCausalLM"]}, 7.1107),
    ],
)
def test_a_dense_sibling_counts_embeddings_once_when_tied(
    change: dict[str, Any], parameters: float, tmp_path: Path
) -> None:
    model = read_model(Path(write(tmp_path, MIXTRAL | change)))
    assert model.parameters / 1e9 == pytest.approx(parameters, rel=0.001)
    assert model.experts == 0


def test_qwen2_has_biases_that_no_key_states(tmp_path: Path) -> None:
    qwen = {  # Qwen/Qwen2.5-7B, 7.6156e9 parameters
        "architectures": ["Qwen2ForCausalLM"],
        "hidden_size": 3584,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "intermediate_size": 18944,
        "vocab_size": 152064,
        "max_position_embeddings": 131072,
        "tie_word_embeddings": False,
    }
    assert read_model(Path(write(tmp_path, qwen))).parameters == 7_615_616_512


def test_an_unknown_architecture_is_refused_with_its_file(tmp_path: Path) -> None:
    path = write(tmp_path, MIXTRAL | {"architectures": ["MambaForCausalLM"]})
    with pytest.raises(InputError, match="unknown architecture") as caught:
        catalog.model(path)
    assert sum(name in str(caught.value) for name in FAMILIES) == NEAREST
    assert path in str(caught.value)


@pytest.mark.parametrize("path", ["./" + "a" * 5000, "a" * 5000 + "/config.json", "./a\0b/config.json", "./a\0b.json"])
def test_what_can_be_no_path_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="this is no path"):
        read_model(Path(path))


@pytest.mark.parametrize("key", [key for key in MIXTRAL if key != "num_key_value_heads"])
def test_a_missing_key_is_named(key: str, tmp_path: Path) -> None:
    path = write(tmp_path, {name: value for name, value in MIXTRAL.items() if name != key})
    with pytest.raises(InputError, match=key):
        catalog.model(path)


def test_a_wrapped_model_on_disk_is_the_language_model(tmp_path: Path) -> None:
    gemma = {  # google/gemma-3-27b-it, which leaves the vocabulary, the context and the pattern to defaults
        "architectures": ["Gemma3ForConditionalGeneration"],
        "text_config": {
            "model_type": "gemma3_text",
            "hidden_size": 5376,
            "num_hidden_layers": 62,
            "num_attention_heads": 32,
            "num_key_value_heads": 16,
            "head_dim": 128,
            "intermediate_size": 21504,
            "sliding_window": 1024,
        },
        "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27},
    }
    known, read = catalog.model("gemma-3-27b"), catalog.model(write(tmp_path, gemma))
    fields = ("parameters", "windowed_layers", "window", "context", "kv_heads", "architecture")
    assert [getattr(read, field) for field in fields] == [getattr(known, field) for field in fields]


def test_layers_without_a_cache_are_counted_as_such(tmp_path: Path) -> None:
    next80 = {  # Qwen/Qwen3-Next-80B-A3B-Instruct, 80e9 parameters of which 3e9 are active
        "architectures": ["Qwen3NextForCausalLM"],
        "hidden_size": 2048,
        "num_hidden_layers": 48,
        "num_attention_heads": 16,
        "num_key_value_heads": 2,
        "head_dim": 256,
        "full_attention_interval": 4,
        "linear_conv_kernel_dim": 4,
        "linear_key_head_dim": 128,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 32,
        "linear_value_head_dim": 128,
        "moe_intermediate_size": 512,
        "shared_expert_intermediate_size": 512,
        "num_experts": 512,
        "num_experts_per_tok": 10,
        "vocab_size": 151936,
        "max_position_embeddings": 262144,
        "tie_word_embeddings": False,
    }
    model = catalog.model(write(tmp_path, next80))
    assert model.parameters / 1e9 == pytest.approx(80, rel=0.01)
    assert (model.layers, model.recurrent_layers, model.windowed_layers) == (48, 36, 0)
    assert model.state_bytes == 36 * (4 * 32 * 128 * 128 + 2 * 8192 * 3)


@pytest.mark.parametrize("missing", [{}, {"num_key_value_heads": None}])
def test_heads_that_are_taken_to_be_cached_are_said_to_be(missing: dict[str, None], tmp_path: Path) -> None:
    config = catalogue_config("llama-3.1-8b")
    said = catalog.model(write(tmp_path, config))
    del config["num_key_value_heads"]
    model = catalog.model(write(tmp_path, config | missing))
    assert (said.kv_heads, model.kv_heads) == (8, 32)
    assert GUESSED not in {one.field for one in said.citations}
    (told,) = (one for one in model.citations if one.field == GUESSED)
    assert told.source == "no num_key_value_heads in config.json: all 32 heads are cached; say if fewer"
    assert told.confidence == "low"


def test_latent_attention_takes_no_heads_for_granted(tmp_path: Path) -> None:
    config = catalogue_config("deepseek-v3")
    config.pop("num_key_value_heads", None)
    assert GUESSED not in {one.field for one in catalog.model(write(tmp_path, config)).citations}
