"""A real shell script that a job runs every night: it goes on while the fleet holds, and stops otherwise."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.cli import main
from tests.planning.simulated import trace

SCRIPT = """\
set -e
{python} -P -m fleettui check question.yaml --against "$1" --no-verify $2
echo "the fleet still holds"
"""
QUESTION = (
    "workload: short.jsonl\nrate: 400/s\nslo-ttft: 300ms\ngpu: h100\ntp: 8\npools: 1\nprice: h100=2.95\nname: chat\n"
)
Night = Callable[..., tuple[int, str]]


@pytest.fixture
def night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Night:
    """Return what runs the script in its folder, with what was decided kept as the plan called chat."""
    trace(tmp_path)
    (tmp_path / "night.sh").write_text(SCRIPT.format(python=sys.executable))
    (tmp_path / "question.yaml").write_text(QUESTION)
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "-f", "question.yaml", "--no-verify"]) == 0
    home = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}

    def run(against: str = "chat", options: str = "") -> tuple[int, str]:
        done = subprocess.run(
            ["sh", "night.sh", against, options], cwd=tmp_path, env=home, capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
        assert ("the fleet still holds" in done.stdout) == (done.returncode == 0)
        return done.returncode, " ".join(done.stdout.split())

    return run


def test_edits_stop_the_job_with_their_reason_until_they_are_undone(night: Night, tmp_path: Path) -> None:
    question, lengths = tmp_path / "question.yaml", tmp_path / "short.jsonl"
    asked, recorded = question.read_text(), lengths.read_text()
    code, said = night(options="--max-cost 100000/h")
    assert (code, "why:" in said) == (0, False)

    question.write_text(asked.replace("h100=2.95", "h100=3.95"))
    code, said = night()
    assert code == 3
    assert "NO LONGER HOLDS against " in said
    assert "more: $" in said
    assert said.count(" -> ") == 2
    assert "why: - price: h100=2.95 -> h100=3.95" in said

    question.write_text(asked.replace("300ms", "120ms"))
    code, said = night()
    assert code == 3
    assert "why: - slo-ttft: 0.3s -> 0.12s" in said

    question.write_text(asked)
    rows = [json.loads(line) for line in recorded.splitlines()]
    lengths.write_text("".join(json.dumps({**row, "output_tokens": 400}) + "\n" for row in rows))
    code, said = night()
    assert code == 3
    assert "it needs more GPUs: " in said
    assert "short.jsonl has other lengths or arrivals: digest " in said

    lengths.write_text(recorded)
    code, said = night(options="--max-cost 1/h")
    assert code == 3
    assert "above the maximum of $1.00/h" in said
    assert "why:" not in said

    code, said = night()
    assert (code, "why:" in said) == (0, False)
