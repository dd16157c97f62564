"""`fleettui prune`: old runs and archived plans deleted, or told."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Single runs of finished plans go, unless a plan has a name, a tag or a job
that is not done. What they showed is kept, and rerun gives them again.
Nothing is deleted without --yes.
\b
Examples:
  fleettui prune
  fleettui prune --older-than 52w --archived --yes
"""

app = new_app("prune")


@app.command("prune", epilog=EXAMPLES)
def prune(
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="90d", help="only of plans that are older, in days or weeks")
    ] = "90d",
    archived: Annotated[
        bool, typer.Option("--archived", help="archived plans too, whole, unless another was forked from them")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="delete; without it only tell")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete old runs and, if asked, archived plans; without --yes only tell what would go."""
    from fleettui.cli.open_store import open_store
    from fleettui.planning.transfer import age_of, pruned_text
    from fleettui.reports.plan_json import envelope

    older = age_of(older_than)
    with open_store() as store:
        act = store.prune if yes else store.prunable
        found = act(older=older, archived=archived)
    told = envelope("prune", deleted=yes, replications=found.replications, plans=found.plans, bytes=found.bytes)
    console.tell(as_json, told, pruned_text(found, done=yes))
