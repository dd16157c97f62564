"""`fleettui rerun`: a kept plan run again from what the store holds, and held to what was kept."""

from __future__ import annotations

from fleettui.cli.options import AsJson, OnCluster, PlanRef, Workers
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui rerun last
  fleettui rerun 41a7 --json
"""

app = new_app("rerun")


@app.command("rerun", epilog=EXAMPLES)
def rerun(
    ref: PlanRef = "last",
    workers: Workers = None,
    cluster: OnCluster = None,
    as_json: AsJson = False,
) -> int:
    """Run a kept plan again from its stored inputs, proof included; exit 3 where it is not the same to the byte."""
    from fleettui.cli import console
    from fleettui.cli.worker_progress import answer_from_store
    from fleettui.planning.rerun import rerun as run_again
    from fleettui.reports.rerun_text import rerun_json, rerun_text

    found = answer_from_store(
        lambda store, report, pool: run_again(store, ref, report=report, pool=pool), workers, cluster
    )
    console.tell(as_json, rerun_json(found), rerun_text(found, console.width()))
    return console.PASS if found.same else console.NOT_PASS
