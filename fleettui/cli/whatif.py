"""`fleettui whatif`: what would be if an input was another, by formula."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from fleettui.cli.options import AsJson, Workers
from fleettui.cli.typer_app import new_app

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.whatif_request import Work

EXAMPLES = """\
\b
Examples:
  fleettui whatif last --sweep rate=50/s:400/s:8
  fleettui whatif last --sweep gpu=h100,a100,l40s --sweep slo-ttft=300ms,1s
  fleettui whatif 9f3c --steps --from 50/s --to 500/s
  fleettui whatif 9f3c --growth 8%/month --lead-time 12w --months 24
  fleettui whatif 9f3c --sensitivity --samples 400
"""

app = new_app("whatif")


@app.command("whatif", epilog=EXAMPLES)
def whatif(
    ref: Annotated[str, typer.Argument(metavar="PLAN", help="a kept plan: handle, name, last, last~1")],
    *,
    sweep: Annotated[
        list[str] | None,
        typer.Option("--sweep", metavar="rate=50/s:400/s:8", help="key=low:high:points or key=a,b; several: a grid"),
    ] = None,
    steps: Annotated[bool, typer.Option("--steps", help="the rate at which each fleet of the shape runs out")] = False,
    low: Annotated[str | None, typer.Option("--from", metavar="50/s", help="steps: half the rate unless given")] = None,
    high: Annotated[
        str | None, typer.Option("--to", metavar="500/s", help="steps: twice the rate unless given")
    ] = None,
    growth: Annotated[
        str | None, typer.Option("--growth", metavar="8%/month", help="when to order how many GPUs")
    ] = None,
    lead_time: Annotated[
        str | None, typer.Option("--lead-time", metavar="12w", help="growth: from order to GPUs (default 12w)")
    ] = None,
    months: Annotated[
        str | None, typer.Option("--months", metavar="24", help="growth: how far to look (default 24)")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="2026-12-01", help="growth: the rate's day (default today)")
    ] = None,
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="how far each input, and all of them, move the GPUs")
    ] = False,
    samples: Annotated[
        str | None, typer.Option("--samples", metavar="400", help="sensitivity: joint draws (default 400)")
    ] = None,
    seed: Annotated[str | None, typer.Option("--seed", metavar="7", help="sensitivity: default the plan's")] = None,
    workers: Workers = None,
    as_json: AsJson = False,
) -> int:
    """Move the inputs of a kept plan, answer each by formula, keep the findings as a study, and print them."""
    from fleettui.cli.study_output import print_study
    from fleettui.planning.whatif_request import work_of

    options = {
        "sweep": tuple(sweep or ()),
        "steps": steps,
        "from": low,
        "to": high,
        "growth": growth,
        "lead-time": lead_time,
        "months": months,
        "start": start,
        "sensitivity": sensitivity,
        "samples": samples,
        "seed": seed,
    }
    work = work_of(options, datetime.now().astimezone().date())
    return print_study(_done(work, ref, workers), as_json=as_json, command="whatif")


def _done(work: Work, ref: str, workers: int | None) -> Study:
    from fleettui.cli import console
    from fleettui.cli.open_store import open_store
    from fleettui.cli.worker_progress import answer_of
    from fleettui.planning import settings

    chosen = settings.settings()
    with open_store(chosen) as store:
        report = console.progress()
        return answer_of(lambda pool: work(store, ref, report=report, pool=pool), chosen, workers)
