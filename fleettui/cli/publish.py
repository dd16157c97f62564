"""`fleettui publish`: the store as it is now, for others to read."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Who may read the file reads it beside plans of their own with
fleettui --also FILE, or alone with FLEETTUI_DB=FILE. What is planned later is
not in it.
\b
Example:
  fleettui publish /srv/plans/fleettui.db
"""

app = new_app("publish")


@app.command("publish", epilog=EXAMPLES)
def publish(
    file: Annotated[str, typer.Argument(metavar="FILE", help="a new file")],
    as_json: AsJson = False,
) -> None:
    """Write the whole store to a new file that may only be read."""
    from fleettui.cli.open_store import open_store
    from fleettui.planning.transfer import new_file
    from fleettui.reports.plan_json import envelope

    target = new_file(file)
    with open_store() as store:
        size = store.publish(target)
    said = f"published: {target} ({size} bytes), with all notes; to read: fleettui --also {target} list"
    console.tell(as_json, envelope("publish", path=str(target), bytes=size), said)
