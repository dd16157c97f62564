"""`fleettui engine`: the serving engines that can be planned with."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui engine list
  fleettui engine list --gpu h100,a100
  fleettui engine show vllm
"""

app = new_app("engine", "The serving engines that can be planned with.", EXAMPLES)


@app.command("list")
def list_all(
    gpu: Annotated[
        str | None, typer.Option("--gpu", metavar="h100,a100", help="on which GPUs; default those that are searched")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the known engines, and how they start on each GPU."""
    from fleettui.hardware import catalog
    from fleettui.reports.engine_text import engines_table
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.question.keys import BY_NAME
    from fleettui.reports.table import render

    asked = () if gpu is None else BY_NAME["gpu"].read(gpu, "--gpu")
    found = catalog.engines_on(catalog.asked_gpus(asked))
    console.tell(as_json, envelope("engine list", engines=found), render(engines_table(found), console.width()))


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="a name (fleettui engine list)")],
    as_json: AsJson = False,
) -> None:
    """Show what one engine adds to its kernels and how it starts, with the source of each figure."""
    from fleettui.hardware import catalog
    from fleettui.reports.engine_text import engine_text
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.question.keys import BY_NAME

    found = catalog.engine(BY_NAME["engine"].read(name, "NAME"))
    on = catalog.asked_gpus(())
    console.tell(as_json, envelope("engine show", engine=found), engine_text(found, on, console.width()))
