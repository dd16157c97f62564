"""View 1: the traffic of the question in lines to edit, over a real store and real workers."""

import asyncio
import os
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from fleettui.domain.opening import Opening
from fleettui.domain.workload import Workload
from fleettui.tui import saved_place
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.choose import Choose
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.state import AppState
from fleettui.tui.tabs.workload import UNTIMED, WorkloadView, lacking
from fleettui.tui.widgets.choice_list import Lines
from fleettui.tui.widgets.plot import Plot
from tests.repeated import few
from tests.tui.conftest import Make
from tests.tui.driving import KEY, driven, lines, settle, told, until
from tests.tui.frames import body, compare, frame, rules

SIZES = [(80, 24), (120, 36), (60, 22), (80, 14)]
KEPT = SIZES[:2]
"""The sizes of which the frame is kept; the others are held to the rules of every frame."""


def shown(app: FleetApp, words: str) -> bool:
    """Return whether `words` stand on the screen, wherever its lines break."""
    return words in " ".join(line.strip() for line in lines(app))


async def opened(pilot: Pilot[int], name: str = "demand") -> None:
    """See view 1, the cursor on a line, and open it."""
    await pilot.press(KEY["workload"])
    await settle(pilot)
    pilot.app.query_one(Lines).chosen = name
    await pilot.press("enter")


async def typed(pilot: Pilot[int], text: str) -> None:
    """Put `text` into the line that has the focus, and press enter."""
    line = pilot.app.focused
    assert isinstance(line, Input)
    line.value = text
    await pilot.press("enter")


async def asked(pilot: Pilot[int], kind: type[Prompt] | type[Choose] | type[Page]) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, kind) and pilot.app.focused is not None)


@pytest.mark.parametrize("size", few(SIZES, 1, whole=True), ids=str)
async def test_the_traffic_of_a_plan(app: FleetApp, size: tuple[int, int]) -> None:
    async with driven(app, size) as pilot:
        await pilot.press(KEY["workload"])
        await settle(pilot)
        seen = frame(app)
    assert rules(seen, *size) == []
    for words in ("DEMAND    rate: 100 requests/s, as given", "P99 TTFT 500ms", "Poisson is planned for"):
        assert words in seen
    if size not in KEPT:
        return
    without_name = "\n".join(line if number else line[:8] for number, line in enumerate(seen.split("\n")))
    compare("workload", size, body(without_name))


async def test_p_shows_the_other_plot_where_there_is_room_for_one(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["workload"])
        await settle(pilot)
        lengths, arrivals = app.query_one("#workload-lengths", Plot), app.query_one("#workload-arrivals", Plot)
        assert (lengths.display, arrivals.display) == (True, False)
        assert shown(app, "8% above 4,096 carry 26% of the tokens")
        await pilot.press("p")
        await settle(pilot)
        assert (lengths.display, arrivals.display) == (False, True)
        assert shown(app, "Poisson 1")
        await pilot.press("p")
        assert lengths.display
        assert "plot" not in app.view.impossible()


@pytest.mark.thorough
async def test_both_plots_stand_side_by_side_where_there_is_room(app: FleetApp) -> None:
    async with driven(app, (120, 36)) as pilot:
        await pilot.press(KEY["workload"])
        await settle(pilot)
        assert all(plot.display and plot.size.width > 40 for plot in app.view.query(Plot))
        assert "plot" in app.view.impossible()


async def test_a_low_screen_shows_the_lines_alone(app: FleetApp) -> None:
    async with driven(app, (80, 14)) as pilot:
        await pilot.press(KEY["workload"])
        await settle(pilot)
        assert not app.query_one("#workload-plots").display
        assert "plot" in app.view.impossible()


@pytest.mark.thorough
async def test_another_form_of_demand_is_chosen_then_said(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await opened(pilot)
        await asked(pilot, Choose)
        assert app.screen.query_one(Lines).chosen == "rate"
        await pilot.press("down", "enter")
        await asked(pilot, Prompt)
        await typed(pilot, "20000 users x 6/h x 0.5")
        assert shown(app, "below the average (got")
        await typed(pilot, "20000 users x 6/h x 2.5")
        await until(
            pilot, lambda: shown(app, "DEMAND*   users: 20,000 users × 6 requests/h × peak 2.5 = 83.3 requests/s")
        )
        assert app.state.draft.question().demand.users == 20_000
        await pilot.press("u")
        assert shown(app, "DEMAND    rate: 100 requests/s, as given")


async def test_the_recorded_rate_needs_no_phrase(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await opened(pilot)
        await asked(pilot, Choose)
        await pilot.press("pageup", "enter")
        await until(pilot, lambda: shown(app, "the workload's own mean rate = 5.53 requests/s"))
        assert app.state.draft.question().demand.form == "trace"
        await opened(pilot)
        await asked(pilot, Choose)
        await pilot.press("down", "enter")
        await asked(pilot, Prompt)
        assert shown(app, "5.53/s")


@pytest.mark.parametrize(
    ("name", "text", "key", "value", "words"),
    few(
        [
            (
                "slo",
                "TTFT 300ms TPOT 40ms P95",
                "percentile",
                "95",
                "SLO*      P95 TTFT 300ms   P95 TPOT 40ms, in every pool",
            ),
            ("cache", "55%", "prefix-hit", "55%", "CACHE*    prefix hit 55% of the prompt tokens"),
            ("lengths", "azure-2023-code", "workload", "azure-2023-code", "azure-2023-code: prompt and output known"),
        ],
        1,
    ),
)
async def test_a_line_is_edited_in_its_own_words(
    app: FleetApp, name: str, text: str, key: str, value: str, words: str
) -> None:
    async with driven(app) as pilot:
        await opened(pilot, name)
        await asked(pilot, Prompt)
        await typed(pilot, text)
        await until(pilot, lambda: shown(app, words))
        assert app.state.draft.value(key) == value
        await pilot.press("u")
        await settle(pilot)
        assert not app.state.edited


async def test_a_phrase_that_does_not_read_is_refused_where_it_is_typed(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await opened(pilot, "slo")
        await asked(pilot, Prompt)
        await typed(pilot, "soon")
        assert isinstance(app.screen, Prompt)
        assert shown(app, "x SLO: this is no list of limits")
        await pilot.press("escape")
        assert not app.state.edited


@pytest.mark.thorough
async def test_a_file_is_read_by_a_worker_and_its_refusal_stands_in_the_view(
    app: FleetApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, seen = AppState.workload, asyncio.Event()

    async def read_once_seen(state: AppState, source: str) -> Workload:
        await seen.wait()
        return await read(state, source)

    file = tmp_path / "bad.csv"
    file.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00,-5,3\n", "utf-8")
    async with driven(app) as pilot:
        await pilot.press(KEY["workload"])
        await settle(pilot)
        monkeypatch.setattr(AppState, "workload", read_once_seen)
        app.state.edit({"workload": str(file)})
        await pilot.pause()
        assert shown(app, "LENGTHS*  reading")
        seen.set()
        await until(pilot, lambda: shown(app, "LENGTHS*  x "))
        await settle(pilot)
        assert shown(app, "-5")
        assert shown(app, "o opens another file")
        assert shown(app, "No lengths are known yet")
        assert told(app) == []
        file.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00,50,3\n", "utf-8")
        await opened(pilot, "lengths")
        await asked(pilot, Prompt)
        await pilot.press("enter")
        await until(pilot, lambda: shown(app, "prompt and output known together"))


async def test_a_workload_without_times_asks_for_a_demand(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["workload"])
        app.state.edit({"workload": "azure-paper", "rate": ""})
        await until(pilot, lambda: shown(app, "x as recorded: the workload has no times"))
        await pilot.press("p")
        assert shown(app, UNTIMED[:50])
        await opened(pilot)
        await asked(pilot, Choose)
        await pilot.press("down", "enter")
        await asked(pilot, Prompt)
        await pilot.press("enter")
        await until(pilot, lambda: shown(app, "rate: 100 requests/s, as given"))


@pytest.mark.evidence
async def test_lengths_by_percentile_show_what_is_typed(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await opened(pilot, "lengths")
        await asked(pilot, Prompt)
        await typed(pilot, "prompt p50=900,p99=8k output p50=200,p99=1.5k")
        await until(pilot, lambda: shown(app, "prompt tokens p50=900 p99=8k   output tokens p50=200 p99=1.5k"))
        assert shown(app, "pairing is unknown")
        assert shown(app, "tokens: prompt p50 900, p99 7,973; output p50 200, p99 1,495")
        app.state.edit({"prompt": "p50=900,p99=900M"})
        await pilot.pause()
        assert shown(app, "x --prompt: these percentiles promise requests beyond any context")


async def test_arrivals_lead_to_all_that_is_known_of_the_workload(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await opened(pilot, "arrivals")
        await asked(pilot, Page)
        assert shown(app, "variance over mean of the counts")
        assert shown(app, "CC-BY-4.0")


async def test_the_split_of_the_question_stands_in_the_plot(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["workload"])
        app.state.edit({"split": "2048,4096"})
        await settle(pilot)
        assert shown(app, "split 2,048")
        assert shown(app, "F(2,048)")


@pytest.mark.thorough
async def test_y_copies_the_lines_and_the_plots_in_words(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["workload"])
        await settle(pilot)
        copied = app.view.copied()
    assert copied.startswith("DEMAND    rate: 100 requests/s, as given\n")
    assert "total tokens: p50 1,412, p99 4,259" in copied
    assert copied.split("\n")[-1].startswith("very bursty")
    assert all(len(line) <= 80 for line in copied.split("\n"))


async def test_the_first_view_of_a_start_reads_the_shipped_workload(database: Path, make_app: Make) -> None:
    saved_place.save(saved_place.state_folder(os.environ) / saved_place.FILE, saved_place.Session(view="workload"))
    app = make_app()
    async with driven(app) as pilot:
        assert isinstance(app.view, WorkloadView)
        await until(pilot, lambda: shown(app, "19,366 requests in 58 min, 5.53/s"))
        assert app.focused is app.query_one(Lines)


async def test_a_workload_is_read_once_though_another_is_read_before_it(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    gates = {"azure-2023-code": asyncio.Event(), "mooncake": asyncio.Event()}
    read: list[str] = []

    async def slow(state: AppState, source: str) -> Workload:
        read.append(source)
        await gates[source].wait()
        return await workload(state, source)

    workload = AppState.workload
    async with driven(app) as pilot:
        await pilot.press(KEY["workload"])
        await settle(pilot)
        monkeypatch.setattr(AppState, "workload", slow)
        for source in gates:
            app.state.edit({"workload": source})
            await until(pilot, lambda source=source: source in read)  # type: ignore[misc]
        gates["azure-2023-code"].set()
        await until(pilot, lambda: "azure-2023-code" in app.state.known)
        await pilot.pause()
        gates["mooncake"].set()
        await settle(pilot)
        assert read == ["azure-2023-code", "mooncake"]


async def test_a_trace_that_is_opened_is_shown(filled: Path, make_app: Make, trace: str) -> None:
    app = make_app(Opening(kind="workload", text=trace))
    async with driven(app) as pilot:
        await until(pilot, lambda: shown(app, "100 requests in 9.9 s, 10.1/s"))
        assert app.seen == "workload"
        assert app.state.edited


def test_editing_begins_where_something_lacks() -> None:
    assert lacking({}) == "lengths"
    assert lacking({"prompt": "p50=1"}) == "slo"
    assert lacking({"workload": "chat", "slo-e2e": "30s"}) == "demand"
