"""The use cases of the palette: each is reachable, and shows what its command prints."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from fleettui.cli import main
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.planning import settings, workloads
from fleettui.planning.make_plan import make_plan
from fleettui.planning.use_cases import UseCase, help_of, use_cases
from fleettui.reports.hardware_text import gpu_text, gpus_table, model_text, models_table
from fleettui.reports.study_text import study_text
from fleettui.reports.table import render
from fleettui.reports.workload_text import workloads_table
from fleettui.tui import keys
from fleettui.tui.actions.pages import show
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.pick import Pick
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.modals.today import Today
from fleettui.tui.palette_commands import ENTRIES, KEYED
from fleettui.user_paths import config_path
from fleettui.workloads import library
from store import Store
from tests.planning import simulated
from tests.repeated import few
from tests.store import samples
from tests.tui.driving import driven, lines, settle, text_of, told, until

PAGE = 76
"""Columns of a page's text on a screen of 80."""


@pytest.mark.thorough
async def test_a_page_covers_nothing_that_is_typed(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        prompt = app.screen
        show(app, "late", lambda _: "what was worked out")
        await pilot.pause(0.3)
        assert app.screen is prompt
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Page))


@pytest.mark.parametrize("case", use_cases(), ids=lambda case: case.name)
def test_every_use_case_has_a_key_or_is_looked_up(case: UseCase) -> None:
    assert case.name in KEYED or case.name in ENTRIES


def test_what_is_keyed_and_looked_up_is_a_use_case() -> None:
    verbs = {key.verb for key in (*keys.KEYS, *keys.VIEW_KEYS)}
    assert set(KEYED.values()) <= verbs
    assert {*KEYED, *ENTRIES} == {case.name for case in use_cases()}
    assert {name: help for name, (help, _) in ENTRIES.items()} == {name: help_of(name) for name in ENTRIES}


async def look_up(pilot: Pilot[int], name: str, *typed: str) -> str:
    """Do the use case called `name`, answer its prompts, and return the text of its page."""
    app = pilot.app
    assert isinstance(app, FleetApp)
    _, act = ENTRIES[name]
    app.do(lambda: act(app))
    for text in typed:
        await answered(pilot, text)
    await until(pilot, lambda: isinstance(app.screen, Page) and app.screen.query("#page-text"))
    return str(app.screen.query_one("#page-text", Static).content)


async def answered(pilot: Pilot[int], text: str) -> None:
    """Wait for a prompt or a list, put `text` into its line and press enter."""
    await until(pilot, lambda: isinstance(pilot.app.screen, (Prompt, Pick)) and isinstance(pilot.app.focused, Input))
    line = pilot.app.focused
    assert isinstance(line, Input)
    line.value = text
    await pilot.pause()
    await pilot.press("enter")


@pytest.mark.parametrize(
    ("name", "typed", "printed"),
    few(
        [
            ("gpu list", (), lambda: render(gpus_table(catalog.gpus()), PAGE)),
            ("gpu show", ("H200",), lambda: gpu_text(catalog.gpu("h200"), PAGE)),
            ("model list", (), lambda: render(models_table(catalog.models(), catalog.model_aliases()), PAGE)),
            ("model show", ("qwen3-32b",), lambda: model_text(catalog.model("qwen3-32b"), PAGE)),
            ("workload list", (), lambda: render(workloads_table(workloads.shipped()), PAGE)),
            ("config show", (), lambda: render(settings.settings_table(settings.settings()), PAGE)),
            ("config path", (), lambda: str(config_path())),
        ],
        2,
    ),
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_page_holds_what_the_command_prints(
    app: FleetApp, name: str, typed: tuple[str, ...], printed: Callable[[], str]
) -> None:
    async with driven(app) as pilot:
        assert await look_up(pilot, name, *typed) == printed()
        await pilot.press("escape")
        assert not isinstance(app.screen, Page)


async def test_a_prompt_lists_the_known_names_and_refuses_others(app: FleetApp) -> None:
    async with driven(app) as pilot:
        app.do(lambda: ENTRIES["gpu show"][1](app))
        await answered(pilot, "h1000")
        assert any("x unknown GPU (got 'h1000')" in line for line in lines(app))
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, (Prompt, Pick, Page))
        app.do(lambda: ENTRIES["gpu show"][1](app))
        await until(pilot, lambda: any(line.startswith("> a100 ") for line in lines(app)))
        await pilot.press("escape")


@pytest.mark.thorough
async def test_what_workers_work_out(app: FleetApp, trace: str) -> None:
    async with driven(app) as pilot:
        text = await look_up(pilot, "profile show", "h100 qwen3-32b fp8 tp 2")
        assert "qwen3-32b" in text
        assert "h100" in text
        await pilot.press("escape")
        assert "requests  100" in await look_up(pilot, "workload show", trace)


async def test_measured_runs_that_are_not_there_are_refused(app: FleetApp, tmp_path: Path) -> None:
    async with driven(app) as pilot:
        app.do(lambda: ENTRIES["profile validate"][1](app))
        await answered(pilot, str(tmp_path / "none.csv"))
        assert any("x there is no such file" in line for line in lines(app))


async def test_measured_runs_are_held_to_the_profiles(app: FleetApp, tmp_path: Path) -> None:
    file = tmp_path / "measured.csv"
    file.write_text("model,hw\nx,y\n", "utf-8")
    async with driven(app) as pilot:
        app.do(lambda: ENTRIES["profile validate"][1](app))
        await answered(pilot, str(file))
        await until(pilot, lambda: any("columns are missing" in line for line in lines(app)))
        assert app.screen.query_one(Input).value == str(file), "the line stays, with why it was refused"
        await pilot.press("escape")
        await settle(pilot)


async def test_own_runs_are_fitted(app: FleetApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_CONFIG", str(tmp_path / "config.toml"))
    file = tmp_path / "measured.csv"
    file.write_text("prompt_tokens,output_tokens,concurrency,ttft_ms,tpot_ms\n1024,128,1,45,9\n1024,128,64,300,20\n")
    typed = f"{file} name=prod model=llama-3.1-8b gpu=h100 engine=vllm tp=1"
    async with driven(app) as pilot:
        assert "front end" in await look_up(pilot, "profile fit", typed)
        assert (tmp_path / "fits" / "prod.json").exists()
        other = shutil.copy(file, tmp_path / "other.csv")
        await pilot.press("escape")
        app.do(lambda: ENTRIES["profile fit"][1](app))
        await answered(pilot, typed.replace(str(file), str(other)))
        assert any("x name: a fit of other runs has this name (got 'prod')" in line for line in lines(app))
        assert str(other) in app.screen.query_one(Input).value, "the line stays, for another name"
        file.write_text(file.read_text().replace("20\n", "25\n"))  # other runs in the same file: told after the fit
        await answered(pilot, typed)
        await until(pilot, lambda: isinstance(app.screen, Prompt) and app.screen.query_one(Input).value == typed)
        await until(pilot, lambda: text_of(app, "#prompt-help").startswith("x "))
        await pilot.press("escape")
        await settle(pilot)


@pytest.mark.thorough
async def test_what_to_measure_next_is_said_of_the_plan_that_is_shown(app: FleetApp, trace: str) -> None:
    with Store.open() as store:
        asked = simulated.question(trace, slo=Slo(ttft=0.3), verify=False)
        await make_plan(asked, store=store)
    async with driven(app) as pilot:
        text = await look_up(pilot, "profile next", "last")
    assert "h100 bf16 tp8" in text
    assert "vllm bench serve --model meta-llama/Llama-3.1-70B" in text


async def test_a_workload_is_built_of_a_trace_and_written(app: FleetApp, trace: str, tmp_path: Path) -> None:
    target = tmp_path / "chat.json"
    async with driven(app) as pilot:
        text = await look_up(pilot, "workload build", trace, "chat", str(target))
    built = library.parse(target.read_text("utf-8"), str(target))
    assert (built.name, built.slices[0].lengths.n_samples) == ("chat", 100)
    assert text.startswith("chat\n  requests  100")
    assert f"written: {target}" in told(app)


async def test_doctor_looks_at_the_store_of_the_settings(app: FleetApp, filled: Path) -> None:
    async with driven(app) as pilot:
        text = await look_up(pilot, "doctor")
    assert "python" in text
    assert filled.name in text


async def test_a_kept_plan_is_shown_as_it_was_printed(app: FleetApp) -> None:
    async with driven(app) as pilot:
        text = await look_up(pilot, "show", "last")
        assert text.startswith("azure-2023-conv  llama-3.1-70b bf16  P99 TTFT<500ms")
        await pilot.press("escape")
        app.do(lambda: ENTRIES["show"][1](app))
        await answered(pilot, "zzzz")
        await until(pilot, lambda: told(app))
        assert "zzzz" in told(app)[0]


async def test_a_kept_study_is_shown_as_it_was_printed(app: FleetApp, filled: Path) -> None:
    with Store.open(filled) as store:
        study = store.add_study(samples.study("last"))
    async with driven(app) as pilot:
        assert await look_up(pilot, "show", study.handle) == study_text(study, PAGE)


async def test_open_leads_to_what_is_named(app: FleetApp, trace: str) -> None:
    async with driven(app) as pilot:
        app.do(lambda: ENTRIES["open"][1](app))
        await answered(pilot, trace)
        await until(pilot, lambda: app.seen == "workload")
        assert app.state.draft.value("workload") == trace


@pytest.mark.evidence
async def test_a_fleet_of_ones_own_is_simulated_under_the_question(app: FleetApp, trace: str, tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text("pools: [{gpu: h100, tp: 8, replicas: 3, name: mine}]\n", "utf-8")
    async with driven(app) as pilot:
        app.state.edit({"workload": trace, "rate": "20/s", "budget": "60/h"})
        app.do(lambda: ENTRIES["simulate"][1](app))
        await until(pilot, lambda: isinstance(app.screen, Today))
        line = app.screen.query_one("#ask-fleet", Input)
        line.value = str(tmp_path / "none.yaml")
        await pilot.press("enter")
        assert any("x there is no such file" in line for line in lines(app))
        line.value = str(file)
        await pilot.press(*["enter"] * 6)
        await until(pilot, lambda: app.state.shown is not None and app.state.shown.question.workload == trace)
        task, shown = app.state.following, app.state.shown
        assert task is not None
        assert shown is not None
        assert (task.kind, task.error, app.seen, task.plan) == ("simulate", None, "fleet", shown.plan)
        assert (shown.question.slo.ttft, shown.question.budget) == (0.5, None)
        (found,) = shown.answer.candidates
        assert [(pool.name, pool.replicas) for pool in found.fleet.pools] == [("mine", 3)]


async def test_a_plan_is_put_away_by_its_handle(app: FleetApp) -> None:
    async with driven(app) as pilot:
        assert app.state.shown is not None
        assert app.state.shown.row is not None
        handle = app.state.shown.row.handle
        app.do(lambda: ENTRIES["archive"][1](app))
        await answered(pilot, handle)
        await until(pilot, lambda: any(f"{handle} is archived" in note for note in told(app)))
        kept = await app.state.thread.read(lambda store: [row.handle for row in store.plans(limit=50)])
        assert handle not in kept


@pytest.mark.evidence
async def test_a_use_case_that_lacks_something_is_told(app: FleetApp) -> None:
    async with driven(app) as pilot:
        app.state.edit({"prompt": "p50=900,p99=8k"})
        app.do(lambda: ENTRIES["workload show"][1](app))
        await answered(pilot, " ")
        assert isinstance(app.screen, Prompt)
        with pytest.raises(InputError):
            app.state.draft.question()


@pytest.mark.evidence
async def test_why_works_the_reasons_out_and_keeps_them(app: FleetApp) -> None:
    options = ("--rate", "20/s", "--model", "llama-3.1-8b", "--gpu", "h100", "--tp", "1", "--pools", "1")
    words = ["plan", "azure-2023-conv", *options, "--slo-ttft", "500ms", "--no-verify"]
    assert await asyncio.to_thread(main, words) == 0
    async with driven(app) as pilot:
        page = await look_up(pilot, "why", "last")
        assert "limits on latency" in page
        kept = await app.state.thread.read(lambda store: store.studies())
        assert page == study_text(kept[0], PAGE)
        await pilot.press("escape")


async def test_a_fleet_that_was_refused_stands_there_again(app: FleetApp) -> None:
    """Seen: after `does not fit` the line had the fleet of another plan, and what was typed was gone."""
    async with driven(app) as pilot:
        app.do(lambda: ENTRIES["simulate"][1](app))
        await until(pilot, lambda: isinstance(app.screen, Today))
        await pilot.press(*"16 h100", *["enter"] * 6)
        await until(pilot, lambda: any("does not fit" in note for note in told(app)))
        app.do(lambda: ENTRIES["simulate"][1](app))
        await until(pilot, lambda: isinstance(app.screen, Today))
        assert app.screen.query_one("#ask-fleet", Input).value == "16 h100"
