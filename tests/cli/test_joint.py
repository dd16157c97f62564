import asyncio
import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from store import Store

Run = Callable[..., tuple[int, str, str]]
FILE = """\
name: spring
gpu: h100
tp: 8
max-gpus: h100=%d
rate: 10/s
workloads:
  - name: chat
    class: interactive
    workload: azure-2023-conv
    slo-ttft: 500ms
  - name: nightly
    class: batch
    workload: arxiv-summarization
    slo-e2e: 5min
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "joint.db"))
    path = tmp_path / "question.yaml"
    path.write_text(FILE % 64)
    return path


@pytest.mark.evidence
def test_a_file_with_several_workloads_is_planned_whole_and_kept(run: Run, file: Path) -> None:
    code, out, err = run("plan", "-f", str(file), "--no-verify")
    assert (code, err) == (0, "")
    assert out.startswith("Joint plan spring: 2 workloads over one stock")
    assert "PASS by formula: " in out
    with Store.open(file.parent / "joint.db") as store:
        (study,) = store.studies()
        verdicts = [store.plan(f"spring/{name}").verdict for name in ("chat", "nightly")]
    assert f"study {study.handle}" in out
    assert verdicts == ["pass", "pass"]


@pytest.mark.thorough
def test_json_is_the_study_with_the_verdict_and_the_exit_code_says_it_too(run: Run, file: Path) -> None:
    code, out, _ = run("plan", "-f", str(file), "--no-verify", "--json")
    found = json.loads(out)
    assert (code, found["schema"], found["command"], found["verdict"]) == (0, 1, "plan", "pass")
    assert [row["name"] for row in found["tables"][0]["rows"]] == ["chat", "nightly"]
    code, out, _ = run("plan", "-f", str(file), "--no-verify", "--json", "--max-gpus", "h100=8")
    assert (code, json.loads(out)["verdict"]) == (3, "infeasible")


def test_an_infeasible_joint_plan_is_shown_with_its_verdict_and_code(run: Run, file: Path) -> None:
    assert run("plan", "-f", str(file), "--no-verify", "--max-gpus", "h100=8")[0] == 3
    with Store.open(file.parent / "joint.db") as store:
        (study,) = store.studies()
    assert run("show", study.handle)[0] == 3
    code, out, _ = run("show", study.handle, "--json")
    assert (code, json.loads(out)["verdict"]) == (3, "infeasible")


def test_an_interrupt_says_what_is_lost(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fleettui.planning.studies.study_context.make", stop)
    code, out, err = run("plan", "-f", str(file))
    assert (code, out) == (130, "")
    assert err == (
        "fleettui: interrupted; the joint plan is not kept, only plans of its workloads\n"
        "  do: fleettui list --archived shows these; the same command begins anew\n"
    ), "found: jobs were said to list what can be resumed"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("azure-2023-code",), "the question file lists its workloads"),
        (("--write-question",), "a file with several workloads is no one question"),
        (("--objective", "ttft"), "several workloads together have no single latency to minimize"),
    ],
)
def test_what_does_not_go_with_several_workloads_is_refused(
    run: Run, file: Path, options: tuple[str, ...], what: str
) -> None:
    code, out, err = run("plan", *options, "-f", str(file))
    assert (code, out) == (2, "")
    assert what in " ".join(err.split())
    assert not (file.parent / "joint.db").exists()


def test_bad_input_is_refused_with_its_line(run: Run, file: Path) -> None:
    file.write_text((FILE % 64).replace("slo-ttft", "slo-tfft"))
    code, out, err = run("plan", "-f", str(file))
    assert (code, out) == (2, "")
    assert "line 10: unknown key (got 'slo-tfft')" in " ".join(err.split())
    assert "did you mean slo-ttft?" in err


def test_an_interrupt_once_the_answer_is_known_leaves_out_what_stands_beside_it(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found: nothing after 300 s, of which the plan took half."""

    async def stop(*_: object) -> None:
        signal.raise_signal(signal.SIGTERM)
        await asyncio.sleep(9)

    monkeypatch.setattr("fleettui.planning.plan_together.surer_within", stop)
    code, out, err = run("plan", "-f", str(file), "--no-verify")
    assert (code, out.startswith("Joint plan spring: 2 workloads over one stock")) == (130, True)
    cut = "the joint plan is kept without what would be surer or change it: that was cut short\n"
    assert err == f"{cut}fleettui: interrupted\n"
    with Store.open(file.parent / "joint.db") as store:
        assert f"study {store.studies()[0].handle}" in out
