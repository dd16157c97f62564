"""What the tab key makes of a line: words, files and folders, and what is still meant."""

from pathlib import Path

import pytest

from fleettui.tui.completion import SHOWN, complete, words_of, words_of_keys
from fleettui.tui.modals.ask import LINES, Ask


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a few files, in which the program runs."""
    for name in ("trace-may.csv", "trace-june.csv", ".hidden.csv"):
        (tmp_path / name).touch()
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "one.csv").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "text", "others"),
    [
        ("tra", "trace", ("trace-june.csv", "trace-may.csv", "traces/")),
        ("trace-m", "trace-may.csv", ()),
        ("traces/", "traces/one.csv", ()),
        ("./traces", "./traces/", ()),
        ("azure-cod", "azure-code", ()),
        (".h", ".hidden.csv", ()),
        ("a.csv trace-j", "a.csv trace-june.csv", ()),
    ],
)
@pytest.mark.usefixtures("here")
def test_words_and_files_are_completed_as_far_as_one_can_be_meant(
    typed: str, text: str, others: tuple[str, ...]
) -> None:
    found = complete(typed, ("azure-code", "azure-conv"))
    assert found is not None
    assert (found.text, found.others) == (text, others)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("typed", ["zzz", "trace-may.csv", "/no/such/folder/x", "~nobody-of-this-name/x"])
def test_what_is_whole_or_meant_by_nothing_stays(typed: str) -> None:
    assert complete(typed, ("azure-code",)) is None


def test_many_words_are_counted() -> None:
    found = complete("w", [f"word-{number}" for number in range(SHOWN + 3)], files=False)
    assert found is not None
    assert found.text == "word-"
    assert found.told.endswith("  and 3 more")


def test_every_line_of_a_question_has_its_words() -> None:
    assert all(map(words_of, LINES[:-1]))
    assert "azure-2023-conv" in words_of("workload")
    assert words_of("anything else") == ()


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("conf", "confidence="),
        ("budget=40/h whole", "budget=40/h whole-nodes="),
        ("price=mi300", "price=mi300x"),
        ("price=mi300x=2,l40", "price=mi300x=2,l40s"),
        ("slo-t", None),
        ("budget=", "budget="),
    ],
)
def test_in_the_line_of_further_keys_these_are_completed_and_gpus_behind_them(typed: str, text: str | None) -> None:
    found = complete(typed, words_of_keys(Ask.ALSO.keys, typed), files=False)
    assert (None if found is None else found.text) == text
