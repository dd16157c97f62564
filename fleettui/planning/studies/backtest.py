"""What a running fleet shows against what was predicted of it, and the constant that explains the gap."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.argument import Argument, Given
from fleettui.planning.studies.study_type import Command, Prompt, StudyType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fleettui.domain.backtest import Seen
    from fleettui.domain.measured import Measured
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.reports.question.conversion import Texts

KEEP = " keep "
"""What stands before the name of a fit in a line."""
HOUR = "1h"
"""How long something was seen for, unless it is said."""
_HOUR = 3600.0
APART = 0.05
"""Share by which the rate that was seen may be another than the plan's before that is said."""


def read(given: Given) -> dict[str, Any]:
    """Return what was seen and for how many seconds, and what is given of the question; raises InputError.

    What two scrapes of a server show is not known before they are read; `window` is None where they say it.
    """
    from fleettui.reports import observed_figures, units
    from fleettui.reports.question import conversion

    question: Texts = given.get("question", {})
    conversion.check_together(question)
    scrapes = tuple(given.get("prometheus", ()))
    _check_one_source(scrapes, given.get("observed"))
    over = given.get("over", None if scrapes else HOUR)
    return {
        "fleet": given["fleet"],
        "seen": () if scrapes else observed_figures.read(given["observed"], "--observed"),
        "scrapes": scrapes,
        "window": None if over is None else units.DURATION.parse(over, "--over"),
        "question": question,
        "trace_format": given.get("format"),
        "keep": given.get("keep"),
    }


def _check_one_source(scrapes: tuple[str, ...], observed: str | None) -> None:
    if bool(scrapes) == (observed is not None):
        raise InputError(
            "what production showed is given twice" if scrapes else "what production showed is not said",
            where="--observed",
            accepted="--observed ttft.p99=380ms, or two scrapes: --prometheus before.txt --prometheus after.txt",
        )


async def work(
    desk: StudyContext,
    fleet: str,
    seen: tuple[Seen, ...],
    *,
    window: float | None,
    scrapes: tuple[str, ...] = (),
    question: Texts | None = None,
    trace_format: str | None = None,
    keep: str | None = None,
) -> Study:
    """Return what `seen` in production over `window` seconds says of a kept plan, or of a fleet that is given.

    With `scrapes`, the earlier and the later text of one server's metrics, then of the next, what is seen is what they
    show, over the time between them where `window` does not say it. What is given of the `question` makes a plan of the
    fleet at another demand; the correction is kept as the fit called `keep`. Raises InputError as `simulate` does, for
    a name that is another fit's, and for scrapes that do not read.
    """
    from fleettui.planning.backtest import backtest, subject
    from fleettui.reports import observed_figures
    from fleettui.reports.measured_text import observed

    measured = await _measured(desk, scrapes, window) if scrapes else None
    plan = await subject(desk, fleet, question or {}, trace_format=trace_format)
    if measured is None:
        return await backtest(desk, plan, seen, window=window or _HOUR, keep=keep)
    shown = observed_figures.read(observed(measured), "--prometheus")
    study = await backtest(desk, plan, shown, window=measured.workload.slices[0].duration, keep=keep)
    return replace(study, warnings=(*study.warnings, *_of_rate(measured, desk.kept(plan))))


async def _measured(desk: StudyContext, scrapes: tuple[str, ...], window: float | None) -> Measured:
    from fleettui.planning.workloads import measure_workload

    found: Measured = await measure_workload(
        scrapes, name="seen", between=window, report=desk.report, pool=desk.workers
    )
    return found


def _of_rate(measured: Measured, kept: KeptPlan) -> Iterator[str]:
    """Yield that production had another rate than the plan, which alone explains another latency."""
    seen, planned = measured.workload.arrivals.mean_rate, kept.answer.demand.rate
    if seen is not None and abs(seen / planned - 1.0) > APART:
        yield (
            f"production had {seen:.4g} requests/s, the plan is for {planned:.4g}: add --rate {seen:.6g}/s to hold the "
            "prediction at that rate to it"
        )


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
        help="predicted against seen in production, and what explains it",
        about="Hold what production showed to the prediction, find the constant that explains the gap, and keep both.",
        examples="""\
\b
What is observed: ttft, tpot or e2e with .p50, .p99 or .mean, of all requests,
and running, the mean number of sequences in service in the whole fleet. A
value is as exact as its digits, two at least: 1s is 1.0s, 0.95 to 1.05 s. It
may have ends: ttft.p99=250ms..500ms. Three figures tell more than one.
\b
Examples:
  fleettui backtest last --observed ttft.p99=380ms,tpot.p50=28.4ms,running=61
  fleettui backtest fleet.yaml azure-2023-conv --rate 100/s --over 6h \\
    --observed ttft.p99=380ms,tpot.p50=28.4ms,running=61
  fleettui backtest 41a7 --rate 92/s --observed tpot.p50=28.4ms,running=61
  fleettui backtest last --prometheus before.txt --prometheus after.txt
  fleettui backtest last --keep prod \\
    --observed ttft.p99=380ms,tpot.p50=28.4ms,running=61
""",
        after="export",
        arguments=(
            Argument(
                name="fleet",
                form="word",
                example="FLEET",
                help="a fleet in words or its file, or a kept plan",
                needed=True,
            ),
            Argument(name="observed", listed=True, example="ttft.p99=380ms,running=61", help="what production showed"),
            Argument(
                name="prometheus", form="several", example="FILE", help="or two scrapes of a vLLM server's metrics"
            ),
            Argument(name="keep", example="prod", help="keep the correction as a fit, for plan --profile prod"),
            Argument(name="over", example="6h", help="how long it was seen for (default 1h)"),
        ),
        prompt=Prompt(label="backtest: seen", help=line_help, read=read_line),
        question=True,
        whole=False,
    ),
)
