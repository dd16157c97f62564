"""The use cases that the palette offers beside the keys: each shows what its command prints, and asks for its words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fleettui.planning.studies import commands
from fleettui.planning.use_cases import help_of
from fleettui.tui.actions import labels as labelling
from fleettui.tui.actions import recheck
from fleettui.tui.actions import workloads as making
from fleettui.tui.actions.report import export, report
from fleettui.tui.actions.studies import make_study, show_study
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.prompt_values import REPLICA, existing, needed, read_replica, write_replica

if TYPE_CHECKING:
    from fleettui.domain.plan import Answer
    from fleettui.reports.chart import Chart
    from fleettui.reports.table import Table
    from fleettui.tui.app import FleetApp
    from fleettui.tui.use_case_thread import Bench

NARROWEST, WIDEST, FRAME = 40, 120, 4
"""Columns of a page's text, and what its frame takes of the screen's."""
SOON = 0.2
"""Seconds between two looks at whether there is room for a page."""

KEYED: Mapping[str, str] = {
    "plan": "plan",
    "verify": "proof",
    "open": "open_file",
    "list": "view_plans",
    "compare": "view_compare",
    "diff": "causes",
    "note": "name",
    "tag": "tag",
    "name": "name",
    "archive": "archive",
    "jobs list": "view_jobs",
    "jobs cancel": "cancel",
    "jobs resume": "resume",
}
"""The verb of `fleettui.tui.keys` that does a use case, by the use case's name."""


async def gpu_list(app: FleetApp) -> None:
    """Show the known GPUs."""
    from fleettui.planning import catalogue
    from fleettui.reports.hardware_text import gpus_table

    show_table(app, "gpu list", gpus_table(catalogue.gpus()))


async def gpu_show(app: FleetApp) -> None:
    """Show one GPU."""
    from fleettui.planning import catalogue
    from fleettui.reports.hardware_text import gpu_text

    known = [gpu.name for gpu in catalogue.gpus()]
    name = await ask(app, "gpu show", ", ".join(known), known[0], lambda text: catalogue.gpu(text.strip().lower()))
    if name is not None:
        show(app, f"gpu show {name}", lambda width: gpu_text(catalogue.gpu(name.lower()), width))


async def model_list(app: FleetApp) -> None:
    """Show the known models."""
    from fleettui.planning import catalogue
    from fleettui.reports.hardware_text import models_table

    show_table(app, "model list", models_table(catalogue.models()))


async def model_show(app: FleetApp) -> None:
    """Show one model, known or that of a config.json."""
    from fleettui.planning import catalogue
    from fleettui.reports.hardware_text import model_text
    from fleettui.reports.question.text_forms import MODEL

    help = f"{', '.join(model.name for model in catalogue.models())}; or the path of a config.json"
    value = app.desk.draft.value("model")
    name = await ask(app, "model show", help, value, lambda text: catalogue.model(MODEL.read(text, "model")))
    if name is not None:
        show(app, f"model show {name}", lambda width: model_text(catalogue.model(MODEL.read(name, "model")), width))


async def profile_show(app: FleetApp) -> None:
    """Work out what one replica does, and show it."""
    from fleettui.planning import catalogue, profiles
    from fleettui.reports.hardware_text import profile_text

    known = ", ".join(one.name for one in catalogue.gpus())
    help = f"GPU, model, number format and tp, for example {REPLICA}\nGPUs: {known}"
    text = await ask(app, "profile show", help, write_replica(app.desk.draft), read_replica)
    if text is None:
        return
    wanted = read_replica(text)
    found = await app.desk.engine.run(
        lambda pool: profiles.show_profile(wanted.gpu, wanted.model, wanted.dtype, wanted.tp, pool=pool)
    )
    show(app, f"profile show {text}", lambda width: profile_text(found, width))


async def profile_validate(app: FleetApp) -> None:
    """Hold the profiles to measured runs, and show how far off they are."""
    from fleettui.planning import profiles
    from fleettui.reports.validation_text import validation_text

    path = await ask(app, "profile validate", "the path of a CSV of measured TTFT and TPOT", "", existing)
    if path is not None:
        found = await app.desk.engine.run(lambda pool: profiles.validate(existing(path), pool=pool))
        show(app, f"profile validate {path}", lambda width: validation_text(found, width))


async def workload_list(app: FleetApp) -> None:
    """Show the shipped workloads."""
    from fleettui.planning import workloads
    from fleettui.reports.workload_text import workloads_table

    show_table(app, "workload list", workloads_table(await asyncio.to_thread(workloads.shipped)))


async def workload_show(app: FleetApp) -> None:
    """Show one workload, shipped or of a file."""
    from fleettui.reports.question.text_forms import TEXT
    from fleettui.reports.workload_text import workload_text
    from fleettui.workloads import library

    help = f"{', '.join(library.names())}; or the path of a file"
    value = app.desk.draft.value("workload")
    source = await ask(app, "workload show", help, value, lambda text: TEXT.read(text, "workload"))
    if source is not None:
        found = await app.desk.workload(source)
        show(app, f"workload show {source}", lambda width: workload_text(found, width))


async def doctor(app: FleetApp) -> None:
    """Show whether everything is here that the program needs."""
    from fleettui.planning import settings
    from fleettui.planning.doctor import checks_table, examine

    checks = await asyncio.to_thread(lambda: examine(settings.database(settings.settings())))
    show_table(app, "doctor", checks_table(checks))


async def config_show(app: FleetApp) -> None:
    """Show every setting with where it comes from."""
    from fleettui.planning import settings
    from fleettui.reports.question import conversion

    chosen = settings.settings()
    conversion.parse(settings.question_texts(chosen))
    show_table(app, "config show", settings.settings_table(chosen))


async def config_path(app: FleetApp) -> None:
    """Show where the configuration file lies, whether or not it is there."""
    from fleettui.planning import settings

    show(app, "config path", lambda _: str(settings.config_path()))


async def show_kept(app: FleetApp) -> None:
    """Show a kept plan or study as its command printed it."""
    from fleettui.planning import kept_plans, kept_studies
    from fleettui.reports.plan_text import plan_text

    help = "a plan's handle or its start, its name, last, last~1; or a study's handle"
    ref = await ask(app, "show", help, "last", needed)
    if ref is None:
        return
    if await app.desk.engine.read(lambda store: kept_studies.is_study(store, ref)):
        show_study(app, await app.desk.engine.read(lambda store: kept_studies.show_study(store, ref)))
    else:
        answer = await app.desk.engine.read(lambda store: kept_plans.show_plan(store, ref))
        asked = await app.desk.engine.read(lambda store: kept_plans.question_of(store, answer.plan.id))
        show(app, f"show {ref}", lambda width: plan_text(answer, asked, width))


async def open_there(app: FleetApp) -> None:
    """Open a plan, a workload or a question file."""
    from fleettui.planning.opening import opening_of

    help = "a plan's handle or name, a shipped workload, or the path of a trace or a question file"
    text = await ask(app, "open", help, "", lambda text: opening_of(text.strip()))
    if text is not None:
        await app.open_at(opening_of(text))


async def archive(app: FleetApp) -> None:
    """Put a plan away, out of the list; nothing of it is lost."""
    from fleettui.planning import labels

    help = "a plan's handle or its start, or its name; nothing is deleted"
    ref = await ask(app, "archive", help, here(app), needed)
    if ref is not None:
        row = await app.desk.engine.read(lambda store: store.row(ref))
        await app.desk.engine.read(lambda store: labels.archive_plan(store, row.id))
        app.notify(f"{row.handle} is archived: no list shows it", markup=False)
        app.desk.changed()


async def simulate(app: FleetApp) -> None:
    """Simulate the fleet of a file under the question's traffic and limits, and follow the work."""
    from fleettui.planning import simulate as use_case
    from fleettui.planning.fleet_files import read_fleet
    from fleettui.reports.question import conversion
    from fleettui.reports.question.conversion import Given
    from fleettui.reports.question.keys import FIXED_FLEET_KEYS, WORKLOAD

    help = f"a fleet in YAML or JSON, to be simulated under this question: {app.question_words()}"
    path = await ask(app, "simulate: fleet", help, "", lambda text: read_fleet(existing(text)))
    if path is None:
        return
    sketch = read_fleet(existing(path))
    known = {key.name for key in (WORKLOAD, *FIXED_FLEET_KEYS)}
    texts = {name: Given(text, name) for name, text in app.desk.draft.texts.items() if name in known}
    asked = conversion.to_question(conversion.parse(texts), sketch)

    async def work(bench: Bench) -> Answer:
        return await use_case.simulate(
            sketch, asked, store=bench.store, pool=bench.pool, report=bench.task.report, begun=bench.task.begun
        )

    app.desk.follow(f"simulate {Path(path).name} {asked.model}", "simulate", work)
    await app.see("fleet")


def here(app: FleetApp) -> str:
    """Return the handle of the plan that is shown, empty where it is not kept."""
    shown = app.desk.shown
    return shown.row.handle if shown is not None and shown.row is not None else ""


def show(app: FleetApp, title: str, write: Callable[[int], str], chart: Chart | None = None) -> None:
    """Show what `write` makes for the width of the screen, below the plot of `chart` where there is one.

    It covers nothing that is typed or read meanwhile, but comes when that is left.
    """
    if app.screen is not app.base:
        app.set_timer(SOON, partial(app.do, partial(show, app, title, write, chart)))
        return
    app.push_screen(Page(title, write(min(max(app.size.width - FRAME, NARROWEST), WIDEST)), chart))


def show_table(app: FleetApp, title: str, table: Table) -> None:
    """Show a table."""
    from fleettui.reports.table import render

    show(app, title, lambda width: render(table, width))


async def ask(app: FleetApp, label: str, help: str, value: str, check: Callable[[str], object]) -> str | None:
    """Return what is typed, without blanks around it, or None; what `check` refuses is not taken."""
    text = await app.push_screen_wait(Prompt(label, value=value, help=help, check=check))
    return None if text is None else text.strip()


_ACTIONS: Mapping[str, Callable[[FleetApp], object]] = {
    "simulate": simulate,
    "open": open_there,
    "show": show_kept,
    "check": recheck.check,
    "rerun": recheck.rerun,
    "report": report,
    "export": export,
    "note": labelling.name,
    "tag": labelling.tag,
    "name": labelling.name,
    "archive": archive,
    "workload list": workload_list,
    "workload show": workload_show,
    "workload build": making.build,
    "workload from-metrics": making.from_metrics,
    "gpu list": gpu_list,
    "gpu show": gpu_show,
    "model list": model_list,
    "model show": model_show,
    "profile show": profile_show,
    "profile validate": profile_validate,
    "doctor": doctor,
    "config show": config_show,
    "config path": config_path,
    **{name: partial(make_study, command=command) for name, command in commands().items()},
}

LOOKUPS: Mapping[str, tuple[str, Callable[[FleetApp], object]]] = {
    name: (help_of(name), act) for name, act in _ACTIONS.items()
}
"""The help and the action of each use case that the palette offers by name."""
