from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.tui.prompt_values import (
    MEASURED,
    REPLICA,
    Replica,
    check_known,
    existing,
    needed,
    read_measured,
    read_replica,
    several,
    write_replica,
)
from fleettui.tui.question_draft import Draft
from tests.store import samples


def test_words_and_files_that_are_there(tmp_path: Path) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b c.csv"
    for file in (first, second):
        file.write_text("x")
    assert needed("  last ") == "last"
    assert existing(f" {first} ") == str(first)
    assert several(f"{first} '{second}'") == [str(first), str(second)]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "a word is needed"),
        ("none.csv", "no such file"),
        ("'a.csv", "these are no paths"),
        ("~nobody-x/a.csv", "cannot be used"),
        ("x" * 300, "cannot be used"),
    ],
)
def test_what_is_no_list_of_files_is_refused(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        several(text)


def test_files_of_runs_and_what_they_do_not_say(tmp_path: Path) -> None:
    first, second = tmp_path / "bench.json", tmp_path / "b c.csv"
    for file in (first, second):
        file.write_text("x")
    found = read_measured(f"{first} gpu=H100 '{second}' tp=4")
    assert found.paths == (str(first), str(second))
    assert (found.setup.gpu, found.setup.tp, found.setup.model, found.name) == ("h100", 4, None, None)
    assert read_measured(f"{first} name=prod").name == "prod"
    for text, what in (("gpu=h100", "no file is named"), (MEASURED, "no such file"), ("'a", "these are no paths")):
        with pytest.raises(InputError, match=what):
            read_measured(text)


def test_a_replica() -> None:
    assert read_replica(REPLICA) == Replica(gpu="h100", model="llama-3.1-70b", dtype="fp8", kv_dtype=None, tp=4)
    assert read_replica("h200 qwen3-32b fp8 kv fp8 tp 4").kv_dtype == "fp8"
    spread = read_replica("h200 gpt-oss-120b tp 4 ep")
    assert (spread.dtype, spread.tp, spread.expert_parallel) == ("mxfp4", 4, True)
    assert read_replica("H200 qwen3-32b") == Replica(gpu="h200", model="qwen3-32b", dtype="bf16", kv_dtype=None, tp=1)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "a word is needed"),
        ("h100", "this line is empty"),
        ("h1000 qwen3-32b", "unknown GPU"),
        ("h100 qwen9", "unknown model"),
        ("h100 qwen3-32b tp 4,8", "unknown word"),
    ],
)
def test_what_is_no_replica_is_refused(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        read_replica(text)


def test_the_questions_own_replica_reads_back() -> None:
    draft = Draft().set({"model": "qwen3-32b", "dtype": "fp8", "tp": "4,8", "gpu": "h200,h100"})
    assert read_replica(write_replica(draft)) == Replica(
        gpu="h200", model="qwen3-32b", dtype="fp8", kv_dtype=None, tp=4
    )
    assert read_replica(write_replica(draft.set({"kv-dtype": "fp8"}))).kv_dtype == "fp8"
    assert read_replica(write_replica(draft.set({"expert-parallel": "true"}))).expert_parallel
    assert read_replica(write_replica(Draft())).tp == 8


def test_the_replica_of_a_pool_reads_back() -> None:
    best = samples.answer().answer
    assert best is not None
    pool = replace(best.fleet.pools[0], gpu="h200", model="gpt-oss-120b", dtype="mxfp4", tp=2, expert_parallel=True)
    found = read_replica(write_replica(Draft(), replace(pool, kv_dtype="fp8")))
    assert found == Replica(gpu="h200", model="gpt-oss-120b", dtype="mxfp4", kv_dtype="fp8", tp=2, expert_parallel=True)
    assert write_replica(Draft(), replace(pool, gpu="mine")) == write_replica(Draft())


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"gpu": "a100,xyz"}, "xyz"),
        ({"model": "qwen"}, "qwen"),
        ({"workload": "60/s"}, "there is no such workload or file"),
    ],
)
def test_a_name_that_nothing_has_is_refused_at_once(texts: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_known(texts)


def test_known_names_and_files_pass(tmp_path: Path) -> None:
    check_known({"gpu": "h100, a100", "model": "llama-3.1-8b", "workload": "azure-2023-conv", "rate": "1/s"})
    check_known({"workload": str(tmp_path), "gpu": "", "model": ""})
