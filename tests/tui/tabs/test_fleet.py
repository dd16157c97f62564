"""View 2: the answer with what else was near, sorted, looked at, plotted; work under way, and work that was stopped."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.plan import Answer, Verdict
from fleettui.domain.progress import Progress
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.progress_text import status
from fleettui.tui.shown import Shown
from fleettui.tui.tabs.fleet import REPLICA
from fleettui.tui.tabs.listing import ORDERS
from fleettui.tui.task import Tools
from fleettui.tui.widgets.paged_table import PagedTable
from fleettui.tui.widgets.plot import Plot
from store import Store
from tests.repeated import few
from tests.reports.studies.test_money import study
from tests.store import samples
from tests.tui.conftest import Make
from tests.tui.driving import driven, lines, settle, text_of, told, typed, until
from tests.tui.frames import frame, rules


async def endless(tools: Tools) -> Answer:
    await asyncio.Event().wait()
    raise AssertionError


def shown_by(app: FleetApp) -> Shown:
    assert app.state.shown is not None
    return app.state.shown


def table(app: FleetApp) -> PagedTable:
    return app.query_one("#fleet-candidates", PagedTable)


def rows(app: FleetApp) -> list[str]:
    """Return the rows of the table that are in view, without its head."""
    found = [table(app).render_line(y).text.rstrip() for y in range(table(app).size.height)]
    return [line for line in found[1:] if line]


async def test_the_answer_stands_first_with_what_was_near_below(app: FleetApp) -> None:
    async with driven(app):
        found = lines(app)
        best, count = shown_by(app).answer.answer, len(shown_by(app).answer.candidates)
        assert best is not None
        assert found[2].startswith(f"~PASS at nominal speed   {best.gpus} H100   ")
        assert found[3].startswith("prices  H100 $2.95/h median of providers; 2026-05")
        assert found[4].startswith("limits  P99 TTFT ")
        assert found[5] == "proof   formula only: not simulated"
        assert any(line.startswith("pool  GPUs") for line in found)
        title = next(place for place, line in enumerate(found) if f" of {count} candidates" in line)
        assert "cheapest first" in found[title]
        assert found[title + 2].startswith(f"> * {best.handle}  ")
        assert found[-3].startswith("question  workload azure-2023-conv  rate 100/s")
        assert "…" not in "\n".join(found[2:title]), "no part of the answer is cut"
        assert app.focused is table(app)


@pytest.mark.thorough
async def test_every_order_is_the_stores(app: FleetApp) -> None:
    async with driven(app, (120, 40)) as pilot:
        plan, store = shown_by(app).plan, await app.state.thread.store()
        await pilot.press("equals_sign")
        for order in (*list(ORDERS)[1:], "rank"):
            await pilot.press("s")
            await settle(pilot)
            for reverse in (True, False):
                await pilot.press("S")
                await settle(pilot)
                known = [one.handle for one in store.candidates(plan, order=order, reverse=reverse, limit=8)]
                assert [row.replace(">", " ").replace("*", " ").split()[0] for row in rows(app)[:8]] == known
                title = text_of(app, "#fleet-title")
                assert ORDERS[order] in title
                assert ("reversed" in title) == reverse
                assert table(app).cursor == 0


async def test_every_split_is_listed_and_words_find_rows(app: FleetApp) -> None:
    async with driven(app) as pilot:
        many, title = len(shown_by(app).answer.candidates), text_of(app, "#fleet-title")
        fleets = table(app).count
        assert fleets is not None
        assert title.startswith(f"== {fleets} fleets of {many} candidates, * answer, then cheapest first")
        await pilot.press("equals_sign")
        await settle(pilot)
        assert table(app).count == many > fleets
        assert text_of(app, "#fleet-title").startswith(f"== {many} candidates, ")
        await pilot.press("equals_sign", "slash")
        await until(pilot, lambda: len(app.screen_stack) > 1)
        await typed(pilot, "tp8 +")
        await settle(pilot)
        assert all("tp8" in row and "+" in row for row in rows(app))
        assert "   / tp8 + " in text_of(app, "#fleet-title")
        await pilot.press("escape")
        await settle(pilot)
        assert text_of(app, "#fleet-title") == title


@pytest.mark.evidence
async def test_how_the_candidates_are_listed_is_kept_for_the_next_start(app: FleetApp, make_app: Make) -> None:
    async with driven(app) as pilot:
        await pilot.press("s", "S", "equals_sign", "p")
        await settle(pilot)
        title = text_of(app, "#fleet-title")
        assert f"{list(ORDERS.values())[1]}, reversed" in title
    again = make_app()
    async with driven(again) as pilot:
        await until(pilot, lambda: text_of(again, "#fleet-title") == title)
        assert again.query_one("#fleet-plot", Plot).display
        await pilot.press("escape")
        assert not again.query_one("#fleet-plot", Plot).display


async def test_the_example_is_sorted_too(make_app: Make) -> None:
    app = make_app()
    async with driven(app) as pilot:
        before = rows(app)
        await pilot.press("S")
        await settle(pilot)
        assert "reversed" in text_of(app, "#fleet-title")
        assert rows(app) != before


async def test_a_candidate_is_looked_at_and_left(app: FleetApp) -> None:
    async with driven(app) as pilot:
        best, other = shown_by(app).answer.candidates[:2]
        answer = text_of(app, "#fleet-text")
        await pilot.press("j")
        assert await app.view.selected_candidate() == other, "keys act on what is under the cursor"
        await pilot.press("enter")
        await until(pilot, lambda: shown_by(app).chosen)
        await settle(pilot)
        assert shown_by(app).chosen == other
        assert text_of(app, "#fleet-text") != answer
        assert "short" in text_of(app, "#fleet-text")
        assert "why" not in text_of(app, "#fleet-text")
        assert f"at {other.handle}, esc: the answer" in text_of(app, "#fleet-title")
        assert await app.view.selected_candidate() == other
        assert table(app).cursor == 1
        await pilot.press("escape")
        await settle(pilot)
        assert shown_by(app).chosen is None
        assert text_of(app, "#fleet-text") == answer
        await pilot.press("k", "enter")
        await settle(pilot)
        assert shown_by(app).chosen is None, "the answer is the plan itself"
        assert await app.view.selected_candidate() == best


async def test_the_candidates_are_plotted_and_one_is_opened_there(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("p")
        await settle(pilot)
        plot = app.query_one("#fleet-plot", Plot)
        assert app.focused is plot
        assert not table(app).display
        assert plot.size.height > 8
        assert rules(frame(app), 80, 24) == []
        assert "P99 TTFT, worst pool, by $/h" in frame(app)
        assert any("feasible; this plan" in line for line in lines(app))
        best = shown_by(app).answer.answer
        assert best is not None
        await pilot.press("l")
        if plot.chosen == best.candidate:
            await pilot.press("l")
        await pilot.press("enter")
        await until(pilot, lambda: shown_by(app).chosen)
        chosen = shown_by(app).chosen
        assert chosen is not None
        assert chosen.candidate == plot.chosen != best.candidate
        await pilot.press("escape")
        await settle(pilot)
        assert app.focused is table(app)
        assert table(app).display
        assert not plot.display
        assert shown_by(app).chosen == chosen, "one level back at a time"
        await pilot.press("escape")
        await settle(pilot)
        assert shown_by(app).chosen is None


async def test_on_a_wide_screen_table_and_plot_stand_side_by_side(app: FleetApp) -> None:
    async with driven(app, (140, 40)):
        side = app.query_one("#fleet-side-plot", Plot)
        assert side.display
        assert side.size.width > 50
        assert table(app).size.height >= 10
        assert any("feasible; this plan" in line for line in lines(app))
        assert rules(frame(app), 140, 40) == []


async def test_on_a_small_screen_the_answer_is_what_is_left(app: FleetApp) -> None:
    async with driven(app, (60, 12)):
        best = shown_by(app).answer.answer
        assert best is not None
        assert f"~PASS at nominal speed   {best.gpus} H100" in frame(app)
        assert rules(frame(app), 60, 12) == []


@pytest.mark.evidence
async def test_work_under_way_is_told_and_followed(app: FleetApp) -> None:
    async with driven(app) as pilot:
        task = app.state.thread.begin("plan chat", "plan", endless)
        app.state.following = task
        app.state.changed()
        task.report(Progress(message="simulating H100 tp8 x7", done=4, total=10))
        await until(pilot, lambda: "4/10" in lines(app)[2])
        assert lines(app)[2].startswith("simulating H100 tp8 x7  4/10  ")
        assert lines(app)[2].endswith("x stops it")
        assert lines(app)[0].endswith("● 1 job 40%")
        task.report(Progress(message="simulating H100 tp8 x7", done=9, total=10))
        await until(pilot, lambda: lines(app)[0].endswith("● 1 job 90%"))
        await pilot.press("x")
        await until(pilot, lambda: not task.alive)
        await until(pilot, lambda: "job" not in lines(app)[0])
        assert text_of(app, "#fleet-status") == status(app.state) == ""
        await until(pilot, lambda: any("plan chat: stopped" in words for words in told(app)))


@pytest.mark.evidence
async def test_no_old_answer_stands_under_a_new_question(app: FleetApp) -> None:
    """Seen: the PASS of the last plan stayed the headline after another question was asked."""
    async with driven(app) as pilot:
        handle = shown_by(app).answer.plan.handle
        app.state.ask({"workload": "azure-2023-code", "rate": "20/s", "slo-ttft": "1s"})
        await settle(pilot)
        found = lines(app)
        assert found[0].startswith("fleettui  new question  azure-2023-code")
        assert found[2] == "a new question, not planned   r plans it, e edits it"
        assert found[3].startswith("NOT PLANNED YET")
        assert f"before  plan {handle}, another question: PASS" in found[5]
        assert not any(line.startswith(("PASS", "limits", "pool")) for line in found)
        assert not app.query_one("#fleet-lower").display
        assert (app.view.selected_plan(), await app.view.selected_candidate(), app.view.copied()) == ("", None, "")
        await pilot.press("4")
        assert lines(app)[3].startswith("NOT PLANNED YET")
        await pilot.press("2")
        app.state.following = app.state.thread.begin("plan code", "plan", endless)
        app.state.changed()
        await until(pilot, lambda: lines(app)[3].startswith("SEARCHING"))
        assert not any(line.startswith("PASS") for line in lines(app))
        app.state.thread.cancel(app.state.following)
        await until(pilot, lambda: lines(app)[3].startswith("NOT PLANNED YET"))
        app.state.undo()
        await settle(pilot)
        assert lines(app)[2].startswith("~PASS at nominal speed")
        assert app.focused is table(app), "the keys are the candidates' again"


async def test_the_answer_to_an_edited_question_is_called_that_before_the_edit(app: FleetApp) -> None:
    async with driven(app) as pilot:
        app.state.edit({"slo-ttft": "300ms"})
        await settle(pilot)
        assert lines(app)[2].startswith("edited: slo-ttft 300ms")
        assert lines(app)[3:5] == ["BEFORE THE EDIT", lines(app)[4]]
        assert lines(app)[4].startswith("~PASS at nominal speed")
        app.state.undo()
        await settle(pilot)
        assert lines(app)[2].startswith("~PASS at nominal speed")


@pytest.mark.parametrize("small", few([(50, 20), (40, 12), (79, 24)], 1, whole=True))
async def test_the_question_is_whole_after_any_resize(app: FleetApp, small: tuple[int, int]) -> None:
    async with driven(app, (80, 24)) as pilot:
        before = lines(app)[-3:]
        await pilot.resize_terminal(*small)
        await settle(pilot)
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert lines(app)[-3:] == before


async def test_what_a_plan_moves_to_is_marked_as_the_answer(app: FleetApp) -> None:
    """The proof may end at another fleet than the formula began with."""
    async with driven(app) as pilot:
        shown = shown_by(app)
        dearer = shown.answer.candidates[1]
        app.state.shown = replace(shown, answer=replace(shown.answer, answer=dearer))
        app.state.changed()
        await settle(pilot)
        assert [row for row in rows(app) if "*" in row] == [row for row in rows(app) if dearer.handle in row]


@pytest.mark.thorough
async def test_work_of_another_process_on_the_plan_is_shown_without_a_key(make_app: Make, database: Path) -> None:
    """Found by trying: an app that was left and started again said "its work was stopped" until a key was pressed."""
    with Store.open(database) as store:
        _, job = samples.begin(store, owner="elsewhere:417:1")
    app = make_app()
    async with driven(app) as pilot:
        await until(pilot, lambda: lines(app)[2].endswith("x stops it"))
        await pilot.press("x")
        with Store.open(database) as store:
            await until(pilot, lambda: store.job(job.id).cancelling)


@pytest.mark.thorough
async def test_a_plan_that_was_stopped_says_so_and_goes_on(make_app: Make, long_stopped: Path) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await settle(pilot)
        shown = shown_by(app)
        assert lines(app)[2] == "not finished: its work was stopped   R goes on"
        assert lines(app)[3].startswith("NOT PROVEN YET   24 H100")
        await pilot.press("R")
        await until(pilot, lambda: app.state.thread.alive and app.state.thread.alive[0].job)
        (task,) = app.state.thread.alive
        assert (task.plan, app.state.following) == (shown.plan, task)
        await until(pilot, lambda: lines(app)[2].endswith("x stops it"))
        await pilot.press("x")
        await until(pilot, lambda: not task.alive)
        await until(pilot, lambda: lines(app)[2].startswith("not finished"))
    with Store.open(long_stopped) as store:
        assert task.job is not None
        assert store.job(task.job.id).state == "cancelled"


@pytest.mark.parametrize(
    ("verdict", "words"),
    [("infeasible", "INFEASIBLE   no fleet holds"), ("unproven", "NOT PROVEN   no fleet is proven")],
)
async def test_without_an_answer_the_nearest_are_listed(
    filled: Path, make_app: Make, verdict: Verdict, words: str
) -> None:
    with Store.open(filled) as store:
        samples.add(store, replace(samples.infeasible(), verdict=verdict))
    app = make_app()
    async with driven(app) as pilot:
        assert lines(app)[2].startswith(words)
        assert "* the answer" not in text_of(app, "#fleet-title")
        assert len(rows(app)) == 3
        nearest = await app.view.selected_candidate()
        assert nearest is not None
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        assert nearest.handle in text_of(app, "#prompt-help")


async def test_what_cannot_be_done_is_not_in_the_footer(app: FleetApp, make_app: Make, database: Path) -> None:
    async with driven(app, (200, 24)):
        assert app.view.impossible() == {"cancel", "undo", "resume", "tables"}
        assert "v proof" in lines(app)[-1]
        assert "x cancel" not in lines(app)[-1]
        app.state.show_example()
        assert app.view.impossible() == {"cancel", "undo", "proof", "name", "forks", "tag", "resume", "tables"}
        assert "v proof" not in lines(app)[-1]


@pytest.mark.parametrize("size", few([(80, 24), (120, 36)], 1, whole=True))
async def test_the_replicas_of_the_plan_are_pictured_after_its_costs(app: FleetApp, size: tuple[int, int]) -> None:
    async with driven(app, size) as pilot:
        await pilot.press("p")
        await settle(pilot)
        assert not any("memory of one of" in line for line in lines(app))
        await pilot.press("p")
        await until(
            pilot, lambda: any("memory of one of 8 H100 that hold llama-3.1-70b" in line for line in lines(app))
        )
        await settle(pilot)
        assert next(line for line in lines(app) if line.startswith("KV cache")).endswith("█")
        assert rules(frame(app), *size) == []
        assert app.view.deliveries()[REPLICA].file == "replica.svg"
        assert (await app.view.deliveries()[REPLICA].text()).startswith("<svg")
        await pilot.press("p")
        await until(pilot, lambda: table(app).display and table(app).size.height)
        assert app.focused is table(app)


@pytest.mark.evidence
async def test_the_pictures_of_another_fleet_are_not_kept_on_screen(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("p", "p")
        await until(pilot, lambda: any("memory of one of" in line for line in lines(app)))
        other = shown_by(app).answer.candidates[-1]
        await app.state.choose(other.candidate)
        await until(pilot, lambda: not any("memory of one of" in line for line in lines(app)))


async def test_how_its_gpus_are_paid_for_stands_below_the_answer(app: FleetApp) -> None:
    async with driven(app):
        assert not any(line.startswith("money") for line in lines(app))
        with Store.open() as store:
            store.add_study(replace(study(), plan=shown_by(app).plan))
        await app.state.reload()
        (found,) = (line for line in lines(app) if line.startswith("money"))
        assert "32 H100 reserved-1y at $1.00/h" in found
