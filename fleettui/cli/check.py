"""`fleettui check`: does the answer to a question still hold? For jobs that run every night."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli.apps import new_app
from fleettui.cli.options import AsJson, Workers

EXAMPLES = """\
\b
Examples:
  fleettui check question.yaml --max-cost 160/h
  fleettui check question.yaml --against chat --no-verify
  fleettui check question.yaml --against 41a7 --json > check.json
"""

app = new_app("check")


@app.command("check", epilog=EXAMPLES)
def check(
    file: Annotated[str, typer.Argument(metavar="question.yaml", help="a question, as for plan -f")],
    max_cost: Annotated[
        str | None, typer.Option("--max-cost", metavar="80/h", help="US dollars that the answer may cost")
    ] = None,
    against: Annotated[
        str, typer.Option("--against", metavar="ID", help="the stored plan whose GPUs and cost it may not exceed")
    ] = "",
    *,
    no_verify: Annotated[bool, typer.Option("--no-verify", help="by formula alone, in a second")] = False,
    workers: Workers = None,
    as_json: AsJson = False,
) -> int:
    """Answer a question anew and keep the plan; exit 3, with what no longer holds and why, unless it holds."""
    from fleettui.cli import asking, console, joint
    from fleettui.cli.answers import NOT_PASS, PASS
    from fleettui.cli.keeping import open_store
    from fleettui.cli.working import answer_of
    from fleettui.planning import check as use_case
    from fleettui.reports.check_text import check_json, check_text
    from fleettui.reports.question import form
    from fleettui.reports.question.form import Given
    from fleettui.reports.question.keys import BY_NAME

    filed = asking.read(file)
    if joint.is_joint(filed):
        raise joint.several(filed.where, "plan -f answers them together")
    chosen, values = asking.values({"verify": Given("false", "--no-verify")} if no_verify else {}, filed)
    question = form.to_question(values)
    most = None if max_cost is None else BY_NAME["budget"].form.read(max_cost, "--max-cost")
    with open_store(chosen) as store:
        report = console.progress()
        found = answer_of(
            lambda pool: use_case.check(
                question, store=store, against=against, max_cost=most, report=report, pool=pool
            ),
            chosen,
            workers,
        )
    if as_json:
        console.out_json(check_json(found))
    else:
        console.out(check_text(found, console.width()))
    return PASS if found.holds else NOT_PASS
