"""`fleettui open`: the app, at a plan, a workload or a question."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui open last
  fleettui open 41a7
  fleettui open trace.csv
  fleettui open question.yaml
"""
INSTEAD = {
    "plan": "fleettui show {} prints it",
    "workload": "fleettui workload show {} prints it",
    "question": "fleettui plan -f {} answers it",
}


app = new_app("open")


@app.command("open", epilog=EXAMPLES)
def open_there(
    context: typer.Context,
    what: Annotated[
        str, typer.Argument(metavar="ID|FILE", help="a plan, a trace, a length distribution, or a question file")
    ],
) -> int:
    """Open the app at a kept plan, or with a new question on a workload or from a question file."""
    from fleettui.cli.app_launcher import launcher_of
    from fleettui.errors import InputError
    from fleettui.planning import settings
    from fleettui.planning.opening import opening_of

    where = opening_of(what)
    shown = launcher_of(context)(where, settings.settings())
    if isinstance(shown, str):
        remedy = INSTEAD[where.kind].format(what)
        raise InputError(f"this needs a terminal: {shown}", where="fleettui open", remedy=remedy)
    return shown
