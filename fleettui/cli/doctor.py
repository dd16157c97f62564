"""`fleettui doctor`: is everything here that the program needs?"""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui doctor
  fleettui doctor --repair
"""


app = new_app("doctor")


@app.command("doctor", epilog=EXAMPLES)
def doctor(
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="read the store through, set aside damaged runs, and take its jobs from programs that are gone",
        ),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check Python, SQLite, the store, the packages and the terminal; exit 3 when something fails."""
    from fleettui.planning import settings
    from fleettui.planning.doctor import checks_table, examine
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.table import render

    checks = examine(settings.database(settings.settings()), repair=repair)
    console.tell(as_json, envelope("doctor", checks=checks), render(checks_table(checks), console.width()))
    return console.NOT_PASS if any(check.state == "fail" for check in checks) else console.PASS
