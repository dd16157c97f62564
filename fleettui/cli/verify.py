"""`fleettui verify`: add proof to a fleet that is kept."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fleettui.cli.detached import Begun, Detach, Detached
from fleettui.cli.options import AsJson, OnCluster, Workers
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui verify last --precision 2%
  fleettui verify 41a7 --seed 7
"""

app = new_app("verify")


@app.command("verify", epilog=EXAMPLES)
def verify(
    ref: Annotated[
        str, typer.Argument(metavar="ID", help="a candidate, or a plan for its answer: handle, name, last, last~1")
    ],
    *,
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision",
            metavar="2%",
            help="half-width of each pool's P99 TTFT, as a share of it (default the plan's)",
        ),
    ] = None,
    seed: Annotated[
        str | None, typer.Option("--seed", metavar="7", help="root of all draws (default the plan's)")
    ] = None,
    workers: Workers = None,
    cluster: OnCluster = None,
    detach: Detach = False,
    as_json: AsJson = False,
) -> int:
    """Simulate a kept fleet further, or anew with another seed, and print what is known then."""
    from fleettui.cli import console
    from fleettui.cli.answer_output import print_answer
    from fleettui.cli.open_store import open_store
    from fleettui.cli.worker_progress import answer_of
    from fleettui.planning import settings
    from fleettui.planning.verify import verify as more_proof
    from fleettui.reports.question.keys import BY_NAME

    width = None if precision is None else BY_NAME["precision"].read(precision, "--precision")
    root = None if seed is None else BY_NAME["seed"].read(seed, "--seed")
    chosen = settings.settings()
    with open_store(chosen) as store:
        report = console.progress()
        begun = Begun(detach=detach, cluster=cluster)
        more: dict[str, Any] = {"precision": width, "seed": root, "begun": begun}
        try:
            answer = answer_of(
                lambda pool: more_proof(store, ref, report=report, pool=pool, **more), chosen, workers, cluster
            )
        except Detached:
            return begun.go_on_elsewhere(store, command="verify", as_json=as_json)
        return print_answer(answer, store.question(answer.plan.id), store, as_json=as_json, command="verify")
