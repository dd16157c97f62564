import math
import random
from pathlib import Path

import numpy as np
import pytest

from fleettui.domain.measured import Measured, Seen
from fleettui.errors import InputError
from fleettui.workloads import library
from fleettui.workloads.atoms import integer_lengths
from fleettui.workloads.measured import measure
from tests.workloads.scrapes import Server, drawn, pair

REQUESTS = drawn(3000)


def seen(measured: Measured) -> dict[str, Seen]:
    return {one.name: one for one in measured.seen}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measure(pair(tmp_path_factory.mktemp("scrapes")), name="chat", between=300.0)


def test_the_workload_has_the_means_the_rate_and_the_count(measured: Measured) -> None:
    workload = measured.workload
    lengths = workload.slices[0].lengths
    for points, truth in ((lengths.prompt_cdf, 0), (lengths.output_cdf, 1)):
        tokens, shares = integer_lengths(points)
        assert float(tokens @ shares) == pytest.approx(math.fsum(one[truth] for one in REQUESTS) / 3000, rel=1e-9)
    assert (workload.name, lengths.kind, lengths.n_samples) == ("chat", "marginals", 3000)
    assert (workload.slices[0].rate, workload.arrivals.mean_rate, workload.arrivals.duration) == (10, 10, 300)
    assert workload.arrivals.timing == "none"
    assert "two scrapes of vLLM (meta-llama/Llama-3.1-70B-Instruct), 300 s apart" in workload.origin.source


def test_series_without_a_models_name_are_told(tmp_path: Path, measured: Measured) -> None:
    paths = pair(tmp_path)
    for path in paths:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write('vllm:num_requests_waiting{engine="0"} 3\nvllm:prefix_cache_hits_total 7\nother_total 1\n')
    found = measure(paths, name="chat", between=300.0).workload
    told = "without a model_name, so not counted: vllm:num_requests_waiting, vllm:prefix_cache_hits"
    assert found.notes == (*measured.workload.notes, told)


def test_it_stays_the_same_through_its_file(measured: Measured) -> None:
    assert library.parse(library.dump(measured.workload), "chat.json") == measured.workload


def test_what_was_seen_lies_in_its_bands(measured: Measured) -> None:
    """The truth of each percentile, of the same draws as the server's, lies between the edges."""
    server = Server()
    server.serve(REQUESTS)
    truth = {
        "prompt": [prompt for prompt, _ in REQUESTS],
        "output": [output for _, output in REQUESTS],
        "ttft": server.ttft,
        "tpot": server.tpot,
        "e2e": server.inference,
    }
    found = seen(measured)
    assert set(found) == {f"{item}.{figure}" for item in truth for figure in ("p50", "p99", "mean")} | {"running"}
    for item, values in truth.items():
        assert found[f"{item}.mean"].value == pytest.approx(float(np.mean(np.array(values))))
        for percent in (50, 99):
            one = found[f"{item}.p{percent}"]
            assert one.value is not None
            assert one.high is not None
            assert one.low <= np.percentile(np.array(values), percent, method="inverted_cdf") <= one.high
            assert one.low <= one.value <= one.high


def test_requests_that_ran_follow_from_their_time_in_service(measured: Measured) -> None:
    server = Server()
    server.serve(REQUESTS)
    running = seen(measured)["running"]
    assert running.value == pytest.approx(math.fsum(server.inference) / 300)
    assert (running.low, running.high) == (running.value, 64)


def test_an_old_server_tells_gaps_and_running_by_two_looks(tmp_path: Path) -> None:
    old = Server(old=True, cache="vllm:gpu_prefix_cache")
    found = measure(pair(tmp_path, old), name="x", between=300.0)
    assert "tpot.p50" not in seen(found)
    assert seen(found)["gap.p50"].metric == "vllm:time_per_output_token_seconds"
    assert seen(found)["running"] == Seen(name="running", value=61, low=58, high=64, metric="vllm:num_requests_running")
    assert found.prefix_hit == pytest.approx(0.25, rel=0.01)


def test_the_prefix_cache_hits_are_of_the_time_between(measured: Measured, tmp_path: Path) -> None:
    expected = sum(prompt // 4 for prompt, _ in REQUESTS) / sum(prompt for prompt, _ in REQUESTS)
    assert measured.prefix_hit == pytest.approx(expected)
    assert measure(pair(tmp_path, Server(cache=None)), name="x", between=300.0).prefix_hit is None


def test_servers_of_a_fleet_are_added_up(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    scrapes = (*pair(one, requests=[(100, 10)] * 300), *pair(two, requests=[(300, 30)] * 600))
    found = measure(scrapes, name="fleet", between=60.0)
    tokens, shares = integer_lengths(found.workload.slices[0].lengths.prompt_cdf)
    assert found.workload.arrivals.mean_rate == 15
    assert float(tokens @ shares) == pytest.approx(700 / 3)
    assert "each of 2 servers" in found.workload.origin.source
    assert seen(found)["running"].high == 128


def test_independence_is_an_assumption_that_is_written_down(tmp_path: Path) -> None:
    found = measure(pair(tmp_path), name="x", between=300.0, independent=True).workload
    table = np.array(found.slices[0].lengths.atoms)
    shares = table[:, 0] / table[:, 0].sum()
    assert found.slices[0].lengths.kind == "joint"
    assert found.slices[0].lengths.n_samples == 3000
    assert float(shares @ table[:, 1]) == pytest.approx(sum(prompt for prompt, _ in REQUESTS) / 3000)
    assert float(shares @ (table[:, 1] * table[:, 2])) == pytest.approx(
        float(shares @ table[:, 1]) * float(shares @ table[:, 2])
    )
    assert any("taken as independent" in note for note in found.notes)


def test_what_lies_above_the_buckets_is_bounded_and_said(tmp_path: Path) -> None:
    draws = random.Random(4)
    requests = [(draws.randint(5001, 8000) if draws.random() < 0.1 else 900, 50) for _ in range(1000)]
    found = measure(pair(tmp_path, Server(longest=8192), requests), name="x", between=300.0)
    above = sum(prompt > 5000 for prompt, _ in requests)
    assert f"{above} prompts above the last bucket edge, 5,000 tokens" in found.workload.notes[0]
    assert found.workload.slices[0].lengths.prompt_cdf[-1][0] <= 10_000
    assert seen(found)["prompt.p99"] == Seen(
        name="prompt.p99", value=None, low=5000, high=None, metric="vllm:request_prompt_tokens"
    )


def test_a_server_that_fills_up_is_told(tmp_path: Path) -> None:
    server = Server()
    before = server.write(tmp_path / "before.txt")
    server.serve(REQUESTS)
    server.waiting = 600
    after = server.write(tmp_path / "after.txt")
    assert any("600 more inside" in note for note in measure((before, after), name="x", between=9.0).workload.notes)


def test_no_traffic_and_single_scrapes_are_refused(tmp_path: Path) -> None:
    before, _ = pair(tmp_path)
    with pytest.raises(InputError, match="no request finished"):
        measure((before, before), name="x", between=300.0)
    with pytest.raises(InputError, match="pairs"):
        measure((before,), name="x", between=300.0)


def test_more_hits_than_queries_and_missing_buckets_are_refused(tmp_path: Path) -> None:
    before, after = pair(tmp_path)
    text = Path(after).read_text()
    hits = next(line for line in text.splitlines() if line.startswith("vllm:prefix_cache_hits"))
    Path(after).write_text(text.replace(hits, hits.rpartition(" ")[0] + " 1e12"))
    with pytest.raises(InputError, match="grew by more than"):
        measure((before, after), name="x", between=300.0)
    for path in (before, after):
        kept = [line for line in Path(path).read_text().splitlines() if "request_generation_tokens_bucket" not in line]
        Path(path).write_text("\n".join(kept))
    with pytest.raises(InputError, match="no buckets of vllm:request_generation_tokens"):
        measure((before, after), name="x", between=300.0)
