"""`fleettui archive`: a plan put away, out of the list."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson, PlanRef
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Nothing is deleted: fleettui list --archived shows it still.
\b
Examples:
  fleettui archive 41a7
  fleettui archive 41a7 --undo
"""

app = new_app("archive")


@app.command("archive", epilog=EXAMPLES)
def archive(
    ref: PlanRef,
    undo: Annotated[bool, typer.Option("--undo", help="put it back into the list")] = False,
    as_json: AsJson = False,
) -> None:
    """Put a kept plan away, out of the list and of `last`."""
    from fleettui.cli.open_store import open_store
    from fleettui.reports.plan_json import envelope

    with open_store() as store:
        row = store.archive(ref, archived=not undo)
    archived = f"is archived; to undo: fleettui archive {row.handle} --undo"
    said = archived if row.archived else "is in the list"
    console.tell(as_json, envelope("archive", plan=row), f"plan {row.handle} {said}")
