"""`fleettui plan`: search, prove, store, and print the answer."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fleettui.cli import console
from fleettui.cli.detached import Detach
from fleettui.cli.options import AsJson, Correct, OnCluster, TraceFormat, Workers, with_question_options
from fleettui.cli.question_help import QuestionCommand
from fleettui.cli.typer_app import new_app
from fleettui.errors import InputError

EXAMPLES = """\
\b
Examples:
  fleettui plan azure-2023-conv --rate 100/s --slo-ttft 500ms
  fleettui plan azure-2023-conv --users 20000 --requests-per-user 6/h \\
    --peak-factor 2.5 --model qwen3-32b --dtype fp8 --slo-tpot 40ms
  fleettui plan azure-2023-conv --tokens 3e9/day --gpu a100 --slo-ttft 1s
  fleettui plan --prompt p50=900,p99=8k --output p50=200,p99=1.5k \\
    --rate 60/s --slo-tpot 40ms
  fleettui plan azure-2023-conv --rate 100/s --slo-ttft 500ms --no-verify
  fleettui plan --write-question > question.yaml
  fleettui plan -f question.yaml
\b
Several models over one stock of GPUs stand in one file, which -f plans:
  max-gpus: h100=64
  workloads:
    - {name: chat, workload: azure-2023-conv, rate: 10/s,
       model: llama-3.1-70b, slo-ttft: 500ms}
    - {name: code, workload: azure-2023-code, rate: 5/s,
       model: qwen3-32b, slo-ttft: 1s}
"""


app = new_app("plan")


@app.command("plan", epilog=EXAMPLES, cls=QuestionCommand)
@with_question_options()
def plan(
    workload: Annotated[
        str | None, typer.Argument(help="a shipped name (fleettui workload list), a length distribution, or a trace")
    ] = None,
    *,
    file: Annotated[
        str | None, typer.Option("-f", "--file", metavar="question.yaml", help="read the question; options win over it")
    ] = None,
    correct: Correct = None,
    trace_format: TraceFormat = None,
    write_question: Annotated[
        bool, typer.Option("--write-question", help="print the question as YAML instead")
    ] = False,
    workers: Workers = None,
    cluster: OnCluster = None,
    detach: Detach = False,
    as_json: AsJson = False,
    **typed: Any,
) -> int:
    """Find the cheapest fleet that holds every limit, prove it, keep the plan, and print it."""
    from fleettui.cli import ask_question
    from fleettui.cli.correction import corrections
    from fleettui.cli.options import texts
    from fleettui.reports.question import conversion, question_file

    question_texts = texts({**typed, "workload": workload})
    question_texts |= corrections(correct, question_texts, workers, cluster)
    filed = None if file is None else ask_question.read(file)
    if filed is not None:
        from fleettui.cli import joint

        if joint.is_joint(filed):
            if write_question:
                raise joint.no_such_question(filed.where)
            if detach:
                raise InputError(
                    "the work on several models together cannot be handed over",
                    where="--detach",
                    remedy="leave it out, or start it under nohup",
                )
            return joint.ask(
                question_texts, filed, trace_format=trace_format, workers=workers, cluster=cluster, as_json=as_json
            )
    chosen, values = ask_question.values(question_texts, filed)
    if write_question:
        console.out(question_file.write(values))
        return 0
    question = conversion.to_question(values)
    return ask_question.ask(
        question,
        chosen,
        trace_format=trace_format,
        workers=workers,
        cluster=cluster,
        detach=detach,
        typed=question_texts,
        as_json=as_json,
    )
