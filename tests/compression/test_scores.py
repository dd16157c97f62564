import numpy as np
import pytest

from fleettui.compression.scores import WordTable, novelty, position, scores, textrank, tfidf
from fleettui.domain.compressor_settings import Settings, Weights

WORDS = [["a", "b", "c"], ["a", "b"], ["d"], [], ["a", "c", "c"]]


def table_of(words: list[list[str]]) -> WordTable:
    return WordTable.of_texts([" ".join(own) for own in words])


def dense_ranks(words: list[list[str]], damping: float) -> np.ndarray:
    """TextRank by its definition, with the matrix of cosines."""
    names = sorted({word for own in words for word in own})
    counts = np.array([[own.count(name) for name in names] for own in words], float)
    rarity = np.log((1 + len(words)) / (1 + (counts > 0).sum(0))) + 1
    vectors = counts * rarity
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    edges = vectors @ vectors.T
    np.fill_diagonal(edges, 0.0)
    strength = edges.sum(0)
    passed = np.divide(edges, strength, out=np.zeros_like(edges), where=strength > 0)
    rank = np.full(len(words), 1 / len(words))
    for _ in range(500):
        rank = (1 - damping) / len(words) + damping * passed @ rank
    return np.asarray(rank / rank.sum())


def test_textrank_is_that_of_the_matrix_of_cosines() -> None:
    assert textrank(table_of(WORDS), 0.85) == pytest.approx(dense_ranks(WORDS, 0.85), abs=2e-4)


def test_each_score_says_what_it_is_called() -> None:
    table = table_of(WORDS)
    assert position(5).tolist() == [1.0, 0.5, 0.0, 0.5, 1.0]
    assert novelty(table).tolist() == [1.0, 0.0, 1.0, 0.0, 0.0]
    rare, common = tfidf(table_of([["rare"], ["the"], ["the"], ["the"]]))[:2]
    assert rare > 0
    assert common > 0
    assert tfidf(table)[3] == 0.0


@pytest.mark.parametrize("name", ["textrank", "position", "tfidf", "novelty"])
def test_a_weight_alone_ranks_by_its_score(name: str) -> None:
    none = dict.fromkeys(("textrank", "position", "tfidf", "novelty"), 0.0)
    found = scores(table_of(WORDS), Settings(weights=Weights(**{**none, name: 1.0})))
    assert found.max() == pytest.approx(1.0)
    assert found.min() >= 0.0


@pytest.mark.parametrize("words", [[[]], [["a"]], [[], []]])
def test_prompts_without_much_have_scores(words: list[list[str]]) -> None:
    assert np.isfinite(scores(table_of(words), Settings())).all()
