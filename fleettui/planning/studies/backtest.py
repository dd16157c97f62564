"""What a running fleet shows against what was predicted of it, and the constant that explains the gap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleettui.planning.studies.study_type import Argument, Command, Given, Prompt, StudyType

if TYPE_CHECKING:
    from fleettui.domain.backtest import Seen
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.reports.question.conversion import Texts

KEEP = " keep "
"""What stands before the name of a fit in a line."""
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
        "keep": given.get("keep"),
    }


async def work(
    desk: StudyContext,
    fleet: str,
    seen: tuple[Seen, ...],
    *,
    window: float,
    question: Texts | None = None,
    trace_format: str | None = None,
    keep: str | None = None,
) -> Study:
    """Return what `seen` in production over `window` seconds says of a kept plan, or of the fleet in a file.

    What is given of the `question` makes a plan of the fleet at another demand; the correction is kept as the fit
    called `keep`. Raises InputError as `simulate` does, and for a name that is another fit's.
    """
    from fleettui.planning.backtest import backtest, subject

    plan = await subject(desk, fleet, question or {}, trace_format=trace_format)
    return await backtest(desk, plan, seen, window=window, keep=keep)


def line_help() -> str:
    """Return what a line may say."""
    from fleettui.reports import observed_figures

    words = "of the whole fleet; over an hour unless it says; keep prod keeps the correction as a fit"
    return f"{observed_figures.EXAMPLE}{observed_figures.OVER}6h{KEEP}prod\n{words}"


def read_line(line: str) -> Given:
    """Return the options that a line stands for; raises InputError for one that does not read."""
    from fleettui.reports import observed_figures

    told, _, keep = line.partition(KEEP)
    observed_figures.read_line(told)
    seen, _, over = told.partition(observed_figures.OVER)
    return {"observed": seen, "over": over or HOUR} | ({"keep": keep.strip()} if keep else {})


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
  fleettui backtest last --keep prod \\
    --observed ttft.p99=380ms,tpot.p50=28.4ms,running=61
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
            Argument(name="keep", example="prod", help="keep the correction as a fit, for plan --profile prod"),
            Argument(name="over", example="6h", default=HOUR, help="how long it was seen for (default 1h)"),
        ),
        prompt=Prompt(label="backtest: seen", help=line_help, read=read_line),
        question=True,
        whole=False,
    ),
)
