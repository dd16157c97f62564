"""`fleettui whatif`: what would be if an input was another, by formula."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from fleettui.cli.apps import new_app
from fleettui.cli.options import AsJson, Workers
from fleettui.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from fleettui.domain.study import Study

EXAMPLES = """\
\b
Examples:
  fleettui whatif last --sweep rate=50/s:400/s:8
  fleettui whatif last --sweep gpu=h100,a100,l40s --sweep slo-ttft=300ms,1s
  fleettui whatif 9f3c --steps --from 50/s --to 500/s
  fleettui whatif 9f3c --growth 8%/month --lead-time 12w --months 24
  fleettui whatif 9f3c --sensitivity --samples 400
"""
KINDS = "one of --sweep, --steps, --growth 8%/month, --sensitivity"
BELONGS = {
    "--from": "--steps",
    "--to": "--steps",
    "--lead-time": "--growth",
    "--months": "--growth",
    "--start": "--growth",
    "--samples": "--sensitivity",
    "--seed": "--sensitivity",
}
"""The question that an option is about."""
LEAD_DAYS = 12 * 7.0

app = new_app("whatif")


@app.command("whatif", epilog=EXAMPLES)
def whatif(
    ref: Annotated[str, typer.Argument(metavar="PLAN", help="a kept plan: handle, name, last, last~1")],
    *,
    sweep: Annotated[
        list[str] | None,
        typer.Option("--sweep", metavar="rate=50/s:400/s:8", help="key=low:high:points or key=a,b; several: a grid"),
    ] = None,
    steps: Annotated[bool, typer.Option("--steps", help="the rate at which each fleet of the shape runs out")] = False,
    low: Annotated[str | None, typer.Option("--from", metavar="50/s", help="steps: half the rate unless given")] = None,
    high: Annotated[
        str | None, typer.Option("--to", metavar="500/s", help="steps: twice the rate unless given")
    ] = None,
    growth: Annotated[
        str | None, typer.Option("--growth", metavar="8%/month", help="when to order how many GPUs")
    ] = None,
    lead_time: Annotated[
        str | None, typer.Option("--lead-time", metavar="12w", help="growth: from order to GPUs (default 12w)")
    ] = None,
    months: Annotated[
        int | None, typer.Option("--months", metavar="24", help="growth: how far to look (default 24)")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="2026-12-01", help="growth: the rate's day (default today)")
    ] = None,
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="how far each input, and all of them, move the GPUs")
    ] = False,
    samples: Annotated[
        int | None, typer.Option("--samples", metavar="400", help="sensitivity: joint draws (default 400)")
    ] = None,
    seed: Annotated[str | None, typer.Option("--seed", metavar="7", help="sensitivity: default the plan's")] = None,
    workers: Workers = None,
    as_json: AsJson = False,
) -> int:
    """Move the inputs of a kept plan, answer each by formula, keep the findings as a study, and print them."""
    from fleettui.cli.studies import print_study
    from fleettui.planning import whatif as use_case
    from fleettui.reports.question.keys import BY_NAME
    from fleettui.reports.question.spans import GROWTH, LEAD_TIME, read_day

    kinds = {"--sweep": bool(sweep), "--steps": steps, "--growth": growth is not None, "--sensitivity": sensitivity}
    given = {"--from": low, "--to": high, "--lead-time": lead_time, "--months": months, "--start": start}
    kind = _only(kinds, given | {"--samples": samples, "--seed": seed})

    def rate(text: str | None, option: str) -> float | None:
        return None if text is None else float(BY_NAME["rate"].form.read(text, option))

    work: Callable[..., Awaitable[Study]]
    if kind == "--sweep":
        work = partial(use_case.sweep, texts=tuple(sweep or ()))
    elif kind == "--steps":
        work = partial(use_case.step_table, low=rate(low, "--from"), high=rate(high, "--to"))
    elif kind == "--growth":
        work = partial(
            use_case.growth,
            per_month=GROWTH.parse(growth or "", "--growth"),
            lead_days=LEAD_DAYS if lead_time is None else LEAD_TIME.parse(lead_time, "--lead-time"),
            months=use_case.MONTHS if months is None else months,
            start=datetime.now().astimezone().date() if start is None else read_day(start, "--start"),
        )
    else:
        work = partial(
            use_case.sensitivity,
            samples=use_case.SAMPLES if samples is None else samples,
            seed=None if seed is None else BY_NAME["seed"].form.read(seed, "--seed"),
        )
    return print_study(_done(work, ref, workers), as_json=as_json, command="whatif")


def _only(kinds: Mapping[str, bool], given: Mapping[str, object]) -> str:
    """Return the one question that is asked; raises InputError for none, several, or options of another."""
    asked = [name for name, is_asked in kinds.items() if is_asked]
    if len(asked) != 1:
        what = "several questions at once" if asked else "nothing is asked"
        raise InputError(what, where="whatif", value=", ".join(asked) or None, accepted=KINDS)
    for option, value in given.items():
        if value is not None and BELONGS[option] != asked[0]:
            raise InputError(f"this goes with {BELONGS[option]}", where=option, value=value)
    return asked[0]


def _done(work: Callable[..., Awaitable[Study]], ref: str, workers: int | None) -> Study:
    from fleettui.cli import console
    from fleettui.cli.keeping import open_store
    from fleettui.cli.working import answer_of
    from fleettui.planning import settings

    chosen = settings.settings()
    with open_store(chosen) as store:
        report = console.progress()
        return answer_of(lambda pool: work(store, ref, report=report, pool=pool), chosen, workers)
