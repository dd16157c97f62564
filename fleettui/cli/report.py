"""`fleettui report`: a kept plan on one page."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli.options import AsJson
from fleettui.cli.text_output import Force, Output
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui report last
  fleettui report 41a7 -o plan.html
  fleettui report 41a7 --format md | pbcopy
  fleettui report last --against spring -o quarter.html
"""

app = new_app("report")


@app.command("report", epilog=EXAMPLES)
def report(
    ref: Annotated[
        str, typer.Argument(metavar="ID", help="a plan's handle, a name, last, last~1, or a joint plan's")
    ] = "last",
    output: Output = None,
    format: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="html, md or text; default: as the file is called")
    ] = None,
    *,
    against: Annotated[
        str,
        typer.Option(
            "--against", metavar="ID|FILE", help="an earlier plan to stand beside it, stored or a file with its JSON"
        ),
    ] = "",
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Tell a kept plan on one page: question, answer, risk, alternatives, growth, assumptions by origin."""
    from fleettui.cli import console
    from fleettui.cli.open_store import open_store
    from fleettui.cli.text_output import deliver
    from fleettui.planning.report import SUFFIXES, report_plan, written
    from fleettui.planning.user_files import format_of
    from fleettui.reports.plan_json import envelope

    wanted = format_of(output, format, SUFFIXES, "text")
    with open_store() as store:
        page = report_plan(store, ref, against)
    if as_json:
        console.out_json(envelope("report", report=page.as_data()))
    else:
        deliver(written(page, wanted, console.width()), output, force=force)
    return 0
