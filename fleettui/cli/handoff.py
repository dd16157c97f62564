"""`fleettui handoff`: what deploys a kept plan."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli.options import AsJson
from fleettui.cli.text_output import Force
from fleettui.cli.typer_app import new_app

EXAMPLES = """\
\b
Examples:
  fleettui handoff last --for vllm
  fleettui handoff 41a7 --for kubernetes | kubectl apply --dry-run=client -f -
  fleettui handoff 41a7 --for vllm,kubernetes,keda,alerts,loadtest -o deploy
"""

app = new_app("handoff")


@app.command("handoff", epilog=EXAMPLES)
def handoff(
    wanted: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="NAME,...",
            help="vllm, sglang, trtllm, kubernetes, helm, terraform, keda, hpa, estimator, alerts, dashboard,"
            " loadtest; several with commas",
        ),
    ],
    ref: Annotated[str, typer.Argument(metavar="ID", help="a plan's handle, a name, last, last~1")] = "last",
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FOLDER", help="write files there; default: print them")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Write what deploys a kept plan: server commands, Kubernetes objects, scaling, alerts, a load test."""
    from fleettui.cli import console
    from fleettui.cli.open_store import open_store
    from fleettui.planning import handoff as use_case
    from fleettui.planning.user_files import PRINTED
    from fleettui.reports.plan_json import envelope
    from fleettui.user_paths import path_of

    formats = use_case.formats_of(wanted)
    with open_store() as store:
        files = use_case.hand_over(store, ref, formats)
    if output not in (None, PRINTED):
        for path in use_case.write_folder(files, path_of(output, use_case.FOLDER), force=force):
            console.narrate(f"written: {path}")
    if as_json:
        console.out_json(envelope("handoff", files=files))
    elif output in (None, PRINTED):
        console.out(use_case.written(files))
    return 0
