"""`fleettui tag`: words by which plans are found again."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson, PlanRef
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui tag last prod
  fleettui tag last prod --remove
  fleettui list tag:prod
"""

app = new_app("tag")


@app.command("tag", epilog=EXAMPLES)
def tag(
    ref: PlanRef,
    word: Annotated[str, typer.Argument(metavar="TAG", help="one word")],
    remove: Annotated[bool, typer.Option("--remove", help="take the tag away")] = False,
    as_json: AsJson = False,
) -> None:
    """Tag a kept plan with a word."""
    from fleettui.cli.open_store import open_store
    from fleettui.reports.plan_json import envelope

    with open_store() as store:
        row = store.remove_tag(ref, word) if remove else store.add_tag(ref, word)
    said = f"is tagged {', '.join(row.tags)}" if row.tags else "has no tags"
    console.tell(as_json, envelope("tag", plan=row), f"plan {row.handle} {said}")
