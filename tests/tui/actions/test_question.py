"""Asking through the keys: a new question, an edit, a what-if, a file."""

import asyncio
import threading
from pathlib import Path

import pytest

from fleettui.domain.fleet import FleetSketch
from fleettui.domain.joint import JointQuestion
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.tui.actions.question import question_texts
from fleettui.tui.actions.run import simulate_file
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.ask import Ask
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.modals.question import Grid
from store import Store
from tests.store import samples
from tests.tui.driving import KEY, driven, lines, settle, text_of, told, typed, until


@pytest.mark.evidence
async def test_a_new_question_is_six_times_enter(app: FleetApp) -> None:
    async with driven(app) as pilot:
        before = app.state.draft.question()
        await pilot.press(KEY["plans"], "a")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press(*["enter"] * 6)
        await until(pilot, lambda: not isinstance(app.screen, Ask))
        await settle(pilot)
        assert app.seen == "fleet"
        asked = app.state.draft.question()
        assert (asked.workload, asked.demand, asked.gpus, asked.slo) == (
            *(before.workload, before.demand, before.gpus, before.slo),
        )
        assert (asked.verify, asked.step_law) == (before.verify, before.step_law), "the sixth line says them"
        assert app.state.draft.parent == ""
        assert "a new question, not planned" in lines(app)[2]
        await pilot.press("u")
        assert app.state.draft.question() == before


async def test_what_the_plan_before_was_asked_beside_is_not_dropped(app: FleetApp) -> None:
    """Seen: 90 % sure at a price of one's own before, and neither after, with "as before" beside every line."""
    async with driven(app) as pilot:
        app.state.edit({"confidence": "90%", "price": "h100=2.1"})
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert any("also    as before   " in line and "confidence=90%" in line for line in lines(app))
        await pilot.press("down", *"50/s", *["enter"] * 5)
        await until(pilot, lambda: not isinstance(app.screen, Ask))
        asked = app.state.draft.question()
        assert (asked.demand.rate, asked.confidence, asked.prices) == (50.0, 0.9, (("h100", 2.1),))


@pytest.mark.thorough
async def test_escape_leaves_without_a_question(app: FleetApp) -> None:
    async with driven(app) as pilot:
        before = app.state.draft
        for key in ("a", "e", "f", "o"):
            await pilot.press(key)
            await until(pilot, lambda: app.screen is not app.screen_stack[0])
            await pilot.press("escape")
            await settle(pilot)
        assert app.state.draft is before
        assert app.screen is app.screen_stack[0]


@pytest.mark.thorough
async def test_a_what_if_has_no_name_and_begins_with_the_rate(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await app.state.open_plan("proved")
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, Grid))
        assert isinstance(app.screen, Grid)
        assert app.screen.chosen == "rate"
        await pilot.press("enter")
        await typed(pilot, "50/s")
        await pilot.press("escape")
        assert app.state.draft.changed[:2] == ("rate", "users")
        assert app.state.draft.value("name") == ""
        assert app.state.shown is not None
        assert app.state.draft.parent == app.state.shown.plan


@pytest.mark.thorough
async def test_a_what_if_that_is_left_changes_nothing(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await app.state.open_plan("proved")
        before = app.state.draft
        assert before.value("name")
        for _ in range(2):
            await pilot.press("f")
            await until(pilot, lambda: isinstance(app.screen, Grid))
            await pilot.press("escape")
            await settle(pilot)
            assert app.state.draft is before
            assert not app.state.earlier


@pytest.mark.thorough
async def test_the_grid_plans(app: FleetApp) -> None:
    async with driven(app) as pilot:
        app.state.edit({"slo-ttft": ""})
        await pilot.press("e", "ctrl+r")
        await until(pilot, lambda: told(app))
        assert "no service level objective" in told(app)[0], "it is the app's own r"
        assert not isinstance(app.screen, Grid)


async def test_a_file_is_opened_by_what_it_is(app: FleetApp, trace: str, tmp_path: Path) -> None:
    file = tmp_path / "question.yaml"
    file.write_text("workload: mooncake\nslo-ttft: 2s\n")
    async with driven(app) as pilot:
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        await typed(pilot, str(file))
        await settle(pilot)
        assert app.seen == "fleet"
        assert app.state.draft.question().workload == "mooncake"
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        await typed(pilot, trace)
        await settle(pilot)
        assert app.seen == "workload"
        assert app.state.draft.value("workload") == trace
        assert app.state.draft.value("slo-ttft") == "2s"
        assert told(app) == []


async def test_a_file_that_does_not_read_leaves_the_question(app: FleetApp, tmp_path: Path) -> None:
    """Seen: a /metrics text became the workload of the question on screen."""
    file = tmp_path / "metrics.txt"
    file.write_text("# HELP vllm:num_requests_running Number of requests\n# TYPE vllm:num_requests_running gauge\n")
    async with driven(app) as pilot:
        before = app.state.draft
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        await typed(pilot, str(file))
        await until(pilot, lambda: any("from-metrics" in one for one in told(app)))
        assert app.state.draft == before


@pytest.mark.evidence
async def test_a_file_of_several_workloads_is_planned_together(
    app: FleetApp, trace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen: "unknown key workloads"."""
    asked: list[JointQuestion] = []

    async def make(kind: str, _: Store, *, report: object, pool: object, question: JointQuestion) -> Study:
        assert (kind, report is None, pool is None) == ("joint", False, False)
        asked.append(question)
        return samples.study(title="found")

    monkeypatch.setattr("fleettui.planning.studies.study_context.make", make)
    file = tmp_path / "five.yaml"
    entry = "  - name: {0}\n    workload: {1}\n    rate: 2/s\n    slo-ttft: 1s\n"
    file.write_text("gpu: h100\nworkloads:\n" + entry.format("chat", trace) + entry.format("code", "azure-2023-code"))
    async with driven(app) as pilot:
        await pilot.press("o")
        await typed(pilot, str(file))
        await until(pilot, lambda: isinstance(app.screen, Page))
    assert [entry.name for entry in asked[0].entries] == ["chat", "code"]


@pytest.mark.thorough
async def test_while_several_workloads_are_planned_no_other_answer_is_a_headline(
    app: FleetApp, trace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen: PASS of the shipped example stood there for as long as five models were searched."""
    ends = threading.Event()

    async def make(kind: str, _: Store, **__: object) -> Study:
        assert kind == "joint"
        await asyncio.to_thread(ends.wait)
        return samples.study(title="found")

    monkeypatch.setattr("fleettui.planning.studies.study_context.make", make)
    file = tmp_path / "two.yaml"
    entry = "  - name: {0}\n    workload: {1}\n    rate: 2/s\n    slo-ttft: 1s\n"
    file.write_text("gpu: h100\nworkloads:\n" + entry.format("chat", trace) + entry.format("code", "azure-2023-code"))
    async with driven(app) as pilot:
        await pilot.press(KEY["fleet"])
        await until(pilot, lambda: any("tp8 x" in line for line in lines(app)))
        await pilot.press("o")
        await typed(pilot, str(file))
        try:
            await until(pilot, lambda: any("over one stock, all at once" in line for line in lines(app)))
            assert not any("tp8 x" in line for line in lines(app))
            assert (
                text_of(app, "#fleet-question")
                == "question  chat 2/s + code 2/s\n          least cost; no shared limits"
            )
            assert "llama" not in lines(app)[0], "the header is of another question"
            assert "plan" in app.view.impossible()
            begun = [*app.state.thread.tasks]
            await pilot.press("r")  # seen: it planned the question before, which is not what is shown
            await until(pilot, lambda: any("is planned already" in words for words in told(app)))
            assert app.state.thread.tasks == begun
        finally:
            ends.set()
        await until(pilot, lambda: isinstance(app.screen, Page))
        assert app.state.joint is None


async def test_the_file_of_a_fleet_is_simulated(app: FleetApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    followed: list[str] = []
    monkeypatch.setattr(type(app.state), "follow", lambda _, title, kind, __: followed.append(f"{kind}: {title}"))
    file = tmp_path / "today.yaml"
    file.write_text("pools: [{gpu: h100, tp: 8, replicas: 6}]\n")
    async with driven(app) as pilot:
        await pilot.press("o")
        await typed(pilot, str(file))
        await until(pilot, lambda: followed)
    assert followed == ["simulate: simulate today.yaml llama-3.1-70b"]


async def test_a_fleets_file_is_simulated_under_the_question_that_is_shown(
    app: FleetApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question about qwen3-32b in fp8 was shown, and llama-3.1-70b ran in bf16."""
    asked: list[tuple[FleetSketch, Question, tuple[str, ...]]] = []

    async def simulate(sketch: FleetSketch, question: Question, *, differences: tuple[str, ...], **_: object) -> Answer:
        asked.append((sketch, question, differences))
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr("fleettui.planning.simulate.simulate", simulate)
    file, other = tmp_path / "today.yaml", tmp_path / "other.yaml"
    file.write_text("pools: [{gpu: h100, tp: 8, replicas: 6}]\n")
    other.write_text("pools: [{gpu: h100, tp: 8, replicas: 6, dtype: bf16}]\n")
    async with driven(app) as pilot:
        await settle(pilot)
        app.state.edit({"model": "qwen3-32b", "dtype": "fp8", "max-num-seqs": "128"})
        for number, path in enumerate((file, other), 1):
            await simulate_file(app, str(path))
            await until(pilot, lambda number=number: len(asked) == number)  # type: ignore[misc]
            await pilot.press("x")
    (sketch, question, differences), (_, another, told) = asked
    assert (question.model, question.dtype, sketch.pools[0].max_num_seqs) == ("qwen3-32b", "fp8", 128)
    assert (another.dtype, differences) == ("bf16", ())
    assert told[0].endswith("dtype bf16 (the question: fp8)")


@pytest.mark.parametrize("path", ["none.yaml", "~nobody-of-that-name/q.yaml", "folder.yaml", "latin.yaml"])
def test_a_question_file_that_cannot_be_read_is_refused(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "latin.yaml").write_bytes(b"name: \xe9\n")
    with pytest.raises(InputError, match=r"cannot be (read|used): |: this is no text") as caught:
        question_texts(path)
    assert path in str(caught.value)


def test_a_question_file_is_its_texts(tmp_path: Path) -> None:
    file = tmp_path / "question.yaml"
    file.write_text("workload: mooncake\nslo-ttft: 2s\n")
    assert question_texts(str(file)) == {"workload": "mooncake", "slo-ttft": "2s"}
