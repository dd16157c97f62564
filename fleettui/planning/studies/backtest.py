"""What a running fleet shows against what was predicted of it, and the constant that explains the gap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleettui.planning.studies.study_type import Argument, Command, Given, Prompt, StudyType

if TYPE_CHECKING:
    from fleettui.domain.backtest import Seen
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.reports.question.conversion import Texts

HOUR = "1h"
"""How long something was seen for, unless it is said."""


def read(given: Given) -> dict[str, Any]:
    """Return what was seen and for how many seconds, and what is given of the question."""
    from fleettui.reports import observed_figures, units
    from fleettui.reports.question import conversion

    question: Texts = given.get("question", {})
    conversion.check_together(question)
    return {
        "fleet": given["fleet"],
        "seen": observed_figures.read(given["observed"], "--observed"),
        "window": units.DURATION.parse(given.get("over", HOUR), "--over"),
        "question": question,
        "trace_format": given.get("format"),
    }


async def work(
    desk: StudyContext,
    fleet: str,
    seen: tuple[Seen, ...],
    *,
    window: float,
    question: Texts | None = None,
    trace_format: str | None = None,
) -> Study:
    """Return what `seen` in production over `window` seconds says of a kept plan, or of the fleet in a file.

    What is given of the `question` makes a plan of the fleet at another demand. Raises InputError as `simulate` does.
    """
    from fleettui.planning.backtest import backtest, subject

    plan = await subject(desk, fleet, question or {}, trace_format=trace_format)
    return await backtest(desk, plan, seen, window=window)


def line_help() -> str:
    """Return what a line may say."""
    from fleettui.reports import observed_figures

    return f"{observed_figures.EXAMPLE}{observed_figures.OVER}6h\nof the whole fleet; over an hour unless it says"


def read_line(line: str) -> Given:
    """Return the options that a line stands for; raises InputError for one that does not read."""
    from fleettui.reports import observed_figures

    observed_figures.read_line(line)
    seen, _, over = line.partition(observed_figures.OVER)
    return {"observed": seen, "over": over or HOUR}


STUDY = StudyType(
    kind="backtest",
    work=work,
    read=read,
    command=Command(
        name="backtest",
        help="predicted against seen in production, and what explains it",
        about="Hold what production showed to the prediction, find the constant that explains the gap, and keep both.",
        examples="""\
\b
What is observed: ttft, tpot or e2e with .p50, .p99 or .mean, of all requests,
and running, the mean number of sequences in service in the whole fleet. A
value may have ends: ttft.p99=250ms..500ms. Three figures tell more than one.
\b
Examples:
  fleettui backtest last --observed ttft.p99=380ms,tpot.p50=28.4ms,running=61
  fleettui backtest fleet.yaml azure-2023-conv --rate 100/s --over 6h \\
    --observed ttft.p99=380ms,tpot.p50=28.4ms,running=61
  fleettui backtest 41a7 --rate 92/s --observed tpot.p50=28.4ms,running=61
""",
        after="export",
        arguments=(
            Argument(
                name="fleet",
                form="word",
                example="FLEET",
                help="a fleet's file, YAML or JSON, or a kept plan",
                needed=True,
            ),
            Argument(name="observed", example="ttft.p99=380ms,running=61", help="what production showed", needed=True),
            Argument(name="over", example="6h", default=HOUR, help="how long it was seen for (default 1h)"),
        ),
        prompt=Prompt(label="backtest: seen", help=line_help, read=read_line),
        question=True,
        whole=False,
    ),
)
