"""`fleettui doctor`: is everything here that the program needs?"""

from __future__ import annotations

from fleettui.cli import console
from fleettui.cli.apps import new_app
from fleettui.cli.options import AsJson

EXAMPLES = """\
\b
Example:
  fleettui doctor
"""


app = new_app("doctor")


@app.command("doctor", epilog=EXAMPLES)
def doctor(as_json: AsJson = False) -> int:
    """Check Python, SQLite, the store, the packages and the terminal; exit 3 when something fails."""
    from fleettui.cli import settings
    from fleettui.planning.doctor import examine
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.table import Column, Table, render

    checks = examine(settings.database(settings.settings()))
    if as_json:
        console.out_json(envelope("doctor", checks=checks))
    else:
        columns = (
            Column(title=""),
            Column(title="what"),
            Column(title="found", wrap=True),
            Column(title="do", wrap=True),
        )
        rows = tuple((check.state, check.name, check.found, check.remedy) for check in checks)
        console.out(render(Table(columns=columns, rows=rows), console.width()))
    return 3 if any(check.state == "fail" for check in checks) else 0
