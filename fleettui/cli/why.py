"""`fleettui why`: the reason behind each number of a kept plan."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui why last
  fleettui why 41a7 --json
"""

app = new_app("why")


@app.command("why", epilog=EXAMPLES)
def why(
    ref: Annotated[str, typer.Argument(metavar="ID", help="a handle or its start, a name, last, last~1")] = "last",
    as_json: AsJson = False,
) -> int:
    """Print what limits each pool, what one replica changes, which prices flip the answer, or what would help."""
    from fleettui.cli.study_output import print_study, study_of
    from fleettui.planning.explain_plan import explain_plan

    found = study_of(lambda store, report: explain_plan(store, ref, report=report))
    return print_study(found, as_json=as_json, command="why")
