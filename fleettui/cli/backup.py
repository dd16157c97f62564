"""`fleettui backup`: the store copied to a file."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
To restore: leave the program everywhere, and put the copy in the place
of the store's file.
\b
Examples:
  fleettui backup
  fleettui backup /mnt/safe/fleettui.db
"""

app = new_app("backup")


@app.command("backup", epilog=EXAMPLES)
def backup(
    file: Annotated[str, typer.Argument(metavar="FILE", help="a new file; default: beside the store")] = "",
    as_json: AsJson = False,
) -> None:
    """Copy the whole store as it is at one moment, also while others write."""
    from fleettui.cli.open_store import open_store
    from fleettui.planning.transfer import backup_target
    from fleettui.reports.plan_json import envelope

    with open_store() as store:
        target = backup_target(store, file)
        size = store.back_up(target)
    console.tell(as_json, envelope("backup", path=str(target), bytes=size), f"copied: {target} ({size} bytes)")
