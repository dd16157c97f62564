"""`fleettui simulate`: what a fleet that is given does under a workload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fleettui.cli.detached import Detach
from fleettui.cli.options import AsJson, Correct, OnCluster, TraceFormat, Workers, with_question_options
from fleettui.cli.question_help import QuestionCommand
from fleettui.cli.typer_app import new_app
from fleettui.errors import InputError
from fleettui.reports.question.keys import SIMULATED_KEYS

if TYPE_CHECKING:
    from fleettui.domain.fleet import FleetSketch
    from fleettui.domain.scenario import Question

EXAMPLES = """\
\b
A fleet is YAML or JSON; what a plan prints with --json is one too. Of a pool
only gpu, tp and replicas must be said; the model, number formats, engine
settings and router that it does not say are those of the options:
  pools:
    - {name: short, gpu: h100, tp: 4, replicas: 4, up_to: 4096}
    - {name: long, gpu: h100, tp: 8, replicas: 2, token_budget: 4096}
\b
Examples:
  fleettui simulate "h100 tp4 x3" azure-2023-conv --rate 10/s
  fleettui simulate fleet.yaml azure-2023-conv --rate 100/s
  fleettui simulate fleet.yaml trace.csv --model qwen3-32b --dtype fp8
  fleettui simulate fleet.yaml trace.csv --slo-ttft 500ms --precision 2%
  fleettui show last --json > plan.json
  fleettui simulate plan.json azure-2023-conv --rate 120/s --slo-ttft 500ms
  fleettui export last -o simulated.yaml && fleettui simulate simulated.yaml
  fleettui simulate fleet.yaml trace.csv --preset paper --slo-ttft 500ms
  fleettui simulate fleet.yaml --against bench.json
"""

app = new_app("simulate")


@app.command("simulate", epilog=EXAMPLES, cls=QuestionCommand)
@with_question_options(SIMULATED_KEYS)
def simulate(
    fleet: Annotated[
        str,
        typer.Argument(
            metavar="FLEET", help="a fleet in words, 'h100 tp4 x3' (x: replicas), or its file, YAML or JSON"
        ),
    ],
    workload: Annotated[
        str | None, typer.Argument(help="a shipped name (fleettui workload list), a length distribution, or a trace")
    ] = None,
    *,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="RUN",
            help="a run to play again, request by request: vllm bench serve --save-detailed, or JSON lines",
        ),
    ] = None,
    correct: Correct = None,
    trace_format: TraceFormat = None,
    workers: Workers = None,
    cluster: OnCluster = None,
    detach: Detach = False,
    as_json: AsJson = False,
    **typed: Any,
) -> int:
    """Simulate a fleet under a workload, keep what was seen, and print it; limits are judged where they are given."""
    from fleettui.cli import ask_question
    from fleettui.cli.correction import corrections
    from fleettui.cli.options import texts
    from fleettui.planning.fleet_files import fleet_in, text_of
    from fleettui.reports import fleet_file
    from fleettui.reports.question import conversion, left_keys

    file = text_of(fleet)
    if against is not None and workload is not None:
        raise InputError("the run is the workload", where="WORKLOAD", value=workload, remedy="leave it out")
    given = texts({**typed, "workload": workload or against})
    given |= corrections(correct, given, workers, cluster)
    chosen, values = ask_question.values(given, file, keys=SIMULATED_KEYS, reader=fleet_file.read_question)
    sketch = fleet_in(file.text, file.where, values)
    left_keys.check(sketch, values, given)
    question = conversion.to_question(values, sketch)
    if against is not None:
        return _beside_a_run(sketch, question, against, workers, as_json=as_json)
    if question.preset == "paper":
        return _with_slots_held(sketch, question, trace_format, workers, as_json=as_json)
    return ask_question.ask(
        question,
        chosen,
        fleet=sketch,
        differences=left_keys.differences(sketch, values),
        trace_format=trace_format,
        workers=workers,
        cluster=cluster,
        detach=detach,
        typed=given,
        as_json=as_json,
    )


def _beside_a_run(sketch: FleetSketch, question: Question, path: str, workers: int | None, *, as_json: bool) -> int:
    """Print how the engine plays a run that was served, request by request: a study, not a plan."""
    from fleettui.cli.study_output import print_study
    from fleettui.cli.worker_progress import answer_from_store
    from fleettui.planning.studies.study_context import make

    if question.preset == "paper":
        raise InputError("the papers' fleets play no requests", where="--against", remedy="leave out --preset")
    study = answer_from_store(
        lambda store, report, pool: make(
            "against", store, report=report, pool=pool, sketch=sketch, question=question, run=path
        ),
        workers,
    )
    return print_study(study, as_json=as_json, command="simulate")


def _with_slots_held(
    sketch: FleetSketch, question: Question, trace_format: str | None, workers: int | None, *, as_json: bool
) -> int:
    """Print what the fleet does by the papers' method, its requests in slots of fixed times: a study, not a plan."""
    from fleettui.cli.study_output import print_study
    from fleettui.cli.worker_progress import answer_from_store
    from fleettui.planning.studies.study_context import make

    study = answer_from_store(
        lambda store, report, pool: make(
            "slots", store, report=report, pool=pool, sketch=sketch, question=question, trace_format=trace_format
        ),
        workers,
    )
    return print_study(study, as_json=as_json, command="simulate")
