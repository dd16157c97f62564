"""The app as a person sees it: its frame in every view and size, its first and second start, edits, plans, bugs."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import Compositor
from textual.widgets import Input

from fleettui.domain.progress import Progress
from fleettui.errors import InputError
from fleettui.tui import keys, saved_place, tabs
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.help import Help
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.modals.question import Grid
from fleettui.tui.tabs.view import View
from fleettui.tui.task import Task
from fleettui.tui.widgets.frame import Line, bar
from fleettui.tui.widgets.paged_table import PagedTable
from store import Store
from tests.repeated import few
from tests.tui.conftest import Make
from tests.tui.driving import KEY, driven, lines, settle, text_of, told, typed, until
from tests.tui.frames import frame, rules

MOST_WIDGETS = 60


@pytest.mark.parametrize("view", few(tabs.VIEWS, 1, more=1, whole=True), ids=lambda view: view.name)
async def test_a_view_stands_in_its_frame(app: FleetApp, view: tabs.Entry) -> None:
    async with driven(app) as pilot:
        await pilot.press(view.key)
        await settle(pilot)
        assert (app.seen, type(app.view)) == (view.name, type(tabs.make(view.name)))
        found = lines(app)
        assert rules(frame(app), 80, 24) == []
        assert found[0].startswith("fleettui  ")
        assert "azure-2023-conv  llama-3.1-70b bf16  P99 TTFT<500ms" in found[0]
        assert found[1] == bar(view.name, 80).plain.rstrip()
        assert found[-1] == keys.footer(view.name, 80, app.view.impossible())
        assert any(found[2:-1]), "a view says something"
        assert len(app.query(f"#view-{view.name} *")) <= MOST_WIDGETS
        assert told(app) == []


@pytest.mark.parametrize("size", few([(200, 50), (79, 20), (40, 10), (20, 5)], 1, whole=True))
async def test_the_bar_is_the_second_line_at_any_size(app: FleetApp, size: tuple[int, int]) -> None:
    async with driven(app, size) as pilot:
        for number in (2, 3):
            await pilot.press(str(number))
            await settle(pilot)
            assert rules(frame(app), *size) == []
            assert f"[{number} " in lines(app)[1]
        assert told(app) == []


@pytest.mark.thorough
async def test_the_screen_follows_the_terminal(app: FleetApp) -> None:
    async with driven(app) as pilot:
        for size in ((100, 30), (60, 12), (80, 24)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert rules(frame(app), *size) == []
            assert "[2 " in lines(app)[1]
            assert lines(app)[-1].endswith("q quit")


@pytest.mark.thorough
async def test_a_terminal_without_unicode_gets_none(
    filled: Path, make_app: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLEETTUI_ASCII", "1")
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press("p")
        await settle(pilot)
        assert rules(frame(app).replace("▇", "#"), 80, 24, ascii_only=True) == []


@pytest.mark.thorough
async def test_a_view_is_made_once_and_keeps_its_place(app: FleetApp) -> None:
    async with driven(app) as pilot:
        before = app.view
        await pilot.press("j", KEY["routing"], KEY["fleet"])
        await settle(pilot)
        assert app.view is before
        assert app.query_one("#fleet-candidates", PagedTable).cursor == 1


@pytest.mark.drawn
async def test_a_focus_that_moves_does_not_draw_the_whole_screen_anew(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: list[bool] = []
    drawn = Compositor.render_full_update

    def counted(self: Compositor, *, simplify: bool = False) -> object:
        whole.append(simplify)
        return drawn(self, simplify=simplify)

    async with driven(app) as pilot:
        await pilot.press(KEY["plans"])
        await settle(pilot)
        monkeypatch.setattr(Compositor, "render_full_update", counted)
        for key in ("tab", KEY["fleet"], "tab"):
            before = app.focused
            await pilot.press(key)
            await settle(pilot)
            assert app.focused is not before
        assert not whole
        app.base.refresh()
        await settle(pilot)
        assert whole


async def test_the_first_start_shows_the_example_and_says_so(make_app: Make, database: Path) -> None:
    app = make_app()
    async with driven(app) as pilot:
        assert lines(app)[0].startswith("fleettui  example  ")
        assert lines(app)[2].startswith("shipped example, computed with ")
        assert "PASS" in frame(app)
        assert database.exists()
        await pilot.press("v")
        await until(pilot, lambda: told(app))
        assert "there is no kept fleet here to prove" in told(app)[0]
    assert app.state.shown is not None
    assert app.state.shown.row is None


async def test_a_key_of_the_question_is_edited_and_the_edit_undone(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("e", "enter")
        await typed(pilot, "300ms")
        assert isinstance(app.screen, Grid)
        await pilot.press("escape")
        assert "*edited" in lines(app)[0]
        assert "TTFT<300ms" in lines(app)[0]
        assert lines(app)[2] == "edited: slo-ttft 300ms   r plans it, u undoes"
        assert "slo-ttft 300ms*" in text_of(app, "#fleet-question")
        await pilot.press("u")
        assert "edited" not in frame(app)
        assert "*" not in text_of(app, "#fleet-question")
        await pilot.press("u")
        assert told(app) == ["nothing to undo"]


async def test_a_refused_text_is_told_where_it_was_typed_and_changes_nothing(app: FleetApp) -> None:
    async with driven(app) as pilot:
        before = app.state.draft
        await pilot.press("e", "enter")
        await typed(pilot, "fast")
        assert isinstance(app.screen, Prompt)
        refusal = next(line for line in lines(app) if line.startswith("x "))
        assert "slo-ttft" in refusal
        await pilot.press("escape", "escape")
        assert app.state.draft is before


@pytest.mark.thorough
async def test_digits_are_typed_and_no_keys_while_a_line_is_open(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("e", "enter", "end", "1", "6", "q", "r", "x")
        line = app.screen.query_one(Input)
        assert line.value.endswith("16qrx")
        assert app.seen == "fleet"
        assert app.state.thread.tasks == []


async def test_a_bug_is_told_with_its_report_and_the_app_goes_on(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> str:
        raise ZeroDivisionError("of the test")

    async with driven(app) as pilot:
        monkeypatch.setattr(type(app.view), "copied", broken)
        await pilot.press("y")
        await until(pilot, lambda: told(app))
        (words,) = told(app)
        assert words.startswith("This is a bug: ZeroDivisionError: of the test\nthe report: ")
        assert words.endswith("\nThe app goes on.")
        report = Path(words.splitlines()[1].removeprefix("the report: "))
        text = report.read_text()
        assert "in broken" in text
        assert "in view fleet" in text
        await pilot.press(KEY["routing"])
        await settle(pilot)
        assert app.seen == "routing"
        assert app.is_running


async def test_what_a_handler_raises_at_once_is_told_as_it_is(app: FleetApp) -> None:
    """No markup is read out of what a person typed."""

    def refuse() -> None:
        raise InputError("not like that", value="[red]x[/]")

    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: app.store is not None)
        await settle(pilot)
        app.do(refuse)
        await until(pilot, lambda: "not like that (got '[red]x[/]')" in frame(app))
        assert told(app) == ["not like that (got '[red]x[/]')"]
        assert rules(frame(app), 80, 24) == []


async def test_leaving_keeps_where_one_was(app: FleetApp, tmp_path: Path) -> None:
    async with driven(app) as pilot:
        app.state.marks = frozenset({"0199-b", "0199-a"})
        await pilot.press(KEY["power"], "q")
    assert (app.return_code, app.is_running) == (0, False)
    kept = json.loads((tmp_path / "state" / "state.json").read_text())
    assert app.state.shown is not None
    assert (kept["plan"], kept["view"], kept["marks"]) == (app.state.shown.plan, "power", ["0199-a", "0199-b"])


@pytest.mark.thorough
async def test_an_edited_question_is_planned_beside_its_parent(app: FleetApp, filled: Path) -> None:
    """The only plan made through the keys: thread, worker, store and screen together."""
    async with driven(app) as pilot:
        before = app.state.shown
        assert before is not None
        assert before.answer.answer is not None
        app.state.edit({"slo-ttft": "350ms"})
        await pilot.press(KEY["routing"], "r")
        await until(pilot, lambda: app.state.shown is not before and not app.state.thread.alive)
        await settle(pilot)
        shown = app.state.shown
        assert shown is not None
        assert shown.row is not None
        assert (app.seen, shown.row.parent) == ("fleet", before.plan)
        assert shown.question.slo.ttft == 0.35
        assert lines(app)[0].startswith(f"fleettui  {shown.answer.plan.handle}  ")
        assert "edited" not in frame(app)
        assert not app.state.edited
        await until(pilot, lambda: any("PASS" in words for words in told(app)))
    with Store.open(filled) as store:
        assert store.count() == 4
        assert store.row("last").id == shown.plan


@pytest.mark.thorough
async def test_what_is_edited_while_it_is_planned_stays(app: FleetApp) -> None:
    async with driven(app) as pilot:
        before = app.state.shown
        app.state.edit({"slo-ttft": "350ms"})
        await pilot.press("r")
        app.state.edit({"slo-ttft": "200ms"})
        await until(pilot, lambda: app.state.shown is not before and not app.state.thread.alive)
        await settle(pilot)
        assert app.state.draft.value("slo-ttft") == "200ms"
        assert app.state.edited
        assert app.state.undo()


async def test_what_is_no_question_is_told_before_any_work(app: FleetApp) -> None:
    async with driven(app) as pilot:
        app.state.edit({"slo-ttft": ""})
        await pilot.press("r")
        await until(pilot, lambda: told(app))
        assert "no service level objective" in told(app)[0]
        assert app.state.thread.tasks == []


async def test_work_that_fails_is_told_once_and_leaves_the_plan(app: FleetApp) -> None:
    async with driven(app) as pilot:
        before = app.state.shown
        app.state.edit({"gpu": "abacus"})
        await pilot.press("r")
        await until(pilot, lambda: told(app))
        await pilot.pause(0.6)
        assert [words for words in told(app) if "abacus" in words] == told(app)
        assert len(told(app)) == 1
        assert app.state.shown is before


async def test_a_store_that_does_not_open_is_told_and_the_example_shown(make_app: Make, database: Path) -> None:
    database.write_text("no database at all, but a text of some length\n" * 100)
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: told(app))
        assert "fleettui.db" in told(app)[0]
        assert not told(app)[0].startswith("This is a bug")
        assert "shipped example" in lines(app)[2]
        assert app.state.shown is not None
        assert app.state.shown.label
        await pilot.press(KEY["routing"])
        await pilot.pause()
        assert app.seen == "routing"
        await pilot.press("q")
    assert app.return_code == 0
    assert database.read_text().startswith("no database")


@pytest.mark.thorough
async def test_the_plans_before_and_after(app: FleetApp) -> None:
    async with driven(app) as pilot:
        names = []
        for key in ("left_square_bracket", "left_square_bracket", "right_square_bracket"):
            await pilot.press(key)
            await settle(pilot)
            assert app.state.shown is not None
            assert app.state.shown.row is not None
            names.append(app.state.shown.row.name)
        assert names == ["stopped", "proved", "stopped"]
        await pilot.press("right_square_bracket", "right_square_bracket")
        await settle(pilot)
        assert told(app) == ["no plan beyond this one"]


async def test_two_steps_in_one_packet_are_two_plans(app: FleetApp) -> None:
    async with driven(app) as pilot:
        app.action_do("previous")
        app.action_do("previous")
        await settle(pilot)
        assert app.state.shown is not None
        assert app.state.shown.row is not None
        assert app.state.shown.row.name == "proved"


@pytest.mark.parametrize(
    "names", few([("plans", "plans"), ("workload", "fleet"), ("power", "plans", "workload")], 1, more=1, whole=True)
)
async def test_the_view_wished_for_last_is_seen_however_fast_the_keys_come(
    app: FleetApp, names: tuple[str, ...]
) -> None:
    async with driven(app) as pilot:
        for name in names:
            app.action_do(f"view_{name}")
        await settle(pilot)
        assert app.seen == names[-1]
        assert [one.id for one in app.base.query(View) if one.display] == [f"view-{names[-1]}"]
        assert told(app) == []


@pytest.mark.parametrize("verbs", few([("edit", "edit"), ("fork", "ask"), ("open_file", "name")], 1, whole=True))
async def test_two_questions_in_one_packet_are_one(app: FleetApp, verbs: tuple[str, str]) -> None:
    async with driven(app) as pilot:
        for verb in verbs:
            app.action_do(verb)
        await until(pilot, lambda: len(app.screen_stack) > 1)
        await pilot.pause(0.1)
        assert len(app.screen_stack) == 2
        await pilot.press("escape")
        await settle(pilot)
        assert (len(app.screen_stack), told(app)) == (1, [])


@pytest.mark.thorough
async def test_work_that_fails_before_it_is_looked_at_is_told(app: FleetApp) -> None:
    async with driven(app) as pilot:
        failed = Task(title="plan", kind="plan", state="failed", error=InputError("no such model"))
        app.state.thread.tasks.append(failed)
        app.state.changed()
        await until(pilot, lambda: told(app))
        assert told(app) == ["no such model"]


@pytest.mark.evidence
async def test_a_bug_in_drawing_is_told_and_does_not_end_the_app(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: FleetApp) -> None:
        raise ZeroDivisionError("of the test")

    async with driven(app) as pilot:
        monkeypatch.setattr(type(app), "draw_frame", broken)
        app.state.thread.tasks.append(Task(title="plan", kind="plan"))
        app.state.changed()
        await until(pilot, lambda: len(told(app)) == 2)
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: len(told(app)) == 3)
        await pilot.pause(0.6)
        assert len(told(app)) == 3, "not at every tick"
        monkeypatch.undo()
        app.state.thread.tasks.clear()
        assert app.is_running


@pytest.mark.thorough
async def test_two_apps_on_one_store_do_not_mind_each_other(filled: Path, make_app: Make) -> None:
    one, other = make_app(), make_app()
    async with driven(one), driven(other):
        assert one.state.shown is not None
        assert other.state.shown is not None
        assert one.state.shown.plan == other.state.shown.plan
        await asyncio.gather(one.state.open_plan("proved"), other.state.open_plan("stopped"))
        assert one.state.shown.plan != other.state.shown.plan


async def test_work_goes_on_behind_a_modal_and_the_frame_follows(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))
        task = Task(title="plan", kind="plan", progress=Progress(message="searching", done=1, total=4))
        app.state.thread.tasks.append(task)
        app.state.changed()
        header = app.base.query_one("#header", Line)
        await until(pilot, lambda: "1 job 25%" in header.render().plain)
        task.progress = Progress(message="searching", done=2, total=4)
        await until(pilot, lambda: "1 job 50%" in header.render().plain)
        await pilot.press("escape")
        assert told(app) == []
        app.state.thread.tasks.clear()


@pytest.mark.thorough
async def test_work_that_ends_while_its_progress_is_drawn_is_told(app: FleetApp) -> None:
    async with driven(app) as pilot:
        task = Task(title="plan", kind="plan")
        draw = app.draw_frame

        def draw_and_end() -> None:
            draw()
            task.state = "cancelled"

        app.state.thread.tasks.append(task)
        app.state.changed()
        app.draw_frame = draw_and_end  # type: ignore[method-assign]
        await until(pilot, lambda: told(app))
        assert "stopped" in told(app)[0]


async def test_a_theme_that_is_kept_is_there_from_the_first_frame_and_one_that_is_unknown_is_not(
    filled: Path, make_app: Make
) -> None:
    place = saved_place.state_folder(os.environ) / saved_place.FILE
    for kept, expected in (("nord", "nord"), ("no such theme", "textual-dark")):
        saved_place.save(place, saved_place.Session(theme=kept))
        app = make_app()
        assert app.theme == expected
        async with driven(app):
            assert app.theme == expected
