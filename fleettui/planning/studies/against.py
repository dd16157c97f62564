"""A run that was served beside the engine that plays it, request by request; `simulate --against` asks for it too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.planning.studies.argument import Argument
from fleettui.planning.studies.study_type import Command, Prompt, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.fleet import FleetSketch
    from fleettui.domain.scenario import Question
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext


async def work(
    desk: StudyContext,
    run: str,
    plan: str | None = None,
    sketch: FleetSketch | None = None,
    question: Question | None = None,
) -> Study:
    """Return how the engine plays the run in a file on the fleet of a kept `plan`, or on the fleet `sketch`.

    `question` says what the sketch leaves open. Raises InputError for a plan without a fleet, a fleet that cannot be,
    and a file that holds no run.
    """
    from fleettui.domain.against import Against
    from fleettui.reports.studies.against import against_study

    if plan is None:
        found = await desk.run("against", Against, sketch=sketch, question=question, path=run)
        return against_study(found, run, f"simulate FLEET --against {run}", seed=question.seed if question else 1)
    kept = desk.kept(plan)
    kept.check_no_paper("plays no requests")
    best = kept.fleet_for("to play a run on")
    found = await desk.run("against-planned", Against, fleet=best.fleet, question=kept.question, path=run)
    asked = f"against {kept.handle} {run}"
    return against_study(found, run, asked, seed=kept.question.seed, plan=kept.answer.plan)


STUDY = StudyType(
    kind="against",
    work=work,
    picture=Picture(table=2, column="run_decoding", between="before"),
    command=Command(
        help="a served run beside the engine, request by request",
        about="Play a run that was served again on a kept plan's fleet, and tell the differences request by request.",
        examples="""\
\b
The run is what vllm bench serve --save-result --save-detailed writes, or JSON
lines: arrival, input_tokens, output_tokens, ttft and e2e of each request, in
seconds. Rows that cannot be are left out and counted.
\b
Examples:
  fleettui against last bench.json
  fleettui against 41a7 run.jsonl --json
  fleettui simulate fleet.yaml --against bench.json   (a fleet of yours)
""",
        after="backtest",
        arguments=(
            Argument(
                name="plan", form="word", example="PLAN", help="a kept plan: handle, name, last, last~1", needed=True
            ),
            Argument(name="run", form="word", example="RUN", help="the run's file", needed=True),
        ),
        prompt=Prompt(
            label="against: a run's file",
            help=lambda: "what vllm bench serve --save-result --save-detailed writes, or JSON lines",
        ),
    ),
)
