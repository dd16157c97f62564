"""What a running server was seen to do, as text, and the commands that go on from there."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from fleettui.domain.measured import Measured, Seen
from fleettui.reports import units
from fleettui.reports.table import WIDTH, Column, Table, render
from fleettui.reports.workload_text import workload_text

OBSERVED = ("ttft", "tpot", "e2e", "running")
"""The items that `backtest --observed` takes."""
TOKENS = ("prompt", "output")


def measured_text(measured: Measured, path: str, width: int = WIDTH) -> str:
    """Return the workload that was written to `path`, what was seen with its bands, and the next commands."""
    parts = (
        workload_text(measured.workload, width),
        render(seen_table(measured.seen), width),
        "\n".join([*_cached(measured), "next:", *(f"  {command}" for command in next_commands(measured, path))]),
    )
    return "\n\n".join(parts)


def seen_table(seen: Sequence[Seen]) -> Table:
    """Return one row per figure: the best guess, the edges of the band that it lies in, and its metric."""
    columns = (
        Column(title="seen"),
        Column(title="about", align="right"),
        Column(title="from", align="right"),
        Column(title="to", align="right"),
        Column(title="metric", wrap=True),
    )
    rows = tuple(
        (one.name, *(_figure(one.name, value) for value in (one.value, one.low, one.high)), one.metric) for one in seen
    )
    gaps = any(one.name.startswith("gap") for one in seen)
    note = "a gap is between two tokens; TPOT is the mean gap of a request" if gaps else ""
    return Table(columns=columns, rows=rows, note=note)


def next_commands(measured: Measured, path: str) -> tuple[str, ...]:
    """Return the commands that plan for the workload in `path`, and that hold a fleet's prediction to what was seen."""
    file, rate = shlex.quote(path), f"{measured.workload.arrivals.mean_rate:.6g}/s"
    hit = "" if measured.prefix_hit is None else f" --prefix-hit {prefix_hit(measured.prefix_hit)}"
    observed = ",".join(
        f"{one.name}={_typed(one.name, one.value)}"
        for one in measured.seen
        if one.value and one.name.split(".", maxsplit=1)[0] in OBSERVED
    )
    backtest = f"fleettui backtest FLEET.yaml {file} --rate {rate}{hit} --observed {observed}"
    return (f"fleettui plan {file} --rate {rate}{hit}", *((backtest,) if observed else ()))


def _cached(measured: Measured) -> list[str]:
    share = measured.prefix_hit
    return [] if share is None else [f"prefix cache: {prefix_hit(share)} of the prompt tokens were found in it", ""]


def prefix_hit(share: float) -> str:
    """Return a share as `--prefix-hit` takes it.

    >>> prefix_hit(0.43127)
    '43.1%'
    """
    return units.SHARE.write(round(share, 3))


def _typed(name: str, value: float) -> str:
    return f"{value:.3g}" if name == "running" else units.limit(value)


def _figure(name: str, value: float | None) -> str:
    if value is None:
        return units.UNDEFINED
    if name.startswith(TOKENS):
        return units.count(value)
    return units.per_second(value) if name == "running" else units.seconds(value)
