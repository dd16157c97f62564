"""`fleettui check`: does the answer to a question still hold? For jobs that run every night."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Annotated, Any

import typer

from fleettui.cli.compare import Markdown
from fleettui.cli.options import AsJson, Correct, OnCluster, Workers
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui check question.yaml --max-cost 160/h
  fleettui check question.yaml --against chat --no-verify
  fleettui check question.yaml --against 41a7 --json > check.json
  fleettui check question.yaml --against plan.json --md --junit check.xml
"""

app = new_app("check")


@app.command("check", epilog=EXAMPLES)
def check(
    file: Annotated[str, typer.Argument(metavar="question.yaml", help="a question, as for plan -f")],
    max_cost: Annotated[
        str | None, typer.Option("--max-cost", metavar="80/h", help="US dollars that the answer may cost")
    ] = None,
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="ID|FILE",
            help="the plan whose GPUs and cost it may not exceed: a stored one, or a file with its JSON",
        ),
    ] = "",
    *,
    no_verify: Annotated[bool, typer.Option("--no-verify", help="by formula alone, in a second")] = False,
    markdown: Markdown = False,
    correct: Correct = None,
    junit: Annotated[
        str | None,
        typer.Option("--junit", metavar="OUT.xml", help="write what was tested as JUnit, over what is there"),
    ] = None,
    workers: Workers = None,
    cluster: OnCluster = None,
    as_json: AsJson = False,
) -> int:
    """Answer a question anew and keep the plan; exit 3, with what no longer holds and why, unless it holds."""
    from fleettui.cli import ask_question, console, joint
    from fleettui.cli.correction import corrections
    from fleettui.cli.open_store import open_store
    from fleettui.cli.text_output import target_of, write
    from fleettui.cli.worker_progress import answer_of
    from fleettui.planning import check as use_case
    from fleettui.planning import settings
    from fleettui.planning.check_joint import check_joint
    from fleettui.planning.worker_pool import WorkerPool
    from fleettui.reports import findings
    from fleettui.reports.check_text import Checked
    from fleettui.reports.joint_check import JointChecked
    from fleettui.reports.question import conversion
    from fleettui.reports.question.conversion import Given
    from fleettui.reports.question.keys import BY_NAME

    target = None if junit is None else target_of(junit, where="--junit", force=True)
    filed = ask_question.read(file)
    typed = {"verify": Given("false", "--no-verify")} if no_verify else {}
    typed |= corrections(correct, typed, workers, cluster)
    most = None if max_cost is None else BY_NAME["budget"].read(max_cost, "--max-cost")
    ask: Callable[..., Coroutine[Any, Any, Checked | JointChecked]]
    if joint.is_joint(filed):
        chosen = settings.settings()
        ask = partial(check_joint, joint.read(typed, filed, chosen))
    else:
        chosen, values = ask_question.values(typed, filed)
        ask = partial(use_case.check, conversion.to_question(values))
    report = console.progress()
    with open_store(chosen) as store:

        async def work(pool: WorkerPool) -> Checked | JointChecked:
            return await ask(store=store, against=against, max_cost=most, report=report, pool=pool)

        found = answer_of(work, chosen, workers, cluster)
    if target is not None:
        write(target, f"{findings.junit(file, found.findings, found.notes)}\n", where="--junit")
    console.tell(as_json, found.json(), found.markdown() if markdown else found.text(console.width()))
    return console.PASS if found.holds else console.NOT_PASS
