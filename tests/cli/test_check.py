"""A question that is checked every night: it holds, until its price, its SLO or its trace is another."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from store import Store
from tests.planning.simulated import trace

Run = Callable[..., tuple[int, str, str]]
QUESTION = "workload: {trace}\nrate: 400/s\nslo-ttft: {ttft}\ngpu: h100\ntp: 8\npools: 1\nname: chat\n"


class Night:
    """A question file beside its trace, and the check of it against what was decided."""

    def __init__(self, folder: Path, run: Run) -> None:
        self.file, self.trace, self._run = folder / "question.yaml", Path(trace(folder)), run
        self.write()

    def write(self, ttft: str = "300ms", more: str = "") -> None:
        """Write the question."""
        self.file.write_text(QUESTION.format(trace=self.trace, ttft=ttft) + more)

    def check(self, *options: str) -> tuple[int, str]:
        """Check it by formula against the plan called chat."""
        code, out, err = self._run("check", str(self.file), "--against", "chat", "--no-verify", *options)
        assert err == ""
        assert max(map(len, out.splitlines())) <= 80
        return code, out


@pytest.fixture
def night(tmp_path: Path, run: Run) -> Night:
    found = Night(tmp_path, run)
    assert run("plan", "-f", str(found.file), "--no-verify")[0] == 0
    return found


def test_it_holds_night_after_night_and_each_is_kept(night: Night) -> None:
    for _ in range(2):
        code, out = night.check()
        assert code == 0
        assert out.startswith("holds against ")
        assert "why" not in out
    with Store.open() as store:
        first, *_, kept = rows = store.plans(limit=5)
        assert [row.name for row in rows] == ["", "", "chat"]
        assert first.parent == kept.id
        assert f"fleettui diff {kept.handle} {first.handle}" in out


def test_a_dearer_price(night: Night) -> None:
    night.write(more="price: h100=9\n")
    code, out = night.check()
    assert code == 3
    assert out.startswith("NO LONGER HOLDS against ")
    assert "it costs $" in out.splitlines()[1]
    assert "why:\n- price: none -> h100=9" in out
    night.write(more="price: h100=1\n")
    code, out = night.check()
    assert code == 0
    assert "it holds although:\n- price: none -> h100=1" in out


def test_a_tighter_slo(night: Night) -> None:
    night.write(ttft="100ms")
    code, out = night.check()
    assert code == 3
    assert "slo-ttft: 0.3s -> 0.1s" in out
    assert "needs more GPUs" in out or "INFEASIBLE" in out


def test_a_trace_with_other_lengths(night: Night) -> None:
    rows = [json.loads(line) for line in night.trace.read_text().splitlines()]
    night.trace.write_text("".join(json.dumps({**row, "output_tokens": 400}) + "\n" for row in rows))
    code, out = night.check()
    assert code == 3
    assert "- it needs more GPUs: " in out
    assert "has other lengths or arrivals: digest" in " ".join(out.split())


def test_a_maximum_and_the_same_as_data(night: Night, run: Run) -> None:
    assert night.check("--max-cost", "1000000/h")[0] == 0
    code, out = night.check("--max-cost", "1/h")
    assert code == 3
    assert out.startswith("DOES NOT HOLD\n- it costs $")
    assert "above the maximum of $1.00/h" in " ".join(out.split())
    assert "the program does" not in out
    code, out, _ = run("check", str(night.file), "--no-verify", "--json")
    found = json.loads(out)
    assert (code, found["holds"], found["against"], found["answer"]["method"]) == (0, True, None, "formula")


def test_what_cannot_be_checked_is_refused_before_any_work(
    night: Night, run: Run, refused: Callable[..., str], tmp_path: Path
) -> None:
    assert "nosuch" in refused(run("check", str(night.file), "--against", "nosuch"))
    assert "--max-cost" in refused(run("check", str(night.file), "--max-cost", "80"))
    joint = tmp_path / "joint.yaml"
    joint.write_text("workloads:\n- name: a\n  workload: azure-2023-conv\n  slo-ttft: 1s\n")
    assert "several workloads" in refused(run("check", str(joint), "--against", "chat"))
    with Store.open() as store:
        assert store.count() == 1
