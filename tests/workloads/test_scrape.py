import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.workloads.measured import NAMES, PROMPT
from fleettui.workloads.scrape import Growth, Scrape, check_edges, growth, model_of, read_scrape
from tests.workloads.scrapes import Server, drawn, pair

MODEL = Server().model


def grown(before: str, after: str, seconds: float | None = 300.0) -> Growth:
    scrapes = [read_scrape(Path(path)) for path in (before, after)]
    return growth(scrapes[0], scrapes[1], model=MODEL, names=NAMES, seconds=seconds)


def test_what_counters_grew_by(tmp_path: Path) -> None:
    found = grown(*pair(tmp_path, requests=[(10, 3), (700, 20)]))
    assert found.counted[f"{PROMPT}_count", None] == 2
    assert found.counted[f"{PROMPT}_sum", None] == 710
    assert (found.counted[f"{PROMPT}_bucket", 500.0], found.counted[f"{PROMPT}_bucket", 1000.0]) == (1, 2)
    assert found.counter("vllm:prefix_cache_queries") == 710
    assert found.counter("vllm:gpu_prefix_cache_queries") is None
    assert (found.before["vllm:num_requests_running"], found.after["vllm:num_requests_running"]) == (58, 64)


def test_engines_are_added_up_and_one_may_be_new(tmp_path: Path) -> None:
    before, after = pair(tmp_path, requests=[(10, 3)])
    other = Server(engine="1")
    other.serve([(20, 4)])
    Path(after).write_text(Path(after).read_text() + other.text())
    assert grown(before, after).counted[f"{PROMPT}_sum", None] == 30


def test_times_of_the_samples_are_taken_unless_others_are_said(tmp_path: Path) -> None:
    server = Server()
    before = server.write(tmp_path / "before.txt", at=1_790_000_000.25)
    server.serve([(10, 3)])
    after = server.write(tmp_path / "after.txt", at=1_790_000_060.75)
    assert grown(before, after, None).seconds == 60.5
    assert grown(before, after, 61.0).seconds == 61.0
    server.write(tmp_path / "after.txt", at=1_790_000_000.25)
    with pytest.raises(InputError, match="not later"):
        grown(before, after, None)


def test_without_times_the_time_between_is_asked_for_and_that_of_the_files_is_no_evidence(tmp_path: Path) -> None:
    before, after = pair(tmp_path)
    os.utime(before, (1_000, 1_000))
    with pytest.raises(InputError, match="--between 5min"):
        grown(before, after, None)


def test_a_gzipped_scrape_is_read(tmp_path: Path) -> None:
    before, after = pair(tmp_path)
    Path(after).write_bytes(gzip.compress(Path(after).read_bytes()))
    assert grown(before, after).counted[f"{PROMPT}_count", None] == 3000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<!DOCTYPE html><html><body>Not found</body></html>", "no whole Prometheus text"),
        ('{"status": "success", "data": {}}', "no whole Prometheus text"),
        ("vllm:request_prompt_tokens_bucket{le=", "no whole Prometheus text"),
        ('vllm:request_prompt_tokens_bucket{le="one"} 1', "no whole Prometheus text"),
        (f"vllm:num_requests_running 58.0 {'9' * 400}", "no whole Prometheus text"),
        (f"vllm:num_requests_running {'9' * 400}\nvllm:num_requests_running 1.5", "no whole Prometheus text"),
        ("# TYPE go_threads gauge\ngo_threads 7\n", "no metrics of vLLM"),
        ("", "no metrics of vLLM"),
        ("\0\xff", "is not text"),
    ],
)
def test_other_texts_are_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=said):
        read_scrape(path)


def test_no_file_is_refused_with_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="curl -s"):
        read_scrape(tmp_path / "none.txt")


def _swap(text: str) -> str:
    return text.replace('le="500.0"', 'le="600.0"')


def _born(at: float) -> Callable[[str], str]:
    return lambda text: f"process_start_time_seconds {at}\n{text}"


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (_born(1e9), _born(2e9), "process started at another time"),
        (str, lambda text: text.replace(f"{PROMPT}_sum", "vllm:other_sum"), "a counter is gone"),
        (lambda _: Server(requests=drawn(9000)).text(), str, "a counter went from"),
        (
            lambda text: f'{text}{PROMPT}_created{{engine="0",model_name="{MODEL}"}} 1e9\n',
            lambda text: f'{text}{PROMPT}_created{{engine="0",model_name="{MODEL}"}} 2e9\n',
            "created at another time",
        ),
        (str, lambda text: text.replace("running{", "running{x="), "no whole"),
    ],
)
def test_a_server_that_was_restarted_is_refused(
    first: Callable[[str], str], second: Callable[[str], str], said: str, tmp_path: Path
) -> None:
    paths = pair(tmp_path)
    for path, change in zip(paths, (first, second), strict=True):
        Path(path).write_text(change(Path(path).read_text()))
    with pytest.raises(InputError, match=said):
        grown(*paths)


def test_scrapes_in_the_wrong_order_are_refused(tmp_path: Path) -> None:
    before, after = pair(tmp_path)
    with pytest.raises(InputError, match="turn the two around"):
        grown(after, before)


def test_a_sample_that_is_no_number_is_refused(tmp_path: Path) -> None:
    before, after = pair(tmp_path)
    labels = f'num_requests_running{{engine="0",model_name="{MODEL}"}} '
    Path(after).write_text(Path(after).read_text().replace(f"{labels}64.0", f"{labels}NaN"))
    with pytest.raises(InputError, match="num_requests_running: a sample is no number"):
        grown(before, after)


def test_other_buckets_are_refused(tmp_path: Path) -> None:
    before, after = pair(tmp_path)
    Path(after).write_text(_swap(Path(after).read_text()))
    with pytest.raises(InputError, match=f"{PROMPT} differ, at 500, 600"):
        check_edges([read_scrape(Path(path)) for path in (before, after)], MODEL, PROMPT)


def _of_models(tmp_path: Path, *models: str) -> Scrape:
    path = tmp_path / "models.txt"
    path.write_text("".join(Server(model=model).text() for model in models))
    return read_scrape(path)


def test_one_of_several_models_must_be_named(tmp_path: Path) -> None:
    assert model_of([_of_models(tmp_path, "a")], PROMPT, None) == "a"
    both = [_of_models(tmp_path, "qwen3-8b", "qwen3-32b")]
    assert model_of(both, PROMPT, "qwen3-32b") == "qwen3-32b"
    with pytest.raises(InputError, match="add --model-name qwen3-32b"):
        model_of(both, PROMPT, None)
    with pytest.raises(InputError, match="did you mean qwen3-32b"):
        model_of(both, PROMPT, "qwen3-32")
    with pytest.raises(InputError, match="there is no vllm:else"):
        model_of(both, "vllm:else", None)
