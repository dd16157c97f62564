"""`fleettui diff`: what differs between two kept plans, and what caused it."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli.compare import Every, Markdown
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui diff last~1 last
  fleettui diff 41a7 40f2 --json
"""

app = new_app("diff")


@app.command("diff", epilog=EXAMPLES)
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="the plan that it is compared with")] = "last~1",
    new: Annotated[str, typer.Argument(metavar="NEW", help="the plan that is looked at")] = "last",
    every: Every = False,
    markdown: Markdown = False,
    as_json: AsJson = False,
) -> int:
    """Print what differs between two kept plans, and what caused it: each input applied alone, by formula."""
    from fleettui.cli import console
    from fleettui.cli.open_store import open_store
    from fleettui.cli.worker_progress import answer_of
    from fleettui.planning import settings
    from fleettui.planning.compare import compare_plans
    from fleettui.planning.studies.study_context import make
    from fleettui.reports.comparison.text import comparison_json, comparison_markdown, comparison_text
    from fleettui.reports.study_text import study_json, study_text

    chosen = settings.settings()
    with open_store(chosen) as store:
        found, report = compare_plans(store, (old, new)), console.progress()
        study = answer_of(
            lambda pool: make("causes", store, report=report, pool=pool, old=old, new=new), chosen, workers=None
        )
    if as_json:
        console.out_json({**comparison_json(found, "diff"), "causes": study_json(study, "diff")})
    elif markdown:
        console.out(f"{comparison_markdown(found, every_row=every)}\n\n```\n{study_text(study, console.width())}\n```")
    else:
        console.out(
            f"{comparison_text(found, console.width(), every_row=every)}\n\n{study_text(study, console.width())}"
        )
    return 0
