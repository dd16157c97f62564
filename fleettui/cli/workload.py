"""`fleettui workload`: what arrives, shown, listed, built and measured."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console, text_output
from fleettui.cli.options import AsJson, TraceFormat
from fleettui.cli.text_output import Force
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui workload list
  fleettui workload show azure-2023-conv
  fleettui workload build trace.csv -o chat.json --source "gateway log, May"
  fleettui workload from-metrics t0.txt t1.txt --between 5min -o chat.json
"""

OutputShare = Annotated[
    str | None, typer.Option("--output-share", metavar="20%", help="share of output where only totals are known")
]
JsonFile = Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="the JSON file to write")]
Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help="default: the file's name")]

app = new_app("workload", "Request traces and length distributions.", EXAMPLES)


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the workloads that come with the program."""
    from fleettui.planning import workloads
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.table import render
    from fleettui.reports.workload_text import workloads_table

    shipped = workloads.shipped()
    rows = render(workloads_table(shipped), console.width())
    console.tell(as_json, envelope("workload list", workloads=shipped), rows)


@app.command("show")
def show(
    source: Annotated[str, typer.Argument(help="a shipped name, a length distribution, or a trace")],
    trace_format: TraceFormat = None,
    output_share: OutputShare = None,
    as_json: AsJson = False,
) -> None:
    """Show a workload's lengths, arrivals and origin."""
    import asyncio

    from fleettui.planning import workloads
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.question.keys import BY_NAME
    from fleettui.reports.workload_text import workload_text

    share = None if output_share is None else BY_NAME["output-share"].read(output_share, "--output-share")
    found = asyncio.run(workloads.show_workload(source, format=trace_format, output_share=share))
    console.tell(as_json, envelope("workload show", workload=found), workload_text(found, console.width()))


@app.command("build")
def build(
    sources: Annotated[list[str], typer.Argument(metavar="SRC...", help="traces, merged on one clock")],
    *,
    output: JsonFile,
    name: Name = None,
    source: Annotated[str, typer.Option("--source", metavar="TEXT", help="where the data is from")] = "",
    url: Annotated[str, typer.Option("--url", metavar="URL", help="its address")] = "",
    licence: Annotated[str, typer.Option("--licence", metavar="NAME", help="what may be done with it")] = "",
    attribution: Annotated[str, typer.Option("--attribution", metavar="TEXT", help="whom to credit")] = "",
    derivation: Annotated[str, typer.Option("--derivation", metavar="TEXT", help="what was done to it")] = "",
    slices: Annotated[
        str | None, typer.Option("--slices", metavar="5min", help="cut the clock; sizing then takes the worst slice")
    ] = None,
    trace_format: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="the traces' format, if it is not recognised")
    ] = None,
    output_share: OutputShare = None,
    timing: Annotated[
        str | None, typer.Option("--timing", metavar="fitted", help="how the times came about: recorded, ticks, fitted")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a length distribution of one or more traces."""
    import asyncio

    from fleettui.domain.workload import Origin
    from fleettui.planning import workloads
    from fleettui.reports import units
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.question.keys import BY_NAME
    from fleettui.reports.question.text_forms import choice
    from fleettui.reports.workload_text import workload_text
    from fleettui.workloads import library

    target = text_output.target_of(output, force=force)
    origin = Origin(source=source, url=url, licence=licence, attribution=attribution, derivation=derivation)
    built = asyncio.run(
        workloads.build_workload(
            sources,
            name=name or target.stem,
            origin=origin,
            slices=None if slices is None else units.DURATION.parse(slices, "--slices"),
            format=trace_format,
            output_share=None if output_share is None else BY_NAME["output-share"].read(output_share, "--output-share"),
            timing=None if timing is None else choice(("recorded", "ticks", "fitted")).read(timing, "--timing"),
        )
    )
    text_output.write(target, library.dump(built))
    console.tell(
        as_json, envelope("workload build", path=str(target), workload=built), workload_text(built, console.width())
    )


@app.command("from-metrics")
def from_metrics(
    scrapes: Annotated[
        list[str], typer.Argument(metavar="SCRAPE...", help="a server's /metrics before and after; then another's")
    ],
    *,
    output: JsonFile,
    between: Annotated[
        str | None, typer.Option("--between", metavar="5min", help="the time between, if the samples carry none")
    ] = None,
    model_name: Annotated[
        str | None, typer.Option("--model-name", metavar="NAME", help="one of several models that are served")
    ] = None,
    independent: Annotated[
        bool, typer.Option("--independent", help="assume that a prompt says nothing of its output")
    ] = False,
    name: Name = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a workload of what vLLM servers counted between two scrapes.

    \b
    curl -s http://HOST:8000/metrics > before.txt; sleep 300
    curl -s http://HOST:8000/metrics > after.txt
    """
    import asyncio

    from fleettui.planning import workloads
    from fleettui.reports import units
    from fleettui.reports.measured_text import measured_text, next_commands
    from fleettui.reports.plan_json import envelope
    from fleettui.workloads import library

    target = text_output.target_of(output, force=force)
    measured = asyncio.run(
        workloads.measure_workload(
            scrapes,
            name=name or target.stem,
            model_name=model_name,
            between=None if between is None else units.DURATION.parse(between, "--between"),
            independent=independent,
        )
    )
    text_output.write(target, library.dump(measured.workload))
    if as_json:
        commands = next_commands(measured, str(target))
        console.out_json(envelope("workload from-metrics", path=str(target), measured=measured, next=commands))
    else:
        console.out(measured_text(measured, str(target), console.width()))
