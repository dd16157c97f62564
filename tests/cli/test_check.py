"""A question that is checked every night: it holds, until its price, its SLO or its trace is another."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.cli import main
from store import Store
from tests.planning.simulated import trace
from tests.test_house import BLOCKS

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


@pytest.mark.evidence
def test_it_holds_night_after_night_and_each_is_kept(night: Night) -> None:
    for _ in range(2):
        code, out = night.check()
        assert code == 0
        assert out.startswith("~holds at nominal speed against ")
        assert "why" not in out
    with Store.open() as store:
        first, *_, kept = rows = store.plans(limit=5)
        assert [row.name for row in rows] == ["", "", "chat"]
        assert first.parent == kept.id
        assert f"fleettui diff {kept.handle} {first.handle}" in out


@pytest.mark.thorough
def test_a_dearer_price(night: Night) -> None:
    night.write(more="price: h100=9\n")
    code, out = night.check()
    assert code == 3
    assert out.startswith("NO LONGER HOLDS against ")
    assert "it costs $" in out.splitlines()[1]
    assert "what changed:\n- price: h100 $2.95/h catalogue -> h100 $9.00/h typed" in out
    night.write(more="price: h100=1\n")
    code, out = night.check()
    assert code == 0
    assert "it holds although:\n- price: h100 $2.95/h catalogue -> h100 $1.00/h typed" in out


@pytest.mark.evidence
def test_a_tighter_slo(night: Night) -> None:
    night.write(ttft="100ms")
    code, out = night.check()
    assert code == 3
    assert "slo-ttft: 0.3s -> 0.1s" in out
    assert "needs more GPUs" in out or "INFEASIBLE" in out


@pytest.mark.evidence
def test_a_trace_with_other_lengths(night: Night) -> None:
    rows = [json.loads(line) for line in night.trace.read_text().splitlines()]
    night.trace.write_text("".join(json.dumps({**row, "output_tokens": 400}) + "\n" for row in rows))
    code, out = night.check()
    assert code == 3
    assert "- it needs more GPUs: " in out
    assert "has other lengths or arrivals: digest" in " ".join(out.split())


@pytest.mark.evidence
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
    assert "--max-cost: cost needs a unit (got '80')" in refused(run("check", str(night.file), "--max-cost", "80"))
    joint = tmp_path / "joint.yaml"
    joint.write_text("workloads:\n- name: a\n  workload: azure-2023-conv\n  slo-ttft: 1s\n")
    assert "several workloads" in refused(run("check", str(joint), "--against", "chat"))
    with Store.open() as store:
        assert store.count() == 1


PIPELINE = next(block for block in BLOCKS if "actions/checkout" in block)


def pipeline(**values: str) -> list[str]:
    """Return the arguments of README's check in a pipeline, its files replaced by `values`."""
    (line,) = [one for one in PIPELINE.splitlines() if "fleettui check" in one]
    words = shlex.split(line.partition("fleettui ")[2].partition(">>")[0])
    return [values.get(word.partition(".")[0], word) for word in words]


@pytest.mark.evidence
def test_the_pipeline_of_readme_holds_a_plan_in_git_to_its_question(
    night: Night, run: Run, refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, junit = tmp_path / "plan.json", tmp_path / "fleet.xml"
    plan.write_text(run("show", "chat", "--json")[1])
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "container" / "plans.db"))
    steps = pipeline(question=str(night.file), plan=str(plan), fleet=str(junit))
    assert {"--against", str(plan), "--md", "--junit", str(junit)} <= set(steps)
    code, out, err = run(*steps)
    assert (code, err) == (0, f"written: {junit}\n")
    assert out.startswith("### fleettui check: holds at nominal speed against "), "it is simulated"
    assert 'failures="0"' in junit.read_text()
    night.write(more="price: h100=9\n")
    code, out, _ = run(*steps)
    assert code == 3
    assert "- price: h100 $2.95/h catalogue -> h100 $9.00/h typed" in out
    assert 'type="cost_above_baseline"' in junit.read_text()
    (found,) = json.loads(run(*steps, "--json")[1])["findings"]
    assert (found["code"], found["limit"] < found["value"], found["unit"]) == ("cost_above_baseline", True, "USD/h")
    assert "does not exist" in refused(run(*steps[:-1], str(tmp_path / "no" / "fleet.xml")))
    plan.write_text("{}")
    assert "this is no plan as data" in refused(run(*steps))


SCRIPT = """\
set -e
{python} -P -m fleettui check question.yaml --against "$1" --no-verify $2
echo "the fleet still holds"
"""
SCRIPT_QUESTION = (
    "workload: short.jsonl\nrate: 400/s\nslo-ttft: 300ms\ngpu: h100\ntp: 8\npools: 1\nprice: h100=2.95\nname: chat\n"
)


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    """Return what runs the script in its folder, with what was decided kept as the plan called chat."""
    trace(tmp_path)
    (tmp_path / "night.sh").write_text(SCRIPT.format(python=sys.executable))
    (tmp_path / "question.yaml").write_text(SCRIPT_QUESTION)
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "-f", "question.yaml", "--no-verify"]) == 0
    home = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}

    def run(against: str = "chat", options: str = "") -> tuple[int, str]:
        done = subprocess.run(
            ["sh", "night.sh", against, options],
            cwd=tmp_path,
            env=home,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.stderr == ""
        assert ("the fleet still holds" in done.stdout) == (done.returncode == 0)
        return done.returncode, " ".join(done.stdout.split())

    return run


@pytest.mark.evidence
def test_an_edit_stops_the_job_with_its_reason_until_it_is_undone(
    script: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    question = tmp_path / "question.yaml"
    asked = question.read_text()
    question.write_text(asked.replace("h100=2.95", "h100=3.95"))
    code, said = script()
    assert code == 3
    assert "NO LONGER HOLDS against " in said
    assert "more: $" in said
    assert said.count(" -> ") == 2
    assert "what changed: - price: h100 $2.95/h typed -> h100 $3.95/h typed" in said
    question.write_text(asked)
    code, said = script(options="--max-cost 100000/h")
    assert (code, "what changed:" in said) == (0, False)


def test_what_a_backtest_corrects_is_taken_in(night: Night, run: Run, halved: str) -> None:
    """Found: the check said --correct of a backtest that the plan had not taken in, and refused that option."""
    code, out, _ = run("check", str(night.file), "--no-verify", "--correct", halved, "--json")
    assert code in (0, 3)
    with Store.open() as store:
        assert store.question(json.loads(out)["plan"]["id"]).demand.rate == 41.65
