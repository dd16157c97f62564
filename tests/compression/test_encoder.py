import json
from pathlib import Path

import numpy as np
import pytest

from fleettui.compression.encoder import Encoder
from fleettui.errors import InputError
from tests.compression.models import CONFIG, tensors, write_model, write_tensors

TOKENS = np.array([0, 5, 7, 299, 42, 2])
BY_FLAX = {
    "roberta": [1.863111, -0.897438, 0.380051, -0.988201, -0.830385, 1.350686, -0.890174, 0.892097],
    "bert": [1.917412, -1.00727, 0.495103, -0.974087, -0.903967, 1.527486, -1.094236, 0.685367],
}
"""What transformers 4.46 (FlaxRobertaModel, FlaxBertModel) makes of the fourth token with the same weights."""


@pytest.mark.parametrize("kind", BY_FLAX)
@pytest.mark.parametrize("prefixed", [False, True])
def test_vectors_are_those_of_the_reference(tmp_path: Path, kind: str, prefixed: bool) -> None:
    encoder = Encoder.of(write_model(tmp_path, kind, prefix=f"{kind}." if prefixed else ""))
    found = encoder.embed(TOKENS)
    assert found.shape == (6, 16)
    np.testing.assert_allclose(found[3, :8], BY_FLAX[kind], atol=2e-6)


def test_fewer_layers_and_old_names_are_taken(tmp_path: Path) -> None:
    folder = write_model(tmp_path, "bert")
    old = {name.replace("LayerNorm.weight", "LayerNorm.gamma"): own for name, own in tensors(34, 2).items()}
    old = {name.replace("LayerNorm.bias", "LayerNorm.beta"): own for name, own in old.items()}
    new = Encoder.of(folder, 1).embed(TOKENS)
    write_tensors(folder / "model.safetensors", old)
    np.testing.assert_allclose(Encoder.of(folder, 1).embed(TOKENS), new, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(new[1, :4], [0.888466, -0.887597, -0.711006, 1.307498], atol=2e-6)


def test_positions_of_roberta_begin_behind_its_padding(tmp_path: Path) -> None:
    assert Encoder.of(write_model(tmp_path, "roberta")).window == 32
    assert Encoder.of(write_model(tmp_path, "bert")).window == 34


@pytest.mark.parametrize(
    "config",
    [
        "{",
        "[]",
        json.dumps(CONFIG),
        json.dumps(CONFIG | {"model_type": "gpt2", "max_position_embeddings": 34}),
        json.dumps(CONFIG | {"model_type": "bert", "max_position_embeddings": 34, "hidden_act": "relu"}),
        json.dumps(CONFIG | {"model_type": "roberta", "max_position_embeddings": 4}),
    ],
)
def test_what_is_no_encoder_is_refused(tmp_path: Path, config: str) -> None:
    folder = write_model(tmp_path)
    (folder / "config.json").write_text(config)
    with pytest.raises(InputError, match=r"config\.json"):
        Encoder.of(folder)


def test_a_token_that_the_model_does_not_know_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the tokenizer knows tokens that the model does not"):
        Encoder.of(write_model(tmp_path)).embed(np.array([0, 300, 2]))
