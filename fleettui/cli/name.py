"""`fleettui name`: what a plan is called."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson, PlanRef
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui name last "chat, summer"
  fleettui name 41a7 ""
"""

app = new_app("name")


@app.command("name", epilog=EXAMPLES)
def name(
    ref: PlanRef,
    text: Annotated[str, typer.Argument(metavar="TEXT", help='the name, one short line; "" takes it away')],
    as_json: AsJson = False,
) -> None:
    """Name a kept plan; it is found by its name from then on."""
    from fleettui.cli.open_store import open_store
    from fleettui.reports.plan_json import envelope

    with open_store() as store:
        row = store.set_name(ref, text)
    said = f'is called "{row.name}"' if row.name else "has no name"
    console.tell(as_json, envelope("name", plan=row), f"plan {row.handle} {said}")
