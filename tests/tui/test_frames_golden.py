"""Every view in every state, as text: FLEETTUI_UPDATE_FRAMES=1 keeps what is drawn now, to be read as a diff."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from fleettui.domain.opening import Opening
from fleettui.domain.progress import Interval, Progress
from fleettui.domain.study import Study
from fleettui.hardware import catalog
from fleettui.tui.app import FleetApp
from fleettui.tui.keys import footer
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.pick import Pick
from fleettui.tui.modals.question import Grid
from fleettui.tui.tabs.compare import CompareView
from fleettui.tui.tabs.list_view import ListView
from fleettui.tui.task import Task
from fleettui.tui.widgets.frame import bar
from fleettui.tui.widgets.text_lines import Text
from store import Store
from tests.hardware.test_catalog import PARTS
from tests.made_once import made_once
from tests.repeated import few
from tests.reports.studies.test_autoscale import KEDA, PEAK
from tests.reports.studies.test_autoscale import study as replayed
from tests.reports.studies.test_burst import bursts
from tests.reports.studies.test_disagg import study as both_ways
from tests.reports.studies.test_failures import failed
from tests.reports.studies.test_power import study as capped
from tests.reports.test_routers_table import routers
from tests.tui import driving, seeded
from tests.tui.driving import KEY, lines, settle, until
from tests.tui.frames import FOLDER, body, compare, frame, rules
from tests.tui.looking import ASPECTS, NAMES, look, still, views

SCALED = (*[48.0] * 21, *[64.0] * 4, *[88.0] * 23)
"""GPUs of a policy in spans of five minutes over four hours."""
SIZES = ((80, 24), (120, 36))
RULED = ((60, 15), (200, 60))
"""The smallest and the widest screen: of a proved plan among others their frames are kept, and held to rules, too."""
LISTS = (ListView, CompareView)
"""Views whose rows are cut where they are too long, as rows of lists are."""
VERDICTS = re.compile(r"\b(PASS|FAIL|NOT PROVEN|INFEASIBLE)\b")
Make = Callable[..., FleetApp]
Size = tuple[int, int]


def written(size: Size) -> str:
    """Return a size as it stands in the names of files."""
    return f"{size[0]}x{size[1]}"


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store of five plans that are the same at every run."""
    return made_once(tmp_path_factory, "seeded.db", seeded.fill)


@pytest.fixture
def seeds(plans: Path, database: Path) -> Path:
    """The test's own copy of the store."""
    return Path(shutil.copy(plans, database))


class Kept:
    """Frames compared with those that are kept, all of them before the first difference is told."""

    def __init__(self, app: FleetApp, state: str) -> None:
        self._app, self._state = app, state
        self._wrong: list[str] = []

    def see(self, view: str, text: str) -> None:
        """Compare what stands between the bar and the footer, and hold those two to the views and the keys."""
        size = (self._app.size.width, self._app.size.height)
        self._wrong += [f"{view}: {wrong}" for wrong in rules(text, *size)]
        try:
            compare(f"{view}-{self._state}", size, shared(self._app, text, size[0]))
        except AssertionError as error:
            self._wrong.append(str(error))

    def rule(self, view: str, text: str) -> None:
        """Hold a frame to the rules of all: its bar and footer are whole, no sentence is cut, its width is used."""
        size = (self._app.size.width, self._app.size.height)
        self._wrong += [f"{view} at {written(size)}: {wrong}" for wrong in rules(text, *size)]
        shared(self._app, text, size[0])
        rows = isinstance(self._app.view, LISTS)
        told = "" if rows else text_of(self._app.base, view)
        self._wrong += [f"{view} at {written(size)} is cut: {line}" for line in told.split("\n") if "…" in line]
        if size == RULED[1] and not rows and max(map(len, text.split("\n")[2:-1])) <= SIZES[1][0]:
            self._wrong.append(f"{view} leaves the right of {size[0]} columns empty")

    def judge(self) -> None:
        """Fail if a frame was another."""
        assert not self._wrong, "\n\n".join(self._wrong)


def shared(app: FleetApp, text: str, width: int) -> str:
    """Return what is kept of a frame: not the bar, and in place of the footer what the view leaves out of it.

    Bar and footer are what the registry of views and the keys make of the view, unless something stands above it.
    """
    lines, tabs, out = text.split("\n"), bar(app.seen, width).plain.rstrip(), app.view.impossible()
    if len(app.screen_stack) > 1:
        return "\n".join(line for line in lines if line != tabs)
    assert lines[0].startswith("fleettui")
    assert (lines[1], lines[-1]) == (tabs, footer(app.seen, width, out))
    return f"{body(text)}\n-- cannot be done: {' '.join(sorted(out)) or 'nothing'} --"


@asynccontextmanager
async def at(app: FleetApp, state: str, size: Size = SIZES[0]) -> AsyncIterator[tuple[Pilot[int], Kept]]:
    """Run `app` on a screen of `size`, its frames to be compared."""
    kept = Kept(app, state)
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: app.store is not None)
        await settle(pilot)
        yield pilot, kept
    kept.judge()


async def sizes(pilot: Pilot[int]) -> AsyncIterator[None]:
    """Give the screen one size after the other."""
    for size in SIZES:
        await pilot.resize_terminal(*size)
        yield


def test_every_view_has_frames() -> None:
    """They are compared by tests that run under `evidence`."""
    missing = [name for name in NAMES for size in SIZES if not (FOLDER / f"{name}-filled-{written(size)}.txt").exists()]
    assert missing == [], "python -m tests.redraw frames draws them"


@pytest.mark.thorough
async def test_the_first_start(make_app: Make) -> None:
    async with at(make_app(), "empty") as (pilot, kept):
        async for _ in sizes(pilot):
            for name in NAMES:
                kept.see(name, await look(pilot, name))


@pytest.mark.evidence
async def test_a_proved_plan_among_others(seeds: Path, make_app: Make) -> None:
    app = make_app(Opening(kind="plan", text=seeded.ASKED.name))
    async with at(app, "filled") as (pilot, kept):
        async for _ in sizes(pilot):
            async for name, text in views(app, pilot):
                kept.see(name, text)


@pytest.mark.evidence
async def test_no_view_is_cut_on_the_smallest_screen_and_each_uses_the_widest(seeds: Path, make_app: Make) -> None:
    app = make_app(Opening(kind="plan", text=seeded.ASKED.name))
    async with at(app, "filled", RULED[0]) as (pilot, kept):
        for size in RULED:
            await pilot.resize_terminal(*size)
            async for name, text in views(app, pilot):
                kept.rule(name, text)
                kept.see(name, text)


def text_of(screen: Screen[object], view: str) -> str:
    """Return all that a view tells in sentences, what is scrolled out of sight with it."""
    return "\n".join(one.text for one in screen.query(f"#view-{view} Text").results(Text) if one.display)


def busy(app: FleetApp) -> Task:
    """Return work on the plan that is shown that stands still, and whose time does too."""
    assert app.state.shown is not None
    task = Task(title="plan summer llama-3.1-70b", kind="plan", started=100.0, ended=142.0, plan=app.state.shown.plan)
    task.report(Progress(message="searching fleets"))
    for runs, half, total in ((4, 0.03, 4), (8, 0.01, 20)):
        seen = Interval(name="P99 TTFT", low=0.44 - half, value=0.44, high=0.44 + half, limit=0.5, runs=runs)
        words = "simulating H100 tp8 x7"
        task.report(Progress(message=words, done=runs, total=total, fleet=2, fleets=4, intervals=(seen,)))
    task.shown = True
    app.state.thread.tasks.append(task)
    app.state.following = task
    app.state.changed()
    return task


@pytest.mark.thorough
async def test_work_that_goes_on(seeds: Path, make_app: Make) -> None:
    app = make_app(Opening(kind="plan", text=seeded.ASKED.name))
    async with at(app, "busy") as (pilot, kept):
        task = busy(app)
        async for _ in sizes(pilot):
            for name in NAMES:
                kept.see(name, await look(pilot, name))
        task.state = "cancelled"
        await until(pilot, lambda: task.told)
        await still(pilot)


async def test_a_question_that_no_fleet_answers(seeds: Path, make_app: Make) -> None:
    app = make_app(Opening(kind="plan", text=seeded.DEAR))
    async with at(app, "infeasible") as (pilot, kept):
        async for _ in sizes(pilot):
            for name in ("fleet", *ASPECTS):
                kept.see(name, await look(pilot, name))


@pytest.mark.parametrize("size", few(SIZES, 0, more=1, whole=True), ids=written)
async def test_what_is_refused(seeds: Path, make_app: Make, size: Size, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("arrival_s,input_tokens,output_tokens\n0.0,100,20\n0.5,-3,20\n")
    app = make_app(Opening(kind="plan", text=seeded.STOPPED))
    async with at(app, "refused", size) as (pilot, kept):
        kept.see("fleet", await look(pilot, "fleet"))
        await pilot.press("slash" if app.seen == "plans" else KEY["plans"], "slash")
        await until(pilot, lambda: len(app.screen_stack) > 1)
        await driving.typed(pilot, "cost<")
        kept.see("plans", await still(pilot))
        await driving.typed(pilot, "cost<5 summer")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        kept.see("plans-none", await still(pilot))
        app.state.edit({"workload": "bad.csv"})
        kept.see("workload", await look(pilot, "workload"))
        app.state.edit({"workload": "azure-2023-conv", "slo-ttft": ""})
        await pilot.press(KEY["fleet"], "r")
        await until(pilot, lambda: driving.told(app))
        kept.see("fleet-lacking", await still(pilot))


@pytest.mark.parametrize("size", few(SIZES, 0, more=1, whole=True), ids=written)
async def test_studies_of_the_plan(seeds: Path, make_app: Make, size: Size) -> None:
    seeded.study(seeds)
    app = make_app(Opening(kind="plan", text=seeded.ASKED.name))
    async with at(app, "studied", size) as (pilot, kept):
        kept.see("fleet", await look(pilot, "fleet"))
        await look(pilot, "plans")
        await pilot.press("j", "j", "j")
        kept.see("plans", await still(pilot))
        await pilot.press("t")
        await until(pilot, lambda: len(app.screen_stack) > 1)
        kept.see("choice", await still(pilot))
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, Page))
        kept.see("page", await still(pilot))
        await pilot.press("escape", "t", "enter")
        await until(pilot, lambda: isinstance(app.screen, Page) and app.screen.query("#page-plot"))
        kept.see("page-plotted", await still(pilot))


@pytest.mark.parametrize("size", few(SIZES, 1, whole=True), ids=written)
async def test_a_replayed_day(seeds: Path, make_app: Make, size: Size) -> None:
    app = make_app(Opening(kind="plan", text=seeded.ASKED.name))
    async with at(app, "replayed", size) as (pilot, kept):
        assert app.state.shown is not None
        with seeded.opened(seeds, 60) as store:
            whole = replace(PEAK, by_pool=((96.0,) * 48,))
            store.add_study(replace(replayed(whole, replace(KEDA, by_pool=(SCALED,))), plan=app.state.shown.plan))
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, Page) and app.screen.query("#page-plot"))
        kept.see("page-plotted", await still(pilot))
        await pilot.press("n", "n", *"l" * 31)
        kept.see("page-of-one", await still(pilot))


STUDIES_OF_VIEWS = (
    ("played", "routing", routers, "vllm-dp"),
    ("burst", "routing", bursts, "requests per second"),
    ("failed", "routing", failed, "1 down: holds"),
    ("capped", "power", capped, "of its limit"),
    ("searched", "disagg", both_ways, "co-located is cheaper"),
)
"""The state's name, the view, the study of its plan that it shows, and words of it."""


@pytest.mark.parametrize("size", few(SIZES, 1, whole=True), ids=written)
@pytest.mark.parametrize(("state", "view", "study", "words"), STUDIES_OF_VIEWS)
async def test_a_study_in_its_view(
    seeds: Path, make_app: Make, size: Size, state: str, view: str, study: Callable[[], Study], words: str
) -> None:
    app = make_app(Opening(kind="plan", text=seeded.ASKED.name))
    async with at(app, state, size) as (pilot, kept):
        assert app.state.shown is not None
        with Store.open(seeds) as store:
            store.add_study(replace(study(), plan=app.state.shown.plan))
        await look(pilot, view)
        await until(pilot, lambda: any(words in line for line in lines(app)))
        kept.see(view, await still(pilot))


@pytest.mark.parametrize("size", few(SIZES, 0, more=1, whole=True), ids=written)
async def test_plans_laid_over_each_other_and_handed_over(seeds: Path, make_app: Make, size: Size) -> None:
    app = make_app(Opening(kind="plan", text=seeded.ASKED.name))
    async with at(app, "laid", size) as (pilot, kept):
        ids = await app.state.thread.read(lambda store: [row.id for row in store.plans()])
        app.state.marks = frozenset(ids[2:])
        await look(pilot, "compare")
        for picture in ("cdf", "cost", "latency"):
            if picture != "cdf" or "share of requests" not in frame(app):  # a tall screen shows it from the first
                await pilot.press("p")
            kept.see(f"compare-{picture}", await still(pilot))
        await pilot.press("t")
        kept.see("compare-table", await still(pilot))
        await pilot.press("w")
        await until(pilot, lambda: len(app.screen_stack) > 1)
        kept.see("choice-write", await still(pilot))
        await pilot.press("escape", KEY["fleet"], "F")
        await until(pilot, lambda: len(app.screen_stack) > 1)
        kept.see("choice-forks", await still(pilot))


@pytest.mark.parametrize("size", few(SIZES, 1, whole=True), ids=written)
@pytest.mark.thorough
async def test_what_is_chosen_from_a_list(seeds: Path, make_app: Make, size: Size, monkeypatch) -> None:
    monkeypatch.setattr(catalog, "gpu_names", lambda: tuple(sorted(PARTS)))  # another GPU changes no frame
    app = make_app(Opening(kind="plan", text=seeded.ASKED.name))
    async with at(app, "picked", size) as (pilot, kept):
        await look(pilot, "fleet")
        for key in ("gpu", "model", "engine"):
            app.push_screen(Grid(app.state, key))
            await until(pilot, lambda: isinstance(app.screen, Grid))
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, Pick))
            if key == "gpu":
                await pilot.press("down", "space")
            kept.see(f"choice-{key}", await still(pilot))
            await pilot.press("escape", "escape")


@pytest.mark.parametrize("file", sorted(FOLDER.glob("fleet-*.txt")), ids=lambda file: file.stem)
def test_the_answer_is_whole_and_says_its_verdict_and_its_units(file: Path) -> None:
    lines = file.read_text("utf-8").split("\n")
    width = int(file.stem.rsplit("-", 1)[1].split("x")[0])
    end = next((n for n, line in enumerate(lines) if re.match(r"(--|==) \d", line)), len(lines))
    answer = [line[: width * 11 // 20 if width >= 100 else width] for line in lines[1:end]]
    assert not [line for line in answer if "…" in line]
    head = next(line for line in answer if VERDICTS.search(line))
    assert "INFEASIBLE" in head or re.search(r"\d[\d,]* H100\b.*\$[\d.,]+/h\b", head)
    assert "INFEASIBLE" in head or any(re.search(r"GPUs draw [\d.]+ kW", line) for line in answer)


@pytest.mark.parametrize("file", sorted(FOLDER.glob("plans-filled-*.txt")), ids=lambda file: file.stem)
def test_every_plan_of_the_list_says_its_verdict(file: Path) -> None:
    lines = file.read_text("utf-8").split("\n")
    first = next(place for place, line in enumerate(lines) if line.rstrip().endswith("  verdict")) + 1
    rows = lines[first : first + 5]
    assert all(re.match(r"[> ] [*! ] [0-9a-f]{4,} ", row) for row in rows)
    for row in rows:
        assert VERDICTS.search(row) or re.search("unfinished|not finished", row, re.IGNORECASE)
