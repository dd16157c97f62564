"""`fleettui import`: the plans of a bundle, added to the store."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Every digest is checked, and all is taken or nothing.
A plan that is here already stays as it is.
\b
Example:
  fleettui import plans.fleet
"""

app = new_app("import")


@app.command("import", epilog=EXAMPLES)
def import_bundle(
    file: Annotated[str, typer.Argument(metavar="FILE", help="what fleettui export --bundle wrote")],
    as_json: AsJson = False,
) -> None:
    """Add the plans of a bundle to the store."""
    from fleettui.cli.open_store import open_store
    from fleettui.planning.transfer import take_in, taken_text
    from fleettui.reports.plan_json import envelope

    with open_store() as store:
        merged = take_in(store, file)
    told = {"added": merged.added, "known": merged.known, "renamed": merged.renamed}
    console.tell(as_json, envelope("import", **told), taken_text(merged))
