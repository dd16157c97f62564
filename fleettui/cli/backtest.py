"""`fleettui backtest`: what a running fleet shows against what was predicted of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fleettui.cli.options import AsJson, TraceFormat, Workers, with_question_options
from fleettui.cli.typer_app import new_app
from fleettui.reports.observed_figures import HOUR
from fleettui.reports.question import conversion
from fleettui.reports.question.keys import FIXED_FLEET_KEYS

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.worker_pool import WorkerPool

EXAMPLES = """\
\b
What is observed: ttft, tpot or e2e with .p50, .p99 or .mean, of all requests,
and running, the mean number of sequences in service in the whole fleet. A
value may have ends: ttft.p99=250ms..500ms. Three figures tell more than one.
\b
Examples:
  fleettui backtest last --observed ttft.p99=380ms,tpot.p50=28.4ms,running=61
  fleettui backtest fleet.yaml azure-2023-conv --rate 100/s --over 6h \\
    --observed ttft.p99=380ms,tpot.p50=28.4ms,running=61
  fleettui backtest 41a7 --rate 92/s --observed tpot.p50=28.4ms,running=61
"""

app = new_app("backtest")


@app.command("backtest", epilog=EXAMPLES)
@with_question_options(FIXED_FLEET_KEYS)
def backtest(
    fleet: Annotated[str, typer.Argument(metavar="FLEET", help="a fleet's file, YAML or JSON, or a kept plan")],
    workload: Annotated[
        str | None, typer.Argument(help="as for simulate; that of the plan where a kept plan is named")
    ] = None,
    *,
    observed: Annotated[
        str, typer.Option("--observed", metavar="ttft.p99=380ms,running=61", help="what production showed")
    ],
    over: Annotated[str, typer.Option("--over", metavar="6h", help="how long it was seen for (default 1h)")] = HOUR,
    trace_format: TraceFormat = None,
    workers: Workers = None,
    as_json: AsJson = False,
    **typed: Any,
) -> int:
    """Hold what production showed to the prediction, find the constant that explains the gap, and keep both."""
    from fleettui.cli import console
    from fleettui.cli.open_store import open_store
    from fleettui.cli.options import texts
    from fleettui.cli.study_output import print_study
    from fleettui.cli.worker_progress import answer_of
    from fleettui.planning import backtest as use_case
    from fleettui.planning import settings
    from fleettui.reports import observed_figures as figures
    from fleettui.reports import units

    seen, window = figures.read(observed, "--observed"), units.DURATION.parse(over, "--over")
    given, chosen = texts({**typed, "workload": workload}), settings.settings()
    conversion.check_together(given)
    with open_store(chosen) as store:
        common: dict[str, Any] = {"report": console.progress()}

        async def work(pool: WorkerPool) -> Study:
            plan = await use_case.subject(store, fleet, given, trace_format=trace_format, pool=pool, **common)
            return await use_case.backtest(store, plan, seen, window=window, pool=pool, **common)

        study = answer_of(work, chosen, workers)
    return print_study(study, as_json=as_json, command="backtest")
