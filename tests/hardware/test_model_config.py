"""Models from config.json: published parameter counts, catalogue and disk alike, and unknown architectures."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.model_config import FAMILIES, read_model

PUBLISHED = {  # parameters, active parameters (embedding look-up left out), in units of 1e9
    "llama-3.1-8b": (8.03, 7.50),
    "llama-3.1-70b": (70.55, 69.5),
    "llama-3.1-405b": (405.85, 403.75),
    "qwen3-32b": (32.76, 31.98),
    "qwen3-235b-a22b": (235.1, 22.0),
    "deepseek-v3": (671.0, 37.0),
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


def test_an_unknown_architecture_lists_the_known(tmp_path: Path) -> None:
    path = write(tmp_path, MIXTRAL | {"architectures": ["MambaForCausalLM"]})
    with pytest.raises(InputError, match="unknown architecture") as caught:
        catalog.model(path)
    assert all(name in str(caught.value) for name in FAMILIES)
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


def test_a_quantization_that_is_not_modelled_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, MIXTRAL | {"quantization_config": {"quant_method": "awq"}})
    with pytest.raises(InputError, match=r"not modelled \(got 'awq'\)"):
        catalog.model(path)
