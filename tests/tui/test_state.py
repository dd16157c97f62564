"""What lies on the desk, over a real thread and store: plans opened, questions edited, candidates looked at."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.plan import Answer, Candidate
from fleettui.errors import InputError
from fleettui.tui.state import Desk
from fleettui.tui.use_case_thread import Task, Tools, UseCaseThread
from store import Store
from tests.tui.conftest import CONV

FORMULA = {
    **{"workload": "azure-2023-conv", "rate": "100/s", "slo-ttft": "500ms", "gpu": "h100", "tp": "8"},
    "verify": "false",
}


async def ended(task: Task) -> Task:
    """Wait until a task is over, and tell its bug where it has one."""
    deadline = time.monotonic() + 20
    while task.alive:
        assert time.monotonic() < deadline, task.log
        await asyncio.sleep(0.01)
    return task


def counted(desk: Desk) -> list[str]:
    """Return a list that grows with every change of the desk."""
    seen: list[str] = []
    desk.listeners.append(lambda: seen.append("changed"))
    return seen


async def test_the_newest_plan_is_opened_whole(desk: Desk) -> None:
    seen = counted(desk)
    shown = await desk.open_plan("last")
    assert desk.shown is shown
    assert seen == ["changed"]
    assert shown.row is not None
    assert shown.plan == shown.row.id == shown.answer.plan.id
    assert (shown.question, shown.finished, shown.label) == (CONV, True, "")
    assert shown.workload is not None
    assert shown.workload.name == "azure-2023-conv"
    assert shown.candidate == shown.answer.answer
    assert desk.draft.question() == CONV
    assert desk.draft.parent == shown.plan
    assert not desk.edited


async def test_a_plan_that_is_not_there_changes_nothing(desk: Desk) -> None:
    shown = await desk.open_plan("last")
    desk.edit({"budget": "60/h"})
    seen = counted(desk)
    with pytest.raises(InputError):
        await desk.open_plan("zzzz")
    assert (desk.shown, desk.draft.value("budget"), seen) == (shown, "60/h", [])


async def test_a_plan_whose_work_was_stopped_is_not_finished(desk: Desk) -> None:
    shown = await desk.open_plan("stopped")
    assert not shown.finished
    assert shown.answer.verdict == "unproven"
    assert shown.answer.answer is not None


async def test_the_example_is_no_plan_of_the_store(desk: Desk) -> None:
    desk.show_example()
    assert desk.shown is not None
    assert (desk.shown.row, desk.shown.plan) == (None, "")
    assert desk.shown.label.startswith("shipped example, computed with ")
    assert desk.draft.question() == desk.shown.question
    assert not desk.edited


async def test_an_edit_is_a_step_that_can_be_taken_back(desk: Desk) -> None:
    await desk.open_plan("last")
    seen = counted(desk)
    desk.edit({"slo-ttft": "300ms"})
    desk.edit({"users": "20000", "requests-per-user": "6/h"})
    assert desk.edited
    assert (desk.draft.value("rate"), desk.draft.value("slo-ttft")) == ("", "300ms")
    assert desk.undo()
    assert (desk.draft.value("rate"), desk.draft.value("slo-ttft")) == ("100/s", "300ms")
    assert desk.undo()
    assert not desk.edited
    assert not desk.undo()
    assert len(seen) == 4


async def test_what_changes_nothing_is_no_step(desk: Desk) -> None:
    await desk.open_plan("last")
    seen = counted(desk)
    desk.edit({"slo-ttft": desk.draft.value("slo-ttft")})
    with pytest.raises(InputError):
        desk.edit({"slo-ttft": "fast"})
    assert seen == []
    assert not desk.undo()


async def test_reading_the_plan_again_keeps_the_edit_and_another_plan_does_not(desk: Desk) -> None:
    await desk.open_plan("last")
    desk.edit({"slo-ttft": "300ms"})
    await desk.reload()
    assert desk.draft.value("slo-ttft") == "300ms"
    assert desk.undo()
    desk.edit({"slo-ttft": "300ms"})
    await desk.open_plan("proved")
    assert not desk.edited
    assert not desk.undo()


async def test_a_question_of_ones_own_begins_with_the_settings(thread: UseCaseThread) -> None:
    desk = Desk(thread=thread, defaults={"gpu": "a100", "rate": "5/s"})
    await desk.open_plan("last")
    desk.ask({"workload": "mooncake", "slo-tpot": "50ms", "users": "20", "requests-per-user": "6/h"})
    question = desk.draft.question()
    assert (question.workload, question.gpus, question.slo.ttft) == ("mooncake", ("a100",), None)
    assert question.demand.form == "users"
    assert desk.draft.parent == ""
    assert desk.undo()
    assert desk.draft.question() == CONV


async def test_a_candidate_is_looked_at_and_let_go(desk: Desk) -> None:
    shown = await desk.open_plan("last")
    other = shown.answer.candidates[3]
    await desk.choose(other.candidate)
    assert desk.shown is not None
    assert desk.shown.chosen == other == desk.shown.candidate
    await desk.reload()
    assert desk.shown.chosen == other
    assert shown.answer.answer is not None
    await desk.choose(shown.answer.answer.candidate)
    assert desk.shown.chosen is None
    await desk.choose(other.candidate)
    await desk.choose("")
    assert desk.shown.chosen is None


def slowed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> tuple[asyncio.Event, asyncio.Event]:
    """Let the next reading of the store wait; return what says that it is done, and what lets it go on."""
    read, begun, going = desk.thread.read, asyncio.Event(), asyncio.Event()

    async def slow(look: Callable[[Store], Any]) -> Any:
        monkeypatch.undo()
        found = await read(look)
        begun.set()
        await going.wait()
        return found

    monkeypatch.setattr(desk.thread, "read", slow)
    return begun, going


async def test_a_candidate_read_late_is_not_put_into_another_plan(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = await desk.open_plan("last")
    begun, going = slowed(desk, monkeypatch)
    late = asyncio.create_task(desk.choose(shown.answer.candidates[3].candidate))
    await begun.wait()
    other = await desk.open_plan("proved")
    going.set()
    await late
    assert desk.shown is other


async def test_the_candidate_wished_for_last_is_looked_at(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = await desk.open_plan("last")
    begun, going = slowed(desk, monkeypatch)
    late = asyncio.create_task(desk.choose(shown.answer.candidates[3].candidate))
    await begun.wait()
    await desk.choose("")
    going.set()
    await late
    assert desk.shown is not None
    assert desk.shown.chosen is None


@pytest.mark.parametrize("again", [True, False], ids=["read again", "opened"])
async def test_a_plan_read_late_does_not_replace_the_one_opened_last(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    await desk.open_plan("last")
    begun, going = slowed(desk, monkeypatch)
    late = asyncio.create_task(desk.reload() if again else desk.open_plan("stopped"))
    await begun.wait()
    other = await desk.open_plan("proved")
    going.set()
    await late
    assert desk.shown is other
    assert desk.draft.question() == other.question


async def test_reading_again_leaves_the_candidate_in_view_all_the_time(desk: Desk) -> None:
    shown = await desk.open_plan("last")
    await desk.choose(shown.answer.candidates[3].candidate)
    seen: list[Candidate | None] = []
    desk.listeners.append(lambda: seen.append(None if desk.shown is None else desk.shown.chosen))
    await desk.reload()
    assert seen == [shown.answer.candidates[3]]


def work_on(desk: Desk, plan: str, kind: str) -> Task:
    """Follow work on a plan that is already kept."""

    async def work(tools: Tools) -> Answer:
        return tools.store.plan(plan)

    task = desk.follow(f"{kind} it", kind, work)
    task.plan = plan
    return task


@pytest.mark.parametrize("kind", ["plan", "verify"])
async def test_work_does_not_take_the_screen_from_a_plan_opened_meanwhile(desk: Desk, kind: str) -> None:
    first = await desk.open_plan("last")
    task = work_on(desk, first.plan, kind)
    other = await desk.open_plan("proved")
    desk.edit({"budget": "60/h"})
    await ended(task)
    await desk.show_work(task)
    assert desk.shown is other
    assert desk.draft.value("budget") == "60/h"
    assert desk.undo()


async def test_proof_of_another_plan_takes_no_edit_away(desk: Desk) -> None:
    other = await desk.open_plan("proved")
    shown = await desk.open_plan("last")
    desk.edit({"budget": "60/h"})
    task = await ended(work_on(desk, other.plan, "verify"))
    await desk.show_work(task)
    assert (desk.shown, desk.draft.value("budget")) == (shown, "60/h")
    desk.undo()
    await desk.show_work(task)
    assert desk.shown is not None
    assert desk.shown.plan == other.plan


async def test_a_candidate_of_the_example_is_looked_at_too(desk: Desk) -> None:
    desk.show_example()
    assert desk.shown is not None
    other = desk.shown.answer.candidates[1]
    await desk.choose(other.candidate)
    assert desk.shown.chosen == other


async def test_a_workload_is_read_once(desk: Desk, trace: str) -> None:
    found = await desk.workload(trace)
    assert found.arrivals.mean_rate == pytest.approx(10.0, rel=0.2)
    Path(trace).unlink()
    assert await desk.workload(trace) is found


async def test_a_file_that_is_no_workload_is_refused_and_read_again(desk: Desk, trace: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,2\n")
    for source in (str(bad), str(tmp_path / "none.csv"), "no-such-name"):
        with pytest.raises(InputError):
            await desk.workload(source)
    Path(trace).rename(tmp_path / "none.jsonl")
    with pytest.raises(InputError):
        await desk.workload(trace)
    (tmp_path / "none.jsonl").rename(trace)
    assert await desk.workload(trace)


async def test_a_question_is_planned_by_formula_and_kept(desk: Desk) -> None:
    """The thread, the worker and the store are the program's own."""
    desk.ask(FORMULA)
    seen = counted(desk)
    task = desk.plan()
    assert desk.following is task
    assert seen == ["changed"]
    assert task.title == "plan azure-2023-conv llama-3.1-70b"
    await ended(task)
    assert (task.state, task.error) == ("done", None)
    assert task.answer is not None
    assert task.answer.verdict == "pass"
    row = await desk.thread.read(lambda store: store.row("last"))
    assert row.id == task.plan == task.answer.plan.id
    assert (row.parent, row.method) == ("", "formula")
    assert [words for _, words in task.log][-1] == "done: pass"


async def test_an_edited_plan_is_the_parent_of_the_next(desk: Desk) -> None:
    before = (await desk.open_plan("last")).plan
    again = await ended(desk.plan())
    desk.edit({"slo-ttft": "400ms"})
    edited = await ended(desk.plan())
    rows = await desk.thread.read(lambda store: {row.id: row.parent for row in store.plans()})
    assert (rows[again.plan], rows[edited.plan]) == ("", before)


async def test_what_is_no_question_is_refused_before_any_work(desk: Desk) -> None:
    desk.ask({"rate": "5/s"})
    with pytest.raises(InputError, match="no workload is given"):
        desk.plan()
    assert desk.thread.tasks == []
    assert desk.following is None


async def test_what_a_worker_refuses_fails_the_task_and_keeps_nothing(desk: Desk) -> None:
    desk.ask({**FORMULA, "gpu": "abacus"})
    task = await ended(desk.plan())
    assert task.state == "failed"
    assert isinstance(task.error, InputError)
    assert await desk.thread.read(lambda store: store.count()) == 3


async def test_stopped_work_goes_on_and_proof_is_added(desk: Desk) -> None:
    """A stopped proof is taken up again; when it is done, the plan is finished."""
    shown = await desk.open_plan("stopped")
    (job,) = await desk.thread.read(lambda store: [job for job in store.jobs() if job.plan == shown.plan])
    assert job.state == "stopped"
    task = desk.resume(job.id, job.title)
    deadline = time.monotonic() + 10
    while task.job is None:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
    assert desk.task_of(shown.plan) is task
    await ended(task)
    assert (task.state, task.error) == ("done", None)
    assert desk.task_of(shown.plan) is None
    await desk.reload()
    assert desk.shown is not None
    assert desk.shown.finished
    assert desk.shown.answer.verdict == "pass"
    best = desk.shown.answer.answer
    assert best is not None
    assert best.evidence is not None
    assert best.evidence.method == "simulation"

    more = await ended(desk.prove(best, 0.1))
    assert (more.kind, more.title, more.error) == ("verify", f"verify {best.handle}", None)
    proofs = await desk.thread.read(lambda store: store.verifications(best.candidate))
    assert [one.precision for one in proofs] == [0.2, 0.1]
    assert proofs[1].replications >= proofs[0].replications


async def test_stopped_proof_of_a_finished_plan_can_be_resumed(desk: Desk) -> None:
    shown = await desk.open_plan("last")
    assert not desk.is_stopped(shown)
    task = Task(title="verify 41a7", kind="verify", plan=shown.plan)
    desk.thread.tasks.append(task)
    for state, stopped in (("running", False), ("cancelled", True), ("failed", True), ("done", False)):
        task.state = state  # type: ignore[assignment]
        assert desk.is_stopped(shown) is stopped


async def test_a_job_is_told_to_stop_through_the_store(desk: Desk, trace: str) -> None:
    desk.ask({"workload": trace, "rate": "20/s", "slo-ttft": "200ms", "gpu": "h100", "tp": "8", "precision": "0.2%"})
    task = desk.plan()
    deadline = time.monotonic() + 20
    while task.job is None:
        assert time.monotonic() < deadline, task.log
        await asyncio.sleep(0.01)
    await desk.cancel(task)
    await ended(task)
    assert (task.state, task.error) == ("cancelled", None)
    assert "asked to stop" in [words for _, words in task.log]
    job, plan = task.job, task.plan
    assert await desk.thread.read(lambda store: store.job(job.id).state) == "cancelled"
    assert not await desk.thread.read(lambda store: store.is_finished(plan))


def test_nothing_is_looked_at_before_a_plan_is_shown(desk: Desk) -> None:
    asyncio.run(desk.choose("41a7"))
    asyncio.run(desk.reload())
    assert desk.shown is None
