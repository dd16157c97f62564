"""`fleettui gpu`: the GPUs that can be planned with."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui gpu list
  fleettui gpu show h100
  fleettui gpu show h100 --toml > mine.toml
"""

app = new_app("gpu", "The GPUs that can be planned with.", EXAMPLES)


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the known GPUs."""
    from fleettui.hardware import catalog
    from fleettui.reports.hardware_text import gpus_table
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.table import render

    known = catalog.gpus()
    console.tell(as_json, envelope("gpu list", gpus=known), render(gpus_table(known), console.width()))


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="a name (fleettui gpu list) or the path of a GPU file")],
    as_toml: Annotated[bool, typer.Option("--toml", help="print its file, to change and give as --gpu PATH")] = False,
    as_json: AsJson = False,
) -> None:
    """Show one GPU with the source of each figure."""
    from fleettui.hardware import catalog
    from fleettui.reports.hardware_text import gpu_text
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.question.text_forms import GPU

    wanted = GPU.read(name, "NAME")
    if as_toml:
        console.out(catalog.gpu_text(wanted).rstrip())
        return
    found = catalog.gpu(wanted)
    console.tell(as_json, envelope("gpu show", gpu=found), gpu_text(found, console.width()))
