"""What the palette looks up: one line is asked for, or none, and what is found is shown as its command prints it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from fleettui.hardware import catalog, kept_fits
from fleettui.planning import calibrations, profiles, settings, shell_completion, workloads
from fleettui.planning.doctor import checks_table, examine
from fleettui.planning.next_points import next_points
from fleettui.planning.rerun import rerun
from fleettui.reports.calibration_text import calibration_text, fits_table
from fleettui.reports.engine_text import engine_text, engines_table
from fleettui.reports.hardware_text import gpu_text, gpus_table, model_text, models_table, profile_text
from fleettui.reports.next_points_text import next_points_text
from fleettui.reports.question import conversion
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.question.text_forms import GPU, MODEL, TEXT
from fleettui.reports.replica_bars import Known
from fleettui.reports.rerun_text import rerun_text
from fleettui.reports.table import Table, render, wrap
from fleettui.reports.validation_chart import validation_chart
from fleettui.reports.validation_text import validation_text
from fleettui.reports.workload_text import workload_text, workloads_table
from fleettui.tui.actions.pages import REF, Writer, ask, done, here, show
from fleettui.tui.actions.studies import worked_out
from fleettui.tui.modals.pick import SIDES, Pick
from fleettui.tui.offers import one_of
from fleettui.tui.prompt_values import (
    MEASURED,
    REPLICA,
    MeasuredFiles,
    Replica,
    needed,
    read_measured,
    read_replica,
    write_replica,
)
from fleettui.user_paths import config_path

if TYPE_CHECKING:
    from fleettui.domain.fleet import Pool
    from fleettui.domain.hardware import Gpu, Model
    from fleettui.hardware.engine_record import Engine
    from fleettui.reports.chart import Chart
    from fleettui.tui.app import FleetApp


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictured:
    """What writes a text in a width, and the chart that stands above it, None where there is none."""

    write: Writer
    chart: Chart | None


Find = Callable[["FleetApp", Any], Awaitable[Writer | Pictured]]
"""Finds what was asked for, as `read` made it of the typed text, and returns what writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A look-up of the palette. With `help` a line is asked for first: `value` stands in it, and `read` reads it.

    Where there is a `key` of a question, the line is chosen from what that may be.
    """

    find: Find
    help: Callable[[], str] | None = None
    value: Callable[[FleetApp], str] = lambda _: ""
    read: Callable[[str], object] = needed
    key: str = ""


async def look_up(app: FleetApp, name: str) -> None:
    """Ask for what the lookup called `name` needs, find it, and show it on a page."""
    lookup = LOOKUPS[name]

    async def find(line: str) -> Writer | Pictured:
        return await lookup.find(app, None if lookup.help is None else lookup.read(line))

    if lookup.help is None:
        typed, found = "", await find("")
    elif (answer := await done(app, partial(_asked, app, name, lookup), find, lookup.value(app))) is not None:
        typed, found = answer
    else:
        return
    title = f"{name} {typed}".rstrip()
    if isinstance(found, Pictured):
        show(app, title, found.write, () if found.chart is None else (found.chart,))
    else:
        show(app, title, found)


async def _asked(app: FleetApp, name: str, lookup: Lookup, value: str, refusal: str) -> str | None:
    """Return the line that is typed or chosen, None after escape; `refusal` is why `value` was refused."""
    help = "" if lookup.help is None else lookup.help()
    if not lookup.key:
        return await ask(app, name, help, value, lookup.read, refusal=refusal)
    offer = await asyncio.to_thread(one_of, lookup.key, value, app.size.width - SIDES)
    pick = Pick(name, offer, value, help, lookup.read, refusal=refusal)
    chosen: str | None = await app.push_screen_wait(pick)
    return chosen


def _table(made: Callable[[], Table]) -> Lookup:
    """Return the lookup of a table for which nothing is asked; it is made in a thread."""

    async def find(_app: FleetApp, _wanted: object) -> Writer:
        return partial(render, await asyncio.to_thread(made))

    return Lookup(find=find)


def _pool(app: FleetApp) -> Pool | None:
    """Return the first pool of the fleet that is looked at, None while the question is another."""
    shown = app.state.shown
    if shown is None or shown.candidate is None or app.state.edited:
        return None
    return shown.candidate.fleet.pools[0]


def _gpus() -> str:
    return ", ".join(gpu.name for gpu in catalog.gpus())


def _settings() -> Table:
    chosen = settings.settings()
    conversion.parse(settings.question_texts(chosen))
    return settings.settings_table(chosen)


async def _gpu(_app: FleetApp, gpu: Gpu) -> Writer:
    return partial(gpu_text, gpu)


async def _model(_app: FleetApp, model: Model) -> Writer:
    return partial(model_text, model)


async def _engine(_app: FleetApp, engine: Engine) -> Writer:
    return partial(engine_text, engine, catalog.asked_gpus(()))


async def _profile(app: FleetApp, wanted: Replica) -> Writer:
    engine = BY_NAME["engine"].default
    found = await app.state.thread.run(
        lambda pool: profiles.show_profile(
            wanted.gpu,
            wanted.model,
            wanted.dtype,
            wanted.tp,
            engine=engine,
            kv_dtype=wanted.kv_dtype,
            expert_parallel=wanted.expert_parallel,
            pp=wanted.pp,
            pool=pool,
        )
    )
    return partial(profile_text, found, known=Known.of(wanted.gpu, wanted.model, engine))


async def _validation(app: FleetApp, wanted: MeasuredFiles) -> Pictured:
    found = await worked_out(
        app,
        f"profile validate {' '.join(wanted.paths)}",
        lambda tools: profiles.validate(wanted.paths, setup=wanted.setup, pool=tools.pool),
    )
    return Pictured(write=partial(validation_text, found, pictured=False), chart=validation_chart(found))


def _fitted(text: str) -> MeasuredFiles:
    """Return the files to fit to; the line stays where a fit of others is called as theirs would be."""
    wanted = read_measured(text)
    calibrations.check_fit(wanted.name, wanted.paths)
    return wanted


async def _fit(app: FleetApp, wanted: MeasuredFiles) -> Writer:
    found = await worked_out(
        app,
        f"profile fit {' '.join(wanted.paths)}",
        lambda tools: calibrations.fit(wanted.paths, name=wanted.name, setup=wanted.setup, pool=tools.pool),
    )
    return partial(calibration_text, found)


async def _next_points(app: FleetApp, ref: str) -> Writer:
    found = await worked_out(app, f"profile next {ref}", lambda tools: next_points(tools.store, ref, pool=tools.pool))
    return partial(next_points_text, found)


async def _workload(app: FleetApp, source: str) -> Writer:
    return partial(workload_text, await app.state.workload(source))


async def _rerun(app: FleetApp, ref: str) -> Writer:
    found = await worked_out(app, f"rerun {ref}", lambda tools: rerun(tools.store, ref, pool=tools.pool))
    return partial(rerun_text, found)


async def _config_path(_app: FleetApp, _wanted: object) -> Writer:
    return lambda _width: str(config_path())


async def _completion(_app: FleetApp, _wanted: object) -> Writer:
    told = await asyncio.to_thread(shell_completion.install_here)
    return lambda width: "\n".join(line for part in told.split("\n") for line in wrap(part, width))


LOOKUPS: Mapping[str, Lookup] = {
    "gpu list": _table(lambda: gpus_table(catalog.gpus())),
    "gpu show": Lookup(
        key="gpu",
        help=lambda: "a GPU, with the source of each figure",
        value=lambda _: catalog.gpus()[0].name,
        read=lambda text: catalog.gpu(GPU.read(text, "GPU")),
        find=_gpu,
    ),
    "model list": _table(lambda: models_table(catalog.models(), catalog.model_aliases())),
    "model show": Lookup(
        key="model",
        help=lambda: "a model, with the source of each figure",
        value=lambda app: app.state.draft.value("model"),
        read=lambda text: catalog.model(MODEL.read(text, "model")),
        find=_model,
    ),
    "engine list": _table(lambda: engines_table(catalog.engines_on(catalog.asked_gpus(())))),
    "engine show": Lookup(
        key="engine",
        help=lambda: "an engine, with the source of each figure",
        value=lambda app: app.state.draft.value("engine"),
        read=lambda text: catalog.engine(BY_NAME["engine"].read(text, "engine")),
        find=_engine,
    ),
    "profile show": Lookup(
        help=lambda: f"GPU, model, number format and tp, for example {REPLICA}\nGPUs: {_gpus()}",
        value=lambda app: write_replica(app.state.draft, _pool(app)),
        read=read_replica,
        find=_profile,
    ),
    "profile validate": Lookup(
        help=lambda: f"files of measured runs, and what it does not say of the server, for example\n{MEASURED}",
        read=read_measured,
        find=_validation,
    ),
    "profile fit": Lookup(
        help=lambda: (
            f"files of your own servers' runs, a name, and what they do not say, for example\n{MEASURED} name=prod"
        ),
        read=_fitted,
        find=_fit,
    ),
    "profile list": _table(lambda: fits_table(kept_fits.every())),
    "profile next": Lookup(
        help=lambda: REF,
        value=lambda app: here(app) or "last",
        find=_next_points,
    ),
    "workload list": _table(lambda: workloads_table(workloads.shipped())),
    "workload show": Lookup(
        help=lambda: f"{', '.join(workloads.names())}; or the path of a file",
        value=lambda app: app.state.draft.value("workload"),
        read=lambda text: TEXT.read(text, "workload"),
        find=_workload,
    ),
    "rerun": Lookup(
        help=lambda: f"{REF}; a proof takes as long as it took",
        value=lambda app: here(app) or "last",
        find=_rerun,
    ),
    "doctor": _table(lambda: checks_table(examine(settings.database(settings.settings())))),
    "config show": _table(_settings),
    "config path": Lookup(find=_config_path),
    "config completion": Lookup(find=_completion),
}
"""What can be looked up, by the names of the use cases."""
