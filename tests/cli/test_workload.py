import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workloads.scrapes import pair

Run = Callable[..., tuple[int, str, str]]
ROWS = "\n".join(
    f"2023-11-16 18:{number // 60:02d}:{number % 60:02d}.0000000,{100 + number},{10 + number % 7}"
    for number in range(300)
)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Return a small trace in the format of the Azure inference traces."""
    file = tmp_path / "trace.csv"
    file.write_text(f"TIMESTAMP,ContextTokens,GeneratedTokens\n{ROWS}\n", "utf-8")
    return file


def test_the_shipped_workloads(run: Run) -> None:
    code, out, err = run("workload", "list")
    assert (code, err) == (0, "")
    assert "azure-2023-conv" in out
    assert max(map(len, out.splitlines())) <= 80
    assert any(
        one["name"] == "azure-2023-conv" for one in json.loads(run("workload", "list", "--json")[1])["workloads"]
    )


def test_one_shipped_workload_names_its_licence(run: Run) -> None:
    code, out, _ = run("workload", "show", "azure-2023-conv")
    assert code == 0
    assert "CC-BY-4.0" in out


def test_a_trace_becomes_a_distribution_that_shows_again(run: Run, trace: Path, tmp_path: Path) -> None:
    target = tmp_path / "built.json"
    code, out, err = run(
        "workload", "build", str(trace), "-o", str(target), "--source", "a test", "--licence", "CC0-1.0"
    )
    assert (code, err) == (0, f"written: {target}\n")
    assert out.startswith("built\n")
    code, shown, _ = run("workload", "show", str(target), "--json")
    workload = json.loads(shown)["workload"]
    assert (code, workload["name"], workload["origin"]["licence"]) == (0, "built", "CC0-1.0")


def test_nothing_is_written_over_and_nothing_half(
    run: Run, refused: Callable[..., str], trace: Path, tmp_path: Path
) -> None:
    target = tmp_path / "built.json"
    target.write_text("mine", "utf-8")
    assert "add --force" in refused(run("workload", "build", str(trace), "-o", str(target)))
    trace.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00,-5,3\n", "utf-8")
    refused(run("workload", "build", str(trace), "-o", str(tmp_path / "other.json")))
    assert target.read_text("utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["built.json", "trace.csv"]


def test_bad_input_is_refused(run: Run, refused: Callable[..., str], trace: Path, tmp_path: Path) -> None:
    assert "azure-2023-conv" in refused(run("workload", "show", "azure-2023-con"))
    assert "--slices: duration needs a unit" in refused(
        run("workload", "build", str(trace), "-o", str(tmp_path / "x.json"), "--slices", "5")
    )
    assert "--output-share" in refused(run("workload", "show", "azure-2023-conv", "--output-share", "2"))


@pytest.mark.evidence
def test_two_scrapes_become_a_workload_that_plans(run: Run, tmp_path: Path) -> None:
    target = str(tmp_path / "live.json")
    code, out, err = run("workload", "from-metrics", *pair(tmp_path), "--between", "5min", "-o", target)
    assert (code, err) == (0, f"written: {target}\n")
    assert f"fleettui plan {target} --rate 10/s --model llama-3.1-70b --prefix-hit 25%" in out
    words = shlex.split(next(line for line in out.splitlines() if line.startswith("  fleettui plan ")))[1:]
    code, planned, _ = run(*words, "--gpu", "h100", "--no-verify")
    assert (code, "10 requests/s" in planned) == (0, True)


def test_what_was_measured_as_data(run: Run, tmp_path: Path) -> None:
    target = str(tmp_path / "live.json")
    command = (
        "workload",
        "from-metrics",
        *pair(tmp_path),
        "--between",
        "300s",
        "-o",
        target,
        "--name",
        "May",
        "--json",
    )
    found = json.loads(run(*command)[1])
    assert found["measured"]["workload"]["name"] == "May"
    assert {"name", "value", "low", "high", "metric"} == set(found["measured"]["seen"][0])
    assert len(found["next"]) == 2


def test_scrapes_that_show_nothing_write_nothing(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    before, after = pair(tmp_path)
    target = tmp_path / "live.json"
    assert "add --between 5min" in refused(run("workload", "from-metrics", before, after, "-o", str(target)))
    command = ("workload", "from-metrics", "--between", "5min", "-o", str(target))
    assert "turn the two around" in refused(run(*command, after, before))
    assert "no request finished" in refused(run(*command, before, before))
    assert "come in pairs" in refused(run(*command, before))
    assert not target.exists()
