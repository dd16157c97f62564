import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.compression.compressor import Part, Prompt, compress
from fleettui.compression.fidelity import fidelity
from fleettui.compression.generate import GENRES, Genre, prompt
from fleettui.compression.tokens import ByteCounter, TokenCounter
from fleettui.domain.compressor_settings import Settings
from tests.repeated import few

COUNTER = ByteCounter()
FENCES = "```\nx = 1\n```\n"
TEXTS = st.one_of(
    st.text(st.characters(), max_size=400),
    st.builds(lambda word, times: word * times, st.text(st.characters(), min_size=1, max_size=8), st.integers(0, 300)),
    st.builds(lambda times: FENCES * times, st.integers(0, 20)),
    st.builds(lambda genre, seed: prompt(genre, 1500, seed).text, st.sampled_from(GENRES), st.integers(0, 999)),
)
PROMPTS = st.lists(st.builds(Part, TEXTS, st.booleans()), max_size=3).map(tuple)


class SeamCounter:
    """A tokenizer whose whole has more tokens than its parts: one at each seam between letters of two parts."""

    name = "seams"

    def count(self, text: str) -> int:
        return len(text.split(". "))

    def at_most(self, text: str) -> int:
        return 2 * self.count(text)

    def each(self, texts: Sequence[str]) -> list[float]:
        return [1.0 for _ in texts]


def holds(asked: Prompt, budget: int, counter: TokenCounter = COUNTER) -> None:
    """Check all that is promised of a prompt that is compressed."""
    found = compress(asked, budget, counter)
    assert list(found.kept) == sorted(set(found.kept))
    if found.reason is not None:
        assert len(found.kept) == len(found.pieces) == 1
        return
    assert counter.at_most(found.text) == found.tokens <= budget
    free = [place for place, piece in enumerate(found.pieces) if not piece.fixed]
    assert {*free[:3], *free[len(free) - 2 :]} <= set(found.kept) or len(free) < 2
    assert {place for place, piece in enumerate(found.pieces) if piece.fixed} <= set(found.kept)


@pytest.mark.thorough
@given(asked=PROMPTS, budget=st.integers(0, 500))
def test_no_prompt_is_over_its_budget_and_what_must_stay_stays_in_order(asked: Prompt, budget: int) -> None:
    holds(asked, budget)


def any_text(source: random.Random) -> str:
    """A text of any Unicode, one sentence without end, fences, lines of all kinds, or nothing."""
    kind = source.randrange(6)
    if kind == 0:
        planes = (0x80, 0x800, 0x10000, 0x110000)
        return "".join(chr(source.randrange(source.choice(planes))) for _ in range(source.randrange(300)))
    if kind == 1:
        return chr(source.randrange(0x3100)) * source.randrange(3000)
    if kind == 2:
        return "```\nx = 1\n```\n" * source.randrange(20)
    if kind == 3:
        return prompt(source.choice(GENRES), source.randrange(2500), source.randrange(10**6)).text
    if kind == 4:
        lines = [
            "{",
            '"a": 1,',
            "x | y | z",
            "def f(x):",
            "Some words. More!",
            "",
            "~~~",
            "2026-01-01 00:00 a",
            "\u2029",
        ]
        return "\n".join(source.choice(lines) for _ in range(source.randrange(60)))
    return "word " * source.randrange(800)


@pytest.mark.evidence
@pytest.mark.parametrize("seed", few(range(100), 1))
def test_a_hundred_thousand_prompts_are_never_over_budget(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(1000 if seed else 100):
        asked = tuple(Part(any_text(source), source.random() < 0.2) for _ in range(source.randrange(1, 4)))
        holds(asked, source.randrange(600))


@pytest.mark.evidence
@given(seed=st.integers(0, 999), budget=st.integers(0, 40))
def test_seams_between_sentences_are_counted(seed: int, budget: int) -> None:
    holds((Part(prompt("prose", 1500, seed).text),), budget, SeamCounter())


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("asked", "budget", "reason"),
    [
        ((), 10, None),
        ((Part(""),), 0, None),
        ((Part("A word."),), 0, "no room"),
        ((Part("word " * 10_000),), 500, "fixed parts"),
        ((Part(FENCES * 99),), 100, "code"),
        ((Part(FENCES * 99),), 100_000, None),
        ((Part("Rules. " * 99, True), Part(prompt("prose", 9000, 1).text)), 100, "fixed parts"),
    ],
)
def test_what_cannot_be_cut_is_kept_whole_with_the_reason(asked: Prompt, budget: int, reason: str | None) -> None:
    found = compress(asked, budget, COUNTER)
    assert (found.reason, found.text) == (reason, "".join(part.text for part in asked))


@pytest.mark.thorough
def test_a_system_message_and_fences_stay_in_a_prompt_that_is_cut() -> None:
    system, asked = "You are careful. You say little. You never guess. ", prompt("mixed", 12_000, 3).text
    found = compress((Part(system, True), Part(asked)), 2000, COUNTER)
    assert (found.reason, found.category) == (None, "mixed")
    assert found.text.startswith(system)
    assert found.text.count("```") == asked.count("```") > 0
    assert len(found.text) < len(system + asked)


@pytest.mark.thorough
def test_invariants_are_what_the_settings_say() -> None:
    text = prompt("prose", 8000, 2).text
    kept = compress((Part(text),), 300, COUNTER, Settings(first=0, last=6)).kept
    whole = len(compress((Part(text),), 300, COUNTER).pieces)
    assert {whole - 6 + place for place in range(6)} <= set(kept)


def subsequence(one: list[str], other: list[str]) -> int:
    """The length of the longest common subsequence, by its definition."""
    row = [0] * (len(other) + 1)
    for word in one:
        last = 0
        for place, found in enumerate(other, start=1):
            row[place], last = (last + 1 if word == found else max(row[place], row[place - 1])), row[place]
    return row[-1]


@pytest.mark.thorough
@given(seed=st.integers(0, 999), budget=st.integers(150, 380))
def test_rouge_l_recall_is_that_of_the_longest_common_subsequence(seed: int, budget: int) -> None:
    text = prompt("prose", 1800, seed).text
    found = compress((Part(text),), budget, COUNTER)
    whole, left = text.lower().replace(".", "").split(), found.text.lower().replace(".", "").split()
    assert fidelity(found).rouge_recall == pytest.approx(subsequence(whole, left) / len(whole))


@pytest.mark.thorough
@pytest.mark.parametrize(("genre", "share"), [("prose", 1.0), ("rag", 1.0), ("code", 0.0)])
def test_prose_and_passages_are_compressed_and_code_is_not(genre: Genre, share: float) -> None:
    """With a counter that knows: the margin of one by bytes takes as much again from every prompt."""
    counter, split, output = ByteCounter(margin=0.0), 1536, 128
    rate, found = 8000 / counter.count(prompt(genre, 8000, 1).text), []
    for seed in range(12):
        total = split * (1.02 + 0.04 * seed)
        text = prompt(genre, int((total - output) * rate), seed).text
        found.append((text, compress((Part(text),), split - output, counter)))
    assert sum(one.reason is None for _, one in found) / len(found) == share
    cuts = [1.0 - counter.count(one.text) / counter.count(text) for text, one in found]
    kept = [fidelity(one) for cut, (_, one) in zip(cuts, found, strict=True) if cut <= 0.3]
    assert len(kept) >= 8
    assert sum(one.cosine for one in kept) / len(kept) >= 0.95
    assert sum(one.rouge_recall for one in kept) / len(kept) >= 0.80
