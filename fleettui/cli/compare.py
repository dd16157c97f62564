"""`fleettui compare`: kept plans side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui compare last~1 last
  fleettui compare 41a7 40f2 3ff0 --all
  fleettui compare 41a7 40f2 --markdown > decision.md
"""
Every = Annotated[bool, typer.Option("--all", help="the rows that are the same in all, too")]
Markdown = Annotated[bool, typer.Option("--markdown", "--md", help="as Markdown, to paste into a ticket")]

app = new_app("compare")


@app.command("compare", epilog=EXAMPLES)
def compare(
    refs: Annotated[
        list[str], typer.Argument(metavar="ID ID...", help="plans, or two studies; the first is the baseline")
    ],
    every: Every = False,
    markdown: Markdown = False,
    as_json: AsJson = False,
) -> int:
    """Print kept plans, or two studies, side by side: what differs, what is better, and whether that is proven."""
    from fleettui.cli import console
    from fleettui.cli.open_store import open_store
    from fleettui.cli.study_output import print_study
    from fleettui.planning.compare import compare_plans, compare_studies
    from fleettui.reports.comparison.text import comparison_json, comparison_markdown, comparison_text

    with open_store() as store:
        studies = compare_studies(store, refs)
        if studies is not None:
            return print_study(studies, as_json=as_json, command="compare")
        found = compare_plans(store, refs)
    if as_json:
        console.out_json(comparison_json(found, "compare"))
    else:
        words = comparison_markdown(found, every_row=every) if markdown else ""
        console.out(words or comparison_text(found, console.width(), every_row=every))
    return 0
