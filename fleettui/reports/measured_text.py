"""What a running server was seen to do, as text, and the commands that go on from there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from fleettui.domain.limit import ALWAYS
from fleettui.domain.measured import Measured, Seen
from fleettui.hardware import catalog
from fleettui.reports import observed_figures, units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.table import WIDTH, Table, render
from fleettui.reports.workload_text import workload_text

RUNNING = "running"
OBSERVED = (*(metric.name for metric in ALWAYS), RUNNING)
"""The items that `backtest --observed` takes."""
TOKENS = ("prompt", "output")
MODEL = "MODEL"
"""Stands in a command for the model, where the catalogue does not know what is served."""
TUNED = ("-instruct", "-chat", "-it", "-fp8")
"""Ends of names under which models are served, for what the catalogue calls without."""


def measured_text(measured: Measured, path: str, width: int = WIDTH) -> str:
    """Return the workload that was written to `path`, what was seen with its bands, and the next commands."""
    parts = (
        workload_text(measured.workload, width),
        render(seen_table(measured.seen), width),
        "\n".join(
            [
                *_cached(measured),
                *_named(measured),
                "next:",
                *(f"  {command}" for command in next_commands(measured, path)),
            ]
        ),
    )
    return "\n\n".join(parts)


def seen_table(seen: Sequence[Seen]) -> Table:
    """Return one row per figure: the best guess, the edges of the band that it lies in, and its metric."""
    columns: tuple[Column[Seen], ...] = (
        words("seen", lambda one: one.name),
        figure("about", lambda one: _written(one.name, one.value)),
        figure("from", lambda one: _written(one.name, one.low)),
        figure("to", lambda one: _written(one.name, one.high)),
        words("metric", lambda one: one.metric, wrap=True),
    )
    gaps = any(one.name.startswith("gap") for one in seen)
    note = "a gap is between two tokens; TPOT is the mean gap of a request" if gaps else ""
    return table(columns, seen, note=note)


def next_commands(measured: Measured, path: str) -> tuple[str, ...]:
    """Return the commands that plan for the workload in `path`, and that hold a fleet's prediction to what was seen."""
    served = known_model(measured.model_name)
    model = f" --model {MODEL if served is None else served}"
    file, rate = shlex.quote(path), f"{measured.workload.arrivals.mean_rate:.6g}/s"
    hit = "" if measured.prefix_hit is None else f" --prefix-hit {prefix_hit(measured.prefix_hit)}"
    seen = observed(measured)
    over = units.DURATION.write(measured.workload.slices[0].duration)
    backtest = f"fleettui backtest FLEET.yaml {file} --rate {rate}{model}{hit} --over {over} --observed {seen}"
    return (f"fleettui plan {file} --rate {rate}{model}{hit} --slo-ttft 500ms", *((backtest,) if seen else ()))


def known_model(served: str) -> str | None:
    """Return the catalogue's name of a model as a server calls it, None for one that is not in it.

    >>> known_model("Qwen/Qwen3-32B"), known_model("meta-llama/Llama-3.1-70B-Instruct"), known_model("chat")
    ('qwen3-32b', 'llama-3.1-70b', None)
    """
    name = served.rpartition("/")[2].lower()
    known = {*catalog.model_names(), *catalog.model_aliases()}
    return next((one for one in (name, *(name.removesuffix(end) for end in TUNED)) if one in known), None)


def _named(measured: Measured) -> list[str]:
    if known_model(measured.model_name) is not None:
        return []
    return [
        f"{MODEL}: {measured.model_name} as served; a name of `fleettui model list`, or its config.json",
        "",
    ]


def observed(measured: Measured) -> str:
    """Return what was seen as `backtest --observed` takes it; empty where nothing of it was."""
    return ",".join(item for one in measured.seen for item in _items(one))


def _items(seen: Seen) -> Iterator[str]:
    """Yield a figure as `--observed` takes it: by the edges of its bucket, and where in it the others put it."""
    if not seen.value or seen.name.partition(".")[0] not in OBSERVED:
        return
    if seen.name == RUNNING:
        yield f"{seen.name}={seen.value:.3g}"
    elif seen.low == seen.high:
        yield f"{seen.name}={units.limit(seen.value)}"
    elif seen.low and seen.high:
        ends = (units.limit(one) for one in (seen.low, seen.value, seen.high))
        yield f"{seen.name}={observed_figures.RANGE.join(ends)}"


def _cached(measured: Measured) -> list[str]:
    share = measured.prefix_hit
    return [] if share is None else [f"prefix cache: {prefix_hit(share)} of the prompt tokens were found in it", ""]


def prefix_hit(share: float) -> str:
    """Return a share as `--prefix-hit` takes it.

    >>> prefix_hit(0.43127)
    '43.1%'
    """
    return units.SHARE.write(round(share, 3))


def _written(name: str, value: float | None) -> str | None:
    if value is None:
        return None
    if name.startswith(TOKENS):
        return units.count(value)
    return units.per_second(value) if name == RUNNING else units.seconds(value)
