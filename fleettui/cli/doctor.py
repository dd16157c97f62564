"""`fleettui doctor`: is everything here that the program needs?"""

from __future__ import annotations

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Example:
  fleettui doctor
"""


app = new_app("doctor")


@app.command("doctor", epilog=EXAMPLES)
def doctor(as_json: AsJson = False) -> int:
    """Check Python, SQLite, the store, the packages and the terminal; exit 3 when something fails."""
    from fleettui.planning import settings
    from fleettui.planning.doctor import checks_table, examine
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.table import render

    checks = examine(settings.database(settings.settings()))
    console.tell(as_json, envelope("doctor", checks=checks), render(checks_table(checks), console.width()))
    return 3 if any(check.state == "fail" for check in checks) else 0
