"""`fleettui pareto`: what a kept plan's question trades for what."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui pareto last
  fleettui pareto 41a7 --json
"""

app = new_app("pareto")


@app.command("pareto", epilog=EXAMPLES)
def pareto(
    ref: Annotated[str, typer.Argument(metavar="PLAN", help="a kept plan: handle, name, last, last~1")] = "last",
    as_json: AsJson = False,
) -> int:
    """Print the best fleet for each objective, and the fleets that no other beats in cost and TTFT at once."""
    from fleettui.cli.study_output import print_study, study_of
    from fleettui.planning import pareto as use_case

    found = study_of(lambda store, report: use_case.pareto(store, ref, report=report))
    return print_study(found, as_json=as_json, command="pareto")
