"""`fleettui restate`: which kept plans come out otherwise with today's engine and catalogue."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli.options import AsJson, Workers
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui restate
  fleettui restate "tag:production since:90d"
  fleettui restate verdict:pass --json
"""

app = new_app("restate")


@app.command("restate", epilog=EXAMPLES)
def restate(
    query: Annotated[str, typer.Argument(metavar="[QUERY]", help="which plans, as for list; all by default")] = "",
    workers: Workers = None,
    as_json: AsJson = False,
) -> int:
    """Answer kept plans by formula anew; print which change in count, cost or verdict, and why. Kept as a study."""
    from fleettui.cli import console
    from fleettui.cli.open_store import open_store
    from fleettui.cli.study_output import print_study
    from fleettui.cli.worker_progress import answer_of
    from fleettui.planning import restate as use_case
    from fleettui.planning import settings

    chosen = settings.settings()
    with open_store(chosen) as store:
        report = console.progress()
        found = answer_of(lambda pool: use_case.restate(store, query, report=report, pool=pool), chosen, workers)
    return print_study(found, as_json=as_json, command="restate")
