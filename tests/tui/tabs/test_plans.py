"""View 6 over a real store: what is listed, filtered, marked, put away, and shown of the plan under the cursor."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from fleettui.domain.plan import Answer
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.tabs import plan_preview, plans
from fleettui.tui.tabs.plans import PlansView
from store import Store
from tests.repeated import few
from tests.store import samples
from tests.tui.driving import KEY, driven, settle, text_of, told, typed, until
from tests.tui.frames import frame, rules

PLANS = 6
Make = Callable[..., FleetApp]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[Answer, ...]]:
    """The file of a store of six plans, oldest first, and a seventh that is a what-if of the first; and the plans."""
    file = tmp_path_factory.mktemp("plans") / "plans.db"
    with Store.open(file, clock=samples.clock()) as store:
        made = [
            samples.add(
                store,
                samples.answer(2, name=f"size {number}" if number % 2 else ""),
                workload_name="burst" if number % 3 == 2 else "conv",
            )
            for number in range(PLANS)
        ]
        dearer = samples.candidate(4, cost=78.08)
        fork = replace(samples.answer(1, name="one more"), answer=dearer, candidates=(dearer,))
        made.append(samples.add(store, fork, parent=made[0].plan.id))
        store.set_note(made[-1].plan.id, "see ticket CAP-1412")
        store.add_tag(made[-1].plan.id, "q3")
    return file, tuple(made)


@pytest.fixture
def stored(made: tuple[Path, tuple[Answer, ...]], database: Path) -> tuple[Answer, ...]:
    """The plans of `made`, in the test's own store."""
    shutil.copy(made[0], database)
    return made[1]


async def plans_of(pilot: Pilot[int]) -> PlansView:
    """See the view and wait until its list and its preview are read."""
    await pilot.press(KEY["plans"])
    view = pilot.app.query_one(PlansView)
    await until(pilot, lambda: view.table.count is not None)
    await until(pilot, lambda: not view.table.count or text_of(pilot.app, "#plans-preview"))
    return view


def handles(app: App[int]) -> list[str]:
    """Return the handles in the list, from the top."""
    view = app.query_one(PlansView)
    top = view.table.region.y + 1
    found = frame(app).split("\n")[top : top + (view.table.count or 0)]
    return [line[4:8] for line in found if line[4:8].strip()]


@pytest.mark.evidence
async def test_the_list_is_newest_first_and_says_how_many(make_app: Make, stored: tuple[Answer, ...]) -> None:
    async with driven(make_app()) as pilot:
        await plans_of(pilot)
        assert handles(pilot.app) == [one.plan.handle for one in reversed(stored)]
        assert text_of(pilot.app, "#plans-query") == "/ filter: none   7 plans   sorted by made, newest first"
        assert frame(pilot.app).split("\n")[4].startswith(f"> * {stored[-1].plan.handle}")


@pytest.mark.thorough
async def test_one_plan_is_one_and_what_is_not_counted_yet_is_no_number(make_app: Make, database: Path) -> None:
    with Store.open(database) as store:
        samples.add(store)
    async with driven(make_app()) as pilot:
        view = await plans_of(pilot)
        assert text_of(pilot.app, "#plans-query").startswith("/ filter: none   1 plan   sorted")
        view.fleet_app.session = view.fleet_app.session._replace(words="tag:summer")
        view._show_query()
        assert text_of(pilot.app, "#plans-query").startswith("/ filter: tag:summer   1 of ...   sorted")


async def test_the_preview_says_what_the_plan_is(make_app: Make, stored: tuple[Answer, ...]) -> None:
    async with driven(make_app()) as pilot:
        await plans_of(pilot)
        fork, parent = stored[-1].plan.handle, stored[0].plan.handle
        assert text_of(pilot.app, "#plans-title") == f"-- {fork} one more   open now --"
        preview = text_of(pilot.app, "#plans-preview")
        for words in ("asked   83.3/s", "PASS by formula", "note    see ticket CAP-1412", "tags    q3"):
            assert words in preview
        assert f"again   fleettui show {fork}\n-- forks, F opens one --" in preview
        change = text_of(pilot.app, "#plans-change").split("\n")
        assert change[0] == f"-- change from its parent {parent} --"
        assert "$6.98/h" in change[1]


@pytest.mark.thorough
async def test_a_plan_without_parent_is_set_beside_the_one_that_is_shown(
    make_app: Make, stored: tuple[Answer, ...]
) -> None:
    async with driven(make_app()) as pilot:
        await plans_of(pilot)
        await pilot.press("j")
        head = f"-- change from the plan shown now {stored[-1].plan.handle} --"
        await until(pilot, lambda: text_of(pilot.app, "#plans-change").startswith(head))
        assert text_of(pilot.app, "#plans-title") == f"-- {stored[-2].plan.handle} size 5 --"


@pytest.mark.evidence
async def test_moving_fast_reads_only_where_the_cursor_rests(
    make_app: Make, stored: tuple[Answer, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def look(store: Store, plan: str, shown: str) -> plan_preview.Preview:
        read.append(plan)
        return plan_preview.look_at(store, plan, shown)

    async with driven(make_app()) as pilot:
        view = await plans_of(pilot)
        monkeypatch.setattr(plans, "look_at", look)
        for _ in range(PLANS):
            view.table.action_move(1)
            await asyncio.sleep(0)
        await until(pilot, lambda: stored[0].plan.handle in text_of(pilot.app, "#plans-title"))
        assert read == [stored[0].plan.id]


@pytest.mark.evidence
async def test_a_filter_is_typed_and_cleared(make_app: Make, stored: tuple[Answer, ...]) -> None:
    async with driven(make_app()) as pilot:
        view = await plans_of(pilot)
        await pilot.press("slash")
        assert "since:14d" in frame(pilot.app)
        await typed(pilot, " burst   cost<150 ")
        await until(pilot, lambda: view.table.count == 2)
        await settle(pilot)
        assert text_of(pilot.app, "#plans-query").startswith("/ filter: burst cost<150   2 of 7   sorted by")
        assert handles(pilot.app) == [stored[5].plan.handle, stored[2].plan.handle]
        await pilot.press("escape")
        await until(pilot, lambda: view.table.count == 7)
        assert "filter: none" in text_of(pilot.app, "#plans-query")


@pytest.mark.thorough
async def test_a_word_that_no_query_knows_is_refused_and_the_list_stays(
    make_app: Make, stored: tuple[Answer, ...]
) -> None:
    async with driven(make_app()) as pilot:
        view = await plans_of(pilot)
        await pilot.press("slash")
        await typed(pilot, "colour:blue")
        assert "x query: not a query word (got 'colour:blue')" in frame(pilot.app)
        await pilot.press("escape")
        assert view.table.count == 7
        assert "filter: none" in text_of(pilot.app, "#plans-query")


@pytest.mark.thorough
async def test_where_no_plan_matches_it_says_what_would(make_app: Make, stored: tuple[Answer, ...]) -> None:
    async with driven(make_app()) as pilot:
        await plans_of(pilot)
        await pilot.press("slash")
        await typed(pilot, "burst cost<5")
        await until(pilot, lambda: "2 without cost<5" in frame(pilot.app))
        assert (
            frame(pilot.app).split("\n")[3] == "No plan matches burst cost<5.  2 without cost<5.  esc clears the filter"
        )
        assert text_of(pilot.app, "#plans-preview") == ""
        assert {"mark", "archive", "copy"} <= pilot.app.query_one(PlansView).impossible()


async def test_where_there_is_no_plan_it_says_how_to_make_one(make_app: Make, database: Path) -> None:
    async with driven(make_app()) as pilot:
        await plans_of(pilot)
        assert frame(pilot.app).split("\n")[3].startswith("No plan is kept yet.")


async def test_it_is_sorted_by_each_column_and_turned_around(make_app: Make, stored: tuple[Answer, ...]) -> None:
    async with driven(make_app()) as pilot:
        await plans_of(pilot)
        await pilot.press("s")
        await until(pilot, lambda: handles(pilot.app)[-1] == stored[-1].plan.handle)
        assert "sorted by $/h, cheapest first" in text_of(pilot.app, "#plans-query")
        await pilot.press("S")
        await until(pilot, lambda: handles(pilot.app)[0] == stored[-1].plan.handle)
        assert "sorted by $/h, dearest first" in text_of(pilot.app, "#plans-query")


@pytest.mark.evidence
async def test_marks_are_signs_and_are_kept_for_all_views(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await plans_of(pilot)
        await pilot.press("space", "j", "space")
        assert app.state.marks == {stored[-1].plan.id, stored[-2].plan.id}
        await pilot.pause()
        assert [line[:2] for line in frame(app).split("\n")[4:7]] == ["+ ", ">+", "  "]
        assert text_of(app, "#plans-query").endswith("2 marked")
        await pilot.press("space")
        assert app.state.marks == {stored[-1].plan.id}
        await pilot.press("M")
        assert not app.state.marks
        assert "unmark" in app.view.impossible()


async def test_enter_shows_the_plan_in_the_other_views(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await plans_of(pilot)
        await pilot.press("j", "enter")
        await until(pilot, lambda: app.seen == "fleet")
        assert app.state.shown is not None
        assert app.state.shown.plan == stored[-2].plan.id


async def test_what_is_archived_is_gone_and_comes_back(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    handle = stored[-2].plan.handle
    async with driven(app) as pilot:
        view = await plans_of(pilot)
        await pilot.press("j", "A")
        await until(pilot, lambda: view.table.count == 6)
        assert text_of(app, "#plans-status") == f"{handle} is archived: no list shows it   u brings it back"
        assert handle not in handles(app)
        await pilot.press("u")
        await until(pilot, lambda: view.table.count == 7)
        assert text_of(app, "#plans-status") == f"{handle} is back"
        await pilot.press("u")
        await until(pilot, lambda: text_of(app, "#plans-status").startswith("nothing to undo"))


async def test_filter_order_and_marks_survive_a_restart(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        view = await plans_of(pilot)
        await pilot.press("space", "s", "S", "slash")
        await typed(pilot, "conv")
        await until(pilot, lambda: view.table.count == 4)
        app.checkpoint()
    again = make_app()
    async with driven(again) as pilot:
        view = await plans_of(pilot)
        await until(pilot, lambda: view.table.count == 4)
        await settle(pilot)
        assert text_of(again, "#plans-query") == ("/ filter: conv   4 of 7   sorted by $/h, dearest first   1 marked")
        assert again.state.marks == {stored[-1].plan.id}


@pytest.mark.thorough
async def test_a_kept_filter_that_is_refused_by_now_is_told_and_let_go(
    make_app: Make, stored: tuple[Answer, ...]
) -> None:
    app = make_app()
    app.session = app.session._replace(words="colour:blue")
    async with driven(app) as pilot:
        view = await plans_of(pilot)
        assert view.table.count == 7
        assert text_of(app, "#plans-status").startswith("x / colour:blue: query: not a query word")
        assert app.session.words == ""


async def test_a_plan_is_copied_in_words(
    make_app: Make, stored: tuple[Answer, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    app, copied = make_app(), []

    async def copy(text: str) -> None:
        copied.append(text)

    async with driven(app) as pilot:
        await plans_of(pilot)
        monkeypatch.setattr(app, "copy_text", copy)
        await pilot.press("y")
        await until(pilot, lambda: copied)
    handle = stored[-1].plan.handle
    assert copied[0].startswith(f"-- {handle} one more")
    assert f"fleettui show {handle}\n" in copied[0]


@pytest.mark.evidence
async def test_the_whole_list_is_written(
    make_app: Make, stored: tuple[Answer, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with driven(make_app()) as pilot:
        await plans_of(pilot)
        await pilot.press("w")
        await until(pilot, lambda: "html  the report" in frame(pilot.app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Prompt) and isinstance(pilot.app.focused, Input))
        await typed(pilot, "list")
        await until(pilot, (tmp_path / "list").exists)
    lines = (tmp_path / "list").read_text("utf-8").splitlines()
    assert lines[0] == "7 plans   filter: none   sorted by made, newest first"
    assert [line.split()[0] for line in lines[2:]] == [one.plan.handle for one in reversed(stored)]


async def test_keys_act_on_the_plan_under_the_cursor(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        view = await plans_of(pilot)
        await pilot.press("j", "j")
        assert view.selected_plan() == stored[-3].plan.id
        found = await view.selected_candidate()
        assert found is not None
        assert stored[-3].answer is not None
        assert found.candidate == stored[-3].answer.candidate
        await pilot.press("R")
        await until(pilot, lambda: told(app))
        assert "no stopped work on this plan" in told(app)[-1]


@pytest.mark.evidence
async def test_a_name_that_is_given_is_seen_at_once(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await plans_of(pilot)
        await pilot.press("N")
        await until(pilot, lambda: len(app.screen_stack) > 1)
        await typed(pilot, "Black Friday")
        await until(pilot, lambda: "note" in frame(app).split("\n")[-2])
        await pilot.press("escape")
        await until(pilot, lambda: "Black Friday" in text_of(app, "#plans-title"))
        await until(pilot, lambda: "Black Friday" in frame(app).split("\n")[4])


@pytest.mark.parametrize("size", few([(80, 24), (120, 36), (200, 50), (60, 14)], 1, whole=True))
async def test_every_size_shows_the_list_whole(
    make_app: Make, stored: tuple[Answer, ...], size: tuple[int, int]
) -> None:
    async with driven(make_app(), size) as pilot:
        view = await plans_of(pilot)
        await pilot.pause()
        assert not rules(frame(pilot.app), *size)
        assert view.table.region.height >= 4
        upper, lower = (pilot.app.query_one(f"#plans-{name}").region for name in ("preview", "change"))
        if size[0] >= 100:
            assert upper.y == lower.y
            assert lower.x > upper.x
        assert len(view.query("*")) <= 60


async def test_the_list_made_large_has_the_whole_screen(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press(KEY["plans"])
        await settle(pilot)
        await until(pilot, app.view.selected_plan)
        await pilot.press("z")
        await settle(pilot)
        assert app.view.query_one("#plans-list").size.height >= 20
