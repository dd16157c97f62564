"""`fleettui model`: the models that can be planned with."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui model list
  fleettui model show qwen3-32b
"""

app = new_app("model", "The models that can be planned with.", EXAMPLES)


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the known models."""
    from fleettui.hardware import catalog
    from fleettui.reports.hardware_text import models_table
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.table import render

    known = catalog.models()
    aliases = catalog.model_aliases()
    plain = envelope("model list", models=known, aliases=aliases)
    console.tell(as_json, plain, render(models_table(known, aliases), console.width()))


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="a name (fleettui model list) or the path of a config.json")],
    as_json: AsJson = False,
) -> None:
    """Show one model with the source of each figure."""
    from fleettui.hardware import catalog
    from fleettui.reports.hardware_text import model_text
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.question.text_forms import MODEL

    found = catalog.model(MODEL.read(name, "NAME"))
    console.tell(as_json, envelope("model show", model=found), model_text(found, console.width()))
