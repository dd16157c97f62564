"""View 7 over a real store: marked plans side by side, a plan beside its parent, and what to do without either."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer
from fleettui.planning.compare import spread_of
from fleettui.planning.make_plan import make_plan
from fleettui.planning.worker_pool import WorkerPool
from fleettui.reports.comparison.model import Compared
from fleettui.reports.comparison.spread import Spread
from fleettui.tui.actions import studies
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.tabs import compare as tab
from fleettui.tui.tabs import named
from fleettui.tui.widgets.frame import bar
from fleettui.tui.widgets.plot import Plot
from store import Store
from tests.repeated import few
from tests.store import samples
from tests.tui.conftest import CONV
from tests.tui.driving import KEY, driven, lines, settle, text_of, told, until
from tests.tui.frames import frame, rules

Make = Callable[..., FleetApp]
HOW = f"Mark plans with space in {named('plans').label}, then c."


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[Answer, ...]]:
    """The file of a store of three plans of rising cost, and a what-if of the first, which is shown; and the plans."""
    file = tmp_path_factory.mktemp("plans") / "plans.db"
    with Store.open(file, clock=samples.clock()) as store:
        made = [samples.add(store, samples.at(71.1 + number, f"size {number}")) for number in range(3)]
        made.append(samples.add(store, samples.at(78.08, "one more"), parent=made[0].plan.id))
    return file, tuple(made)


@pytest.fixture
def stored(made: tuple[Path, tuple[Answer, ...]], database: Path) -> tuple[Answer, ...]:
    """The plans of `made`, in the test's own store."""
    shutil.copy(made[0], database)
    return made[1]


def seen(app: FleetApp, title: str) -> bool:
    """Return whether a picture is on the screen, or the word that it cannot be drawn."""
    return title in frame(app) or "No plan here has this" in frame(app)


async def compared(pilot: Pilot[int]) -> str:
    """See the view, wait until it is read, and return its text."""
    await pilot.press(KEY["compare"])
    await until(pilot, lambda: text_of(pilot.app, "#compare-text"))
    await settle(pilot)
    return text_of(pilot.app, "#compare-text")


async def test_without_marks_the_plan_is_set_beside_its_parent(make_app: Make, stored: tuple[Answer, ...]) -> None:
    async with driven(make_app()) as pilot:
        text = await compared(pilot)
        assert text_of(pilot.app, "#compare-status").startswith(f"{HOW}  {stored[3].plan.handle} beside its parent")
        assert text.startswith(f"{stored[3].plan.handle} costs $6.98/h more than {stored[0].plan.handle}")
        assert "unmark" in pilot.app.view.impossible()  # type: ignore[attr-defined]


async def test_a_plan_without_parent_has_nothing_beside_it(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await app.state.open_plan(stored[1].plan.id)
        assert await compared(pilot) == f"The plan that is shown, {stored[1].plan.handle}, was forked from no other."


async def test_where_no_plan_is_kept_it_says_how_one_comes_about(make_app: Make, database: Path) -> None:
    async with driven(make_app()) as pilot:
        assert await compared(pilot) == "No kept plan is shown: r in 2 Fleet plans the question."


async def test_one_mark_alone_is_told(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        app.state.marks = frozenset({stored[1].plan.id})
        await compared(pilot)
        assert text_of(app, "#compare-status") == f"{HOW}  One is marked."


async def test_marked_plans_stand_beside_the_one_made_first(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    first, second, third, _ = (one.plan.handle for one in stored)
    async with driven(app) as pilot:
        app.state.marks = frozenset(one.plan.id for one in stored[:3])
        text = await compared(pilot)
        assert text_of(app, "#compare-status").startswith(f"3 marked, {first} is the baseline")
        assert text.startswith(f"{second} costs $1.00/h more than {first} (+1.4%)")
        assert f"{third} costs $2.00/h more than {first}" in text
        assert text.count(f"{first} size 0 baseline") == 2
        assert "$71/h" in text
        assert app.view.copied().count("baseline") == 1
        assert app.view.file_name() == f"compare-{first}-{second}-{third}.txt"


async def test_marks_of_another_store_are_passed_over(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    elsewhere = "019ca945-0a00-72ab-9fbd-fc51a6e2e5b5"
    async with driven(app) as pilot:
        app.state.marks = frozenset({stored[0].plan.id, stored[1].plan.id, elsewhere})
        assert (await compared(pilot)).startswith(f"{stored[1].plan.handle} costs $1.00/h more")
        assert not told(app)


async def test_marks_are_cleared(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        app.state.marks = frozenset(one.plan.id for one in stored[:2])
        await compared(pilot)
        await pilot.press("M")
        await until(pilot, lambda: text_of(app, "#compare-status").startswith(HOW))
        assert not app.state.marks


async def test_marking_plans_and_pressing_c_leads_here(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press(KEY["plans"])
        await settle(pilot)
        await until(pilot, app.view.selected_plan)
        await pilot.press("space", "j", "space", "c")
        await until(pilot, lambda: app.seen == "compare")
        await until(pilot, lambda: text_of(app, "#compare-status").startswith("2 marked"))
        assert text_of(app, "#compare-text").startswith(f"{stored[3].plan.handle} costs $4.98/h more")


async def test_another_baseline_and_all_rows(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    first, second = (one.plan.handle for one in stored[:2])
    async with driven(app) as pilot:
        app.state.marks = frozenset(one.plan.id for one in stored[:2])
        before = await compared(pilot)
        await pilot.press("b")
        assert text_of(app, "#compare-status").startswith(f"2 marked, {second} is the baseline")
        assert text_of(app, "#compare-text").startswith(f"{first} costs $1.00/h less than {second}")
        await pilot.press("b")
        assert text_of(app, "#compare-text") == before
        await pilot.press("equals_sign")
        assert "-- inputs" in text_of(app, "#compare-text")
        await pilot.press("equals_sign")
        assert text_of(app, "#compare-text") == before


async def test_the_least_proven_plan_is_the_one_that_a_proof_is_for(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        app.state.marks = frozenset(one.plan.id for one in stored[:2])
        await compared(pilot)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        assert any(one.answer.handle in text_of(app, "#prompt-help") for one in stored[:2] if one.answer)


@pytest.mark.thorough
async def test_causes_are_worked_out_and_stand_below(make_app: Make, filled: Path) -> None:
    app = make_app()
    async with driven(app, (120, 36)) as pilot:
        async with WorkerPool() as pool:
            asked = replace(CONV, demand=Demand(form="rate", rate=120.0))
            await make_plan(asked, store=await app.state.thread.store(), pool=pool)
        rows = await app.state.thread.read(lambda store: store.plans(limit=2))
        app.state.marks = frozenset(row.id for row in rows)
        await compared(pilot)
        await pilot.press("d")
        await until(pilot, lambda: "what one input adds" in text_of(app, "#compare-text"))
        assert "rate 100/s -> 120/s: +" in text_of(app, "#compare-text")
        await pilot.press("b")
        assert "what one input adds" not in text_of(app, "#compare-text")


@pytest.mark.evidence
async def test_p_lays_the_plans_over_each_other_and_t_tells_it_as_a_table(
    make_app: Make, stored: tuple[Answer, ...]
) -> None:
    app = make_app()
    async with driven(app) as pilot:
        app.state.marks = frozenset(one.plan.id for one in stored[:2])
        await compared(pilot)
        assert "tables" in app.view.impossible()
        await pilot.press("t")
        await until(pilot, lambda: told(app))
        assert "p shows one" in told(app)[0]
        for title in ("TTFT of all requests", "cost, and the range", "P99 TTFT, worst pool, by cost"):
            await pilot.press("p")
            await until(pilot, partial(seen, app, title))
        assert "SLO 500ms" in frame(app)
        assert f"A {stored[0].plan.handle}  B {stored[1].plan.handle}" in frame(app)
        await pilot.press("t")
        assert app.view.has_class("told")
        assert not app.view.query_one(Plot).display
        assert f"A {stored[0].plan.handle}" in text_of(app, "#compare-figures")
        await pilot.press("p")
        assert not app.view.query_one("#compare-lower").display


async def test_an_earlier_fleet_that_fails_at_the_later_question_is_said_to(make_app: Make, database: Path) -> None:
    small, large = (samples.candidate(size) for size in (2, 3))
    fails = replace(small, evidence=samples.simulated("fail", ttft=0.9))
    plans = [replace(samples.answer(), answer=one[0], candidates=one) for one in ((small,), (large, fails))]
    with Store.open(database, clock=samples.clock()) as store:
        earlier, _ = (samples.add(store, one).plan for one in plans)
    app = make_app()
    async with driven(app, (80, 24)) as pilot:
        app.state.marks = frozenset(row.id for row in await app.state.thread.read(lambda store: store.plans()))
        text = await compared(pilot)
        assert "\nThe fleet is now" in text
        assert f"of {earlier.name or earlier.handle} fails" in " ".join(text.split())


@pytest.mark.evidence
async def test_a_proven_plan_has_a_spread_that_is_read_once_it_is_seen(make_app: Make, database: Path) -> None:
    with Store.open(database, clock=samples.clock()) as store:
        plans = samples.add(store, samples.at(71.1, "by formula")), samples.prove(store)
    app = make_app()
    async with driven(app, (120, 36)) as pilot:
        app.state.marks = frozenset(row.id for row in await app.state.thread.read(lambda store: store.plans()))
        await compared(pilot)
        assert "share of requests" in frame(app), "a tall screen has the plot from the first"
        assert "by formula: no CDF, v proves it" in frame(app)
        await pilot.press("tab", "z")
        assert app.screen.maximized is app.view.query_one(Plot)
        await pilot.press("z")
        assert app.screen.maximized is None
        assert plans


@pytest.mark.thorough
async def test_a_large_plot_does_not_hide_the_view_that_is_gone_to(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await compared(pilot)
        await pilot.press("p", "tab", "z", KEY["plans"])
        await until(pilot, lambda: app.seen == "plans" and app.view.selected_plan())
        await settle(pilot)
        await until(
            pilot, lambda: f"[{named('plans').label}]" in frame(app) and f"> * {stored[3].plan.handle}" in frame(app)
        )


@pytest.mark.thorough
@pytest.mark.parametrize("keys", few(["t", "ppp"], 1))
async def test_a_large_plot_that_goes_leaves_no_empty_screen(
    make_app: Make, stored: tuple[Answer, ...], keys: str
) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await compared(pilot)
        await pilot.press("p", "tab", "z")
        assert app.screen.maximized is app.view.query_one(Plot)
        await pilot.press(*keys)
        await settle(pilot)
        await until(pilot, lambda: app.screen.maximized is None)
        assert lines(app)[1] == bar("compare", app.size.width).plain.rstrip()


@pytest.mark.thorough
async def test_the_spread_of_a_proof_is_read_once_however_often_the_view_is_drawn(
    make_app: Make, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(database, clock=samples.clock()) as store:
        made = samples.add(store, samples.at(71.1, "by formula")), samples.prove(store)
    app, read = make_app(), list[str]()

    def counted(store: Store, plan: Compared) -> Spread | None:
        read.append(plan.handle)
        return spread_of(store, plan)

    monkeypatch.setattr(tab, "spread_of", counted)
    async with driven(app, (120, 36)) as pilot:
        app.state.marks = frozenset(one.plan.id for one in made)
        await compared(pilot)
        for _ in range(3):
            app.state.changed()
            await settle(pilot)
        assert sorted(read) == sorted(one.plan.handle for one in made)


@pytest.mark.evidence
async def test_a_picture_is_drawn_once_its_plans_are_read_not_before(make_app: Make, database: Path) -> None:
    with Store.open(database, clock=samples.clock()) as store:
        made = samples.add(store, samples.at(71.1, "by formula")), samples.prove(store)
    app = make_app()
    async with driven(app) as pilot:
        app.state.marks = frozenset(one.plan.id for one in made)
        await compared(pilot)
        app.view.do_plot()  # type: ignore[attr-defined]
        app.view.do_every()  # type: ignore[attr-defined]
        assert not app.view.has_class("pictured"), "what is proven would be told as known by formula"
        await until(pilot, partial(seen, app, "TTFT of all requests"))


@pytest.mark.thorough
async def test_baselines_are_walked_through_in_one_order_whatever_is_read_anew(
    make_app: Make, stored: tuple[Answer, ...]
) -> None:
    app = make_app()
    async with driven(app) as pilot:
        app.state.marks = frozenset(one.plan.id for one in stored[:3])
        await compared(pilot)
        for place in (1, 2, 0):
            await pilot.press("b")
            order = app.view.file_name()
            assert order.startswith(f"compare-{stored[place].plan.handle}-")
            app.state.changed()
            await settle(pilot)
            assert app.view.file_name() == order


@pytest.mark.evidence
async def test_causes_that_come_when_nothing_is_compared_any_more_are_passed_over(
    make_app: Make, stored: tuple[Answer, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await app.state.open_plan(stored[1].plan.id)
        app.state.marks = frozenset(one.plan.id for one in stored[:2])
        await compared(pilot)

        async def late(*_: object) -> None:
            app.view.do_unmark()  # type: ignore[attr-defined]
            await until(pilot, lambda: not app.view.selected_plan())

        monkeypatch.setattr(studies, "worked_out", late)
        await pilot.press("d")
        await until(pilot, lambda: "was forked from no other" in text_of(app, "#compare-text"))
        await settle(pilot)
        assert not told(app)


@pytest.mark.thorough
async def test_marks_of_another_store_alone_are_no_marked_plans(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        app.state.marks = frozenset(f"019ca945-0a00-72ab-9fbd-fc51a6e2e5b{n}" for n in range(2))
        await compared(pilot)
        assert text_of(app, "#compare-status").startswith(f"{HOW}  {stored[3].plan.handle} beside its parent")


@pytest.mark.thorough
async def test_what_the_picture_says_is_copied_with_the_comparison(make_app: Make, stored: tuple[Answer, ...]) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await compared(pilot)
        await pilot.press("p", "p")
        await until(pilot, partial(seen, app, "cost, and the range"))
        copied = app.view.copied()
        assert f"A {stored[0].plan.handle}" in copied
        assert "A $51,903/month, at worst more than can be had; B $56,998/month (+$5,095)" in copied


@pytest.mark.parametrize("size", few([(80, 24), (120, 36), (200, 50)], 1, whole=True))
async def test_every_size_shows_it_whole(make_app: Make, stored: tuple[Answer, ...], size: tuple[int, int]) -> None:
    app = make_app()
    async with driven(app, size) as pilot:
        app.state.marks = frozenset(one.plan.id for one in stored)
        text = await compared(pilot)
        assert max(map(len, text.split("\n"))) <= size[0] - 2
        assert not rules(frame(app), *size)
