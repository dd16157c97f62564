"""Work: plan the question, add proof, stop, go on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.reports import units
from fleettui.reports.fleet_text import fleet
from fleettui.reports.question.keys import BY_NAME
from fleettui.tui.actions.pages import ask
from fleettui.tui.tabs import named

if TYPE_CHECKING:
    from fleettui.domain.fleet import FleetSketch
    from fleettui.domain.plan import Answer
    from fleettui.tui.app import FleetApp
    from fleettui.tui.task import Tools

NARROWER = 0.5
"""How much narrower the interval is to be that more proof asks for, as a share of the present one."""


async def plan(app: FleetApp) -> None:
    """Plan the question: the search, then the proof, both shown as they go on.

    Raises InputError while several workloads are planned together: they are what is shown, not the question before.
    """
    if app.state.joint is not None:
        raise InputError(f"{app.state.joint.name} is planned already", remedy="x stops that, then r plans a question")
    app.state.plan()
    await app.see("fleet")


async def simulate_file(app: FleetApp, path: str) -> None:
    """Simulate the fleet of a file under the question's traffic and limits, and follow the work.

    What the file does not say of the fleet the question does.
    """
    from fleettui.planning.fleet_files import read_fleet

    await _simulate(app, read_fleet(path, app.state.draft.left), Path(path).name)


async def simulate_today(app: FleetApp) -> None:
    """Ask in six lines for a fleet, or its file, with its traffic and limits; simulate it, and follow the work."""
    from fleettui.reports.question.fleet_phrase import phrase_of
    from fleettui.tui.modals.today import FLEET, Today, is_file, sketch

    shown = app.state.shown
    looked_at = None if shown is None or shown.row is None else shown.candidate
    phrase = "" if looked_at is None else phrase_of(looked_at.fleet)
    phrase = app.state.today if app.state.asking and app.state.today else phrase
    texts = await app.push_screen_wait(Today(app.state.draft.texts, phrase, also=app.state.beside))
    if texts is not None:
        line = texts.pop(FLEET)
        found = sketch(line, {**app.state.defaults(), **texts})
        app.state.ask(texts)
        app.state.today = line
        await _simulate(app, found, Path(line).name if is_file(line) else line)


async def _simulate(app: FleetApp, sketch: FleetSketch, name: str) -> None:
    from fleettui.planning.simulate import simulate
    from fleettui.reports.question.left_keys import differences

    asked, unlike = app.state.draft.question(sketch), differences(sketch, app.state.draft.left)

    async def work(tools: Tools) -> Answer:
        return await simulate(sketch, asked, differences=unlike, **tools.given)

    app.state.follow(f"simulate {name} {asked.model}", "simulate", work)
    await app.see("fleet")


async def proof(app: FleetApp) -> None:
    """Add proof to the fleet that is looked at, until its interval is as narrow as is typed."""
    candidate = await app.view.selected_candidate()
    if candidate is None or not app.view.selected_plan():
        raise InputError("there is no kept fleet here to prove", remedy="r plans the question first")
    seen = candidate.evidence
    before = seen.precision if seen is not None and seen.precision else None
    value = units.percent(before * NARROWER) if before else BY_NAME["precision"].default
    read = BY_NAME["precision"].read
    help = f"more runs of {candidate.handle}, {fleet(candidate.fleet)}, until the 95 % interval is so narrow"
    text = await ask(app, "half-width of each pool's P99 TTFT", help, value, lambda text: read(text, "precision"))
    if text is not None:
        app.state.prove(candidate, read(text, "precision"))


async def cancel(app: FleetApp) -> None:
    """Stop the work on the plan that is shown, else the newest; what it has finished is kept."""
    alive = app.state.thread.alive
    if not alive:
        app.notify("nothing is running", timeout=2)
        return
    shown = app.state.shown
    task = (app.state.task_of(shown.plan) if shown is not None and shown.plan else None) or alive[-1]
    await app.state.cancel(task)
    app.notify(f"stopping: {task.title}", timeout=2, markup=False)


async def resume(app: FleetApp) -> None:
    """Go on with the newest stopped work on the plan."""
    from fleettui.reports.jobs_text import RESUMABLE

    plan = app.view.selected_plan()
    found = await app.state.thread.read(lambda store: [job for job in store.jobs(limit=200) if job.plan == plan])
    job = next((job for job in found if job.state in RESUMABLE), None)
    if job is None:
        raise InputError("no stopped work on this plan", remedy=f"{named('jobs').number} shows all jobs")
    app.state.resume(job.id, job.title)
