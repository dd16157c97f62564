"""Where the app begins: at the last plan and view, or at what is named."""

from pathlib import Path

import pytest

from fleettui.domain.opening import Opening, OpeningKind
from fleettui.errors import InputError
from fleettui.tui import saved_place
from fleettui.tui.app import FleetApp
from fleettui.tui.first_screen import first_view
from fleettui.tui.saved_place import Session
from fleettui.tui.widgets.frame import bar
from store import Store
from tests.store.test_newest import joint
from tests.tui.conftest import Make
from tests.tui.driving import KEY, driven, lines, settle, told, until

QUESTION = "workload: azure-2023-conv\nrate: 50/s\nslo-tpot: 40ms\n"


@pytest.mark.parametrize(
    ("kind", "view"), [("last", "plans"), ("plan", "fleet"), ("question", "fleet"), ("workload", "workload")]
)
def test_the_first_view(kind: OpeningKind, view: str) -> None:
    assert first_view(Opening(kind=kind, text="x"), Session(view="plans")) == view


async def test_a_named_plan_goes_before_the_last(filled: Path, make_app: Make) -> None:
    app = make_app(Opening(kind="plan", text="proved"))
    async with driven(app):
        assert app.state.shown is not None
        assert app.state.shown.row is not None
        assert app.state.shown.row.name == "proved"
        assert app.seen == "fleet"


async def test_a_question_file_is_asked_and_not_planned(filled: Path, make_app: Make, tmp_path: Path) -> None:
    file = tmp_path / "question.yaml"
    file.write_text(QUESTION)
    app = make_app(Opening(kind="question", text=str(file)))
    async with driven(app):
        question = app.state.draft.question()
        assert (question.demand.rate, question.slo.tpot, question.slo.ttft) == (50.0, 0.04, None)
        assert app.state.thread.tasks == []
        assert app.seen == "fleet"


async def test_a_workload_is_asked_about_in_its_view(filled: Path, make_app: Make, trace: str) -> None:
    app = make_app(Opening(kind="workload", text=trace))
    async with driven(app):
        assert app.state.draft.value("workload") == trace
        assert app.seen == "workload"
        assert told(app) == []


@pytest.mark.parametrize(
    ("opening", "words"),
    [
        (Opening(kind="plan", text="zzzz"), "zzzz"),
        (Opening(kind="question", text="none.yaml"), "none.yaml: the question cannot be read"),
    ],
    ids=["plan", "question"],
)
async def test_what_is_not_there_is_told_and_the_app_goes_on(
    filled: Path, make_app: Make, opening: Opening, words: str
) -> None:
    app = make_app(opening)
    async with driven(app) as pilot:
        await until(pilot, lambda: told(app))
        assert words in told(app)[0]
        await pilot.press(KEY["plans"])
        await settle(pilot)
        assert app.seen == "plans"


async def test_a_last_plan_that_is_gone_gives_way_to_the_newest(filled: Path, make_app: Make, tmp_path: Path) -> None:
    saved_place.save(tmp_path / "state" / saved_place.FILE, Session(plan="0199", view="disagg", marks=("0199",)))
    app = make_app()
    async with driven(app):
        assert app.state.shown is not None
        assert app.state.shown.row is not None
        assert app.state.shown.row.workload == "azure-2023-conv"
        assert app.seen == "disagg"
        assert told(app) == []


async def test_where_the_newest_is_a_joint_plan_one_of_its_workloads_is_shown(filled: Path, make_app: Make) -> None:
    with Store.open(filled) as store:
        member = store.plan("last")
        study = joint(store, member)
        assert store.kept("last") == ("study", study.id)
    app = make_app()
    async with driven(app):
        assert app.state.shown is not None
        assert app.state.shown.plan == member.plan.id
        assert told(app) == []


@pytest.mark.evidence
async def test_of_two_starts_the_second_begins_where_the_first_ended(filled: Path, make_app: Make) -> None:
    first = make_app()
    async with driven(first) as pilot:
        await pilot.press("left_square_bracket", "left_square_bracket", KEY["routing"])
        await settle(pilot)
        was = first.state.shown
        await pilot.press("q")
    assert first.return_code == 0
    second = make_app()
    async with driven(second):
        assert was is not None
        assert was.row is not None
        assert was.row.name == "proved"
        assert second.state.shown is not None
        assert (second.state.shown.plan, second.seen) == (was.plan, "routing")
        assert lines(second)[1] == bar("routing", second.size.width).plain.rstrip()


async def test_a_question_file_that_does_not_read(app: FleetApp, tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("slo-ttft: fast\nworkload: x\n")
    async with driven(app):
        before = app.state.draft
        with pytest.raises(InputError):
            await app.open_at(Opening(kind="question", text=str(file)))
        assert app.state.draft == before


@pytest.mark.parametrize(("view", "words"), [("jobs", "No job yet."), ("plans", "No plan is kept yet.")])
async def test_a_view_that_was_left_is_read_once_the_store_is_open(
    make_app: Make, tmp_path: Path, view: str, words: str
) -> None:
    saved_place.save(tmp_path / "state" / saved_place.FILE, Session(view=view))
    app = make_app()
    async with driven(app) as pilot:
        await until(pilot, lambda: any(line.startswith(words) for line in lines(app)))
        assert app.seen == view
