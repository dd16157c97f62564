"""The state of the views, over a real thread and store: plans opened, questions edited, candidates looked at."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.plan import Answer, Candidate
from fleettui.errors import InputError
from fleettui.reports.question import also_line, five_lines
from fleettui.tui.state import AppState
from fleettui.tui.task import Task, Tools
from fleettui.tui.use_case_thread import UseCaseThread
from store import Store
from tests.tui.conftest import CONV

FORMULA = {
    **{"workload": "azure-2023-conv", "rate": "100/s", "slo-ttft": "500ms", "gpu": "h100", "tp": "8"},
    "verify": "false",
}
LINE = also_line.line_beside(five_lines.PHRASES)


async def ended(task: Task) -> Task:
    """Wait until a task is over, and tell its bug where it has one."""
    deadline = time.monotonic() + 20
    while task.alive:
        assert time.monotonic() < deadline, task.log
        await asyncio.sleep(0.01)
    return task


def counted(state: AppState) -> list[str]:
    """Return a list that grows with every change of the state."""
    seen: list[str] = []
    state.listeners.append(lambda: seen.append("changed"))
    return seen


async def test_the_newest_plan_is_opened_whole(state: AppState) -> None:
    seen = counted(state)
    state.together, state.today = {"demand": "20/s + 30/s"}, "16 h100"
    shown = await state.open_plan("last")
    assert (state.together, state.today) == ({}, ""), "a new question begins with that of the plan on screen"
    assert state.shown is shown
    assert seen == ["changed"]
    assert shown.row is not None
    assert shown.plan == shown.row.id == shown.answer.plan.id
    assert (shown.question, shown.finished, shown.label) == (CONV, True, "")
    assert shown.workload is not None
    assert shown.workload.name == "azure-2023-conv"
    assert shown.candidate == shown.answer.answer
    assert state.draft.question() == CONV
    assert state.draft.parent == shown.plan
    assert not state.edited


async def test_a_plan_that_is_not_there_changes_nothing(state: AppState) -> None:
    shown = await state.open_plan("last")
    state.edit({"budget": "60/h"})
    seen = counted(state)
    with pytest.raises(InputError):
        await state.open_plan("zzzz")
    assert (state.shown, state.draft.value("budget"), seen) == (shown, "60/h", [])


async def test_a_plan_whose_work_was_stopped_is_not_finished(state: AppState) -> None:
    shown = await state.open_plan("stopped")
    assert not shown.finished
    assert shown.answer.verdict == "unproven"
    assert shown.answer.answer is not None


async def test_the_example_is_no_plan_of_the_store(state: AppState) -> None:
    state.show_example()
    assert state.shown is not None
    assert (state.shown.row, state.shown.plan) == (None, "")
    assert state.shown.label.startswith("shipped example, computed with ")
    assert state.draft.question() == state.shown.question
    assert not state.edited


async def test_an_edit_is_a_step_that_can_be_taken_back(state: AppState) -> None:
    await state.open_plan("last")
    seen = counted(state)
    state.edit({"slo-ttft": "300ms"})
    state.edit({"users": "20000", "requests-per-user": "6/h"})
    assert state.edited
    assert (state.draft.value("rate"), state.draft.value("slo-ttft")) == ("", "300ms")
    assert state.undo()
    assert (state.draft.value("rate"), state.draft.value("slo-ttft")) == ("100/s", "300ms")
    assert state.undo()
    assert not state.edited
    assert not state.undo()
    assert len(seen) == 4


async def test_what_changes_nothing_is_no_step(state: AppState) -> None:
    await state.open_plan("last")
    seen = counted(state)
    state.edit({"slo-ttft": state.draft.value("slo-ttft")})
    with pytest.raises(InputError):
        state.edit({"slo-ttft": "fast"})
    assert seen == []
    assert not state.undo()


async def test_reading_the_plan_again_keeps_the_edit_and_another_plan_does_not(state: AppState) -> None:
    await state.open_plan("last")
    state.edit({"slo-ttft": "300ms"})
    await state.reload()
    assert state.draft.value("slo-ttft") == "300ms"
    assert state.undo()
    state.edit({"slo-ttft": "300ms"})
    await state.open_plan("proved")
    assert not state.edited
    assert not state.undo()


async def test_a_question_of_ones_own_begins_with_the_settings(thread: UseCaseThread) -> None:
    state = AppState(thread=thread, defaults=lambda: {"gpu": "a100", "rate": "5/s"})
    await state.open_plan("last")
    state.ask({"workload": "mooncake", "slo-tpot": "50ms", "users": "20", "requests-per-user": "6/h"})
    question = state.draft.question()
    assert (question.workload, question.gpus, question.slo.ttft) == ("mooncake", ("a100",), None)
    assert question.demand.form == "users"
    assert state.draft.parent == ""
    assert state.undo()
    assert state.draft.question() == CONV


async def test_a_candidate_is_looked_at_and_let_go(state: AppState) -> None:
    shown = await state.open_plan("last")
    other = shown.answer.candidates[3]
    await state.choose(other.candidate)
    assert state.shown is not None
    assert state.shown.chosen == other == state.shown.candidate
    await state.reload()
    assert state.shown.chosen == other
    assert shown.answer.answer is not None
    await state.choose(shown.answer.answer.candidate)
    assert state.shown.chosen is None
    await state.choose(other.candidate)
    await state.choose("")
    assert state.shown.chosen is None


def slowed(state: AppState, monkeypatch: pytest.MonkeyPatch) -> tuple[asyncio.Event, asyncio.Event]:
    """Let the next reading of the store wait; return what says that it is done, and what lets it go on."""
    read, begun, going = state.thread.read, asyncio.Event(), asyncio.Event()

    async def slow(look: Callable[[Store], Any]) -> Any:
        monkeypatch.undo()
        found = await read(look)
        begun.set()
        await going.wait()
        return found

    monkeypatch.setattr(state.thread, "read", slow)
    return begun, going


async def test_a_candidate_read_late_is_not_put_into_another_plan(
    state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = await state.open_plan("last")
    begun, going = slowed(state, monkeypatch)
    late = asyncio.create_task(state.choose(shown.answer.candidates[3].candidate))
    await begun.wait()
    other = await state.open_plan("proved")
    going.set()
    await late
    assert state.shown is other


async def test_the_candidate_wished_for_last_is_looked_at(state: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = await state.open_plan("last")
    begun, going = slowed(state, monkeypatch)
    late = asyncio.create_task(state.choose(shown.answer.candidates[3].candidate))
    await begun.wait()
    await state.choose("")
    going.set()
    await late
    assert state.shown is not None
    assert state.shown.chosen is None


@pytest.mark.parametrize("again", [True, False], ids=["read again", "opened"])
async def test_a_plan_read_late_does_not_replace_the_one_opened_last(
    state: AppState, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    await state.open_plan("last")
    begun, going = slowed(state, monkeypatch)
    late = asyncio.create_task(state.reload() if again else state.open_plan("stopped"))
    await begun.wait()
    other = await state.open_plan("proved")
    going.set()
    await late
    assert state.shown is other
    assert state.draft.question() == other.question


async def test_reading_again_leaves_the_candidate_in_view_all_the_time(state: AppState) -> None:
    shown = await state.open_plan("last")
    await state.choose(shown.answer.candidates[3].candidate)
    seen: list[Candidate | None] = []
    state.listeners.append(lambda: seen.append(None if state.shown is None else state.shown.chosen))
    await state.reload()
    assert seen == [shown.answer.candidates[3]]


def work_on(state: AppState, plan: str, kind: str) -> Task:
    """Follow work on a plan that is already kept."""

    async def work(tools: Tools) -> Answer:
        return tools.store.plan(plan)

    task = state.follow(f"{kind} it", kind, work)
    task.plan = plan
    return task


@pytest.mark.parametrize("kind", ["plan", "verify"])
async def test_work_does_not_take_the_screen_from_a_plan_opened_meanwhile(state: AppState, kind: str) -> None:
    first = await state.open_plan("last")
    task = work_on(state, first.plan, kind)
    other = await state.open_plan("proved")
    state.edit({"budget": "60/h"})
    await ended(task)
    await state.show_work(task)
    assert state.shown is other
    assert state.draft.value("budget") == "60/h"
    assert state.undo()


async def test_proof_of_another_plan_takes_no_edit_away(state: AppState) -> None:
    other = await state.open_plan("proved")
    shown = await state.open_plan("last")
    state.edit({"budget": "60/h"})
    task = await ended(work_on(state, other.plan, "verify"))
    await state.show_work(task)
    assert (state.shown, state.draft.value("budget")) == (shown, "60/h")
    state.undo()
    state.today = "16 h100"
    await state.show_work(task)
    assert state.shown is not None
    assert (state.shown.plan, state.today) == (other.plan, "")


async def test_a_candidate_of_the_example_is_looked_at_too(state: AppState) -> None:
    state.show_example()
    assert state.shown is not None
    answer = state.shown.answer
    assert answer.answer is not None
    other = next(one for one in answer.candidates if one.candidate != answer.answer.candidate)
    await state.choose(other.candidate)
    assert state.shown.chosen == other


async def test_a_workload_is_read_once(state: AppState, trace: str) -> None:
    found = await state.workload(trace)
    assert found.arrivals.mean_rate == pytest.approx(10.0, rel=0.2)
    Path(trace).unlink()
    assert await state.workload(trace) is found


async def test_a_file_that_is_no_workload_is_refused_and_read_again(
    state: AppState, trace: str, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,2\n")
    for source in (str(bad), str(tmp_path / "none.csv"), "no-such-name"):
        with pytest.raises(InputError):
            await state.workload(source)
    Path(trace).rename(tmp_path / "none.jsonl")
    with pytest.raises(InputError):
        await state.workload(trace)
    (tmp_path / "none.jsonl").rename(trace)
    assert await state.workload(trace)


@pytest.mark.evidence
async def test_a_question_is_planned_by_formula_and_kept(state: AppState) -> None:
    """The thread, the worker and the store are the program's own."""
    state.ask(FORMULA)
    seen = counted(state)
    task = state.plan()
    assert state.following is task
    assert seen == ["changed"]
    assert task.title == "plan azure-2023-conv llama-3.1-70b"
    await ended(task)
    assert (task.state, task.error) == ("done", None)
    assert task.answer is not None
    assert task.answer.verdict == "pass"
    row = await state.thread.read(lambda store: store.row("last"))
    assert row.id == task.plan == task.answer.plan.id
    assert (row.parent, row.method) == ("", "formula")
    assert [words for _, words in task.log][-1] == "done: pass"


@pytest.mark.thorough
async def test_an_edited_plan_is_the_parent_of_the_next(state: AppState) -> None:
    before = (await state.open_plan("last")).plan
    again = await ended(state.plan())
    state.edit({"slo-ttft": "400ms"})
    edited = await ended(state.plan())
    rows = await state.thread.read(lambda store: {row.id: row.parent for row in store.plans()})
    assert (rows[again.plan], rows[edited.plan]) == ("", before)


async def test_what_is_no_question_is_refused_before_any_work(state: AppState) -> None:
    state.ask({"rate": "5/s"})
    with pytest.raises(InputError, match="no workload is given"):
        state.plan()
    assert state.thread.tasks == []
    assert state.following is None


async def test_what_a_worker_refuses_fails_the_task_and_keeps_nothing(state: AppState) -> None:
    state.ask({**FORMULA, "gpu": "abacus"})
    task = await ended(state.plan())
    assert task.state == "failed"
    assert isinstance(task.error, InputError)
    assert await state.thread.read(lambda store: store.count()) == 3


async def test_stopped_work_goes_on_and_proof_is_added(state: AppState) -> None:
    """A stopped proof is taken up again; when it is done, the plan is finished."""
    shown = await state.open_plan("stopped")
    (job,) = await state.thread.read(lambda store: [job for job in store.jobs() if job.plan == shown.plan])
    assert job.state == "stopped"
    task = state.resume(job.id, job.title)
    deadline = time.monotonic() + 10
    while task.job is None:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
    assert state.task_of(shown.plan) is task
    await ended(task)
    assert (task.state, task.error) == ("done", None)
    assert state.task_of(shown.plan) is None
    await state.reload()
    assert state.shown is not None
    assert state.shown.finished
    assert state.shown.answer.verdict == "pass"
    best = state.shown.answer.answer
    assert best is not None
    assert best.evidence is not None
    assert best.evidence.method == "simulation"

    more = await ended(state.prove(best, 0.1))
    assert (more.kind, more.title, more.error) == ("verify", f"verify {best.handle}", None)
    proofs = await state.thread.read(lambda store: store.verifications(best.candidate))
    assert [one.precision for one in proofs] == [0.2, 0.1]
    assert proofs[1].replications >= proofs[0].replications


async def test_stopped_proof_of_a_finished_plan_can_be_resumed(state: AppState) -> None:
    shown = await state.open_plan("last")
    assert not state.is_stopped(shown)
    task = Task(title="verify 41a7", kind="verify", plan=shown.plan)
    state.thread.tasks.append(task)
    for ended_as, stopped in (("running", False), ("cancelled", True), ("failed", True), ("done", False)):
        task.state = ended_as  # type: ignore[assignment]
        assert state.is_stopped(shown) is stopped


async def test_a_job_is_told_to_stop_through_the_store(state: AppState, trace: str) -> None:
    state.ask({"workload": trace, "rate": "20/s", "slo-ttft": "200ms", "gpu": "h100", "tp": "8", "precision": "0.2%"})
    task = state.plan()
    deadline = time.monotonic() + 20
    while task.job is None:
        assert time.monotonic() < deadline, task.log
        await asyncio.sleep(0.01)
    await state.cancel(task)
    await ended(task)
    assert (task.state, task.error) == ("cancelled", None)
    assert "asked to stop" in [words for _, words in task.log]
    job, plan = task.job, task.plan
    assert await state.thread.read(lambda store: store.job(job.id).state) == "cancelled"
    assert not await state.thread.read(lambda store: store.is_finished(plan))


def test_nothing_is_looked_at_before_a_plan_is_shown(state: AppState) -> None:
    asyncio.run(state.choose("41a7"))
    asyncio.run(state.reload())
    assert state.shown is None


async def test_what_a_new_question_would_not_say_is_told_beside_it(state: AppState) -> None:
    """Seen: a plan of 90 % confidence at a typed price lay there, and a new question dropped both without a word."""
    await state.open_plan("last")
    assert {name for name in state.beside if name in LINE.keys} == {"step-law", "verify"}
    state.edit({"confidence": "90%", "price": "h100=2.1", "name": "mine", "slo-ttft": "1s"})
    said = {name: text for name, text in state.beside.items() if name in LINE.keys}
    assert said == {"step-law": "roofline", "price": "h100=2.1", "confidence": "90%", "verify": "false"}
    state.defaults = lambda: {"headroom": "10%", "budget": "60/h", "confidence": "90%"}
    assert {name: state.beside.get(name) for name in ("headroom", "budget", "confidence")} == {
        "headroom": "0%",
        "budget": "",
        "confidence": None,
    }
    state.show_example()
    assert state.beside == {}, "what the example leaves out is not the person's wish"
    state.edit({"budget": "40/h"})
    assert state.beside == {"budget": "40/h"}
