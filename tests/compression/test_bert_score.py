from pathlib import Path

import numpy as np
import pytest

from fleettui.compression.bert_score import BertScore
from fleettui.errors import InputError
from tests.compression.models import write_model

WHOLE = "The engine was repaired before the winter. A letter was lost. Nobody knows why it was sent at all."
LEFT = "The engine was repaired before the winter. Nobody knows why it was sent at all."


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> BertScore:
    return BertScore.of(write_model(tmp_path_factory.mktemp("models") / "small"))


def plainly(judge: BertScore, whole: str, left: str) -> float:
    """The score by its definition, token by token."""

    def vectors(text: str) -> list[np.ndarray]:
        found: list[np.ndarray] = []
        for start in range(0, len(text), 30):
            tokens = judge.tokenizer.encode(text[start : start + 30]).ids
            found += list(judge.encoder.embed(np.array(tokens))[1:-1])
        return [one / np.linalg.norm(one) for one in found]

    ours, theirs = vectors(whole), vectors(left)
    recall = np.mean([max(float(one @ other) for other in theirs) for one in ours])
    precision = np.mean([max(float(one @ other) for other in ours) for one in theirs])
    return float(2 * recall * precision / (recall + precision))


def test_the_score_is_that_of_its_definition_window_by_window(judge: BertScore) -> None:
    told: list[int] = []
    found = judge.f1(WHOLE, LEFT, lambda: told.append(1))
    assert found == pytest.approx(plainly(judge, WHOLE, LEFT), abs=1e-5)
    assert found < 1.0
    assert len(told) >= 7
    assert judge.name == "layer 1 of small"


def test_a_text_is_like_itself_and_unlike_nothing(judge: BertScore) -> None:
    def none() -> None:
        """Nobody is told."""

    assert judge.f1(WHOLE, WHOLE, none) == pytest.approx(1.0)
    assert judge.f1(WHOLE, "zzzz", none) < judge.f1(WHOLE, LEFT, none)
    assert (judge.f1(WHOLE, "", none), judge.f1("", "", none)) == (0.0, 1.0)


def test_a_folder_that_lacks_a_file_or_has_another_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lacks files .*model\.safetensors"):
        BertScore.of(tmp_path)
    folder = write_model(tmp_path)
    text = (folder / "tokenizer.json").read_text()
    (folder / "tokenizer.json").write_text(text.replace('"post_processor"', '"post"'))
    with pytest.raises(InputError, match="no tokenizer"):
        BertScore.of(folder)
