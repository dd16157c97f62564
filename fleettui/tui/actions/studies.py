"""Studies: what was asked beyond the plan, chosen from a list and read as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.tui.actions.labels import selected
from fleettui.tui.modals.choose import Choose

if TYPE_CHECKING:
    from fleettui.reports.studies_table import Listed
    from fleettui.tui.app import FleetApp
    from store import Store

MOST = 50
"""Studies that are offered of the plan, and as many of no plan."""


async def studies(app: FleetApp) -> None:
    """Show the plan's study; where there are several, or some of no plan, let one be chosen."""
    plan = app.view.selected_plan()
    found = await app.desk.engine.read(lambda store: listed(store, plan))
    if not found:
        raise InputError("no study is kept of this plan", remedy="fleettui whatif --help shows what can be asked")
    study: Study | None = found[0][0]
    if len(found) > 1:
        by_handle = {one.handle: one for one, _ in found}
        chosen = await app.push_screen_wait(Choose("studies", entries(found, app.size.width)))
        study = None if chosen is None else by_handle[chosen]
    if study is not None:
        show_study(app, study)


async def pareto(app: FleetApp) -> None:
    """Work out what the question of the plan that is shown trades for what, and show the study that is kept."""
    from fleettui.planning import pareto as use_case

    plan, store = selected(app), await app.desk.engine.store()
    show_study(app, await app.desk.engine.run(lambda pool: use_case.pareto(store, plan, pool=pool)))


def listed(store: Store, plan: str) -> list[Listed]:
    """Return the studies of the plan with this id, newest first, then those of no plan."""
    from fleettui.planning.studies import list_studies

    own = list_studies(store, plan, MOST) if plan else ()
    return [*own, *list_studies(store, "", MOST)]


def entries(found: Sequence[Listed], width: int) -> dict[str, str]:
    """Return a line for each study by its handle, cut to `width`."""
    from fleettui.reports.studies_table import kind_words, made

    kinds = max(len(kind_words(study)) for study, _ in found)
    lines = {
        study.handle: f"{study.handle}  {made(study)}  {kind_words(study).ljust(kinds)}  {study.title}"
        + ("" if plan else "  (of no plan)")
        for study, plan in found
    }
    return {handle: line if len(line) < width else f"{line[: width - 2]}…" for handle, line in lines.items()}


def show_study(app: FleetApp, study: Study) -> None:
    """Show a study as its command printed it, below a plot where its first table makes one."""
    from fleettui.reports.studies_table import kind_words
    from fleettui.reports.study_chart import study_chart
    from fleettui.reports.study_text import study_text
    from fleettui.tui.lookups import show

    show(app, f"{kind_words(study)} {study.handle}", lambda width: study_text(study, width), study_chart(study))


ACTIONS: Mapping[str, Callable[[FleetApp], object]] = {"studies": studies}
