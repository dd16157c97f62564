"""`fleettui published`: the papers' tables, cell by cell, beside what their method and ours compute."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson, Workers
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui published "FO T3"
  fleettui published ift9 --json
  fleettui published            (all tables, some minutes)
"""

app = new_app("published")


@app.command("published", epilog=EXAMPLES)
def published(
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="FO T2 T3 T5 T6 7.4, IFS T1-T4 T6-T9 Eq. 6; none: all")
    ] = None,
    workers: Workers = None,
    as_json: AsJson = False,
) -> int:
    """Compute each published cell by the papers' method and by ours, keep the study, and print it."""
    from fleettui.cli.open_store import open_store
    from fleettui.cli.study_output import print_study
    from fleettui.cli.worker_progress import answer_of
    from fleettui.planning import settings
    from fleettui.planning.published import publish

    chosen = settings.settings()
    with open_store(chosen) as store:
        found = answer_of(
            lambda pool: publish(table, store=store, pool=pool, report=console.progress()), chosen, workers
        )
    return print_study(found, as_json=as_json, command="published")
