"""`fleettui note`: a few words kept with a plan."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson, PlanRef
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui note last "as agreed for the freeze; see CAP-1412"
  fleettui note 41a7 ""
"""

app = new_app("note")


@app.command("note", epilog=EXAMPLES)
def note(
    ref: PlanRef,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help='the note, in place of the present one; "" takes it away')
    ],
    as_json: AsJson = False,
) -> None:
    """Keep a note with a plan, in place of the one that it has."""
    from fleettui.cli.open_store import open_store
    from fleettui.reports.plan_json import envelope

    with open_store() as store:
        row = store.set_note(ref, text)
    said = "has its note" if row.note else "has no note"
    console.tell(as_json, envelope("note", plan=row), f"plan {row.handle} {said}")
