"""`fleettui export`: a kept plan for other programs and other people."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli.text_output import Force, Output
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui export last --format csv > candidates.csv
  fleettui export 41a7 -o question.yaml
  fleettui export 41a7 -o cost-and-latency.svg
"""

app = new_app("export")


@app.command("export", epilog=EXAMPLES)
def export(
    ref: Annotated[str, typer.Argument(metavar="ID", help="a plan's handle, a name, last, last~1")] = "last",
    output: Output = None,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="md, csv, json, yaml, svg; default: as the file is called"),
    ] = None,
    force: Force = False,
) -> int:
    """Hand a kept plan over: its page, its candidates, its data, the question that asks it again, or its chart."""
    from fleettui.cli.open_store import open_store
    from fleettui.cli.text_output import deliver
    from fleettui.planning import export as use_case
    from fleettui.planning.user_files import format_of

    wanted = format_of(output, format, use_case.SUFFIXES)
    with open_store() as store:
        text = use_case.export(store, ref, wanted)
    deliver(text, output, force=force)
    return 0
