"""The columns of a plan's candidates, each declared once for the terminal, the app, the report's page and CSV."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.limit import ALWAYS, TTFT, Latency
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text, units
from fleettui.reports.columns import Column, data, figure, words

ESTIMATED = "~"
"""The sign on a figure that only the formula gives."""

FLEET: Column[Candidate] = words("fleet", lambda one: fleet_text.fleet(one.fleet), wrap=True, name="fleet")
GPUS: Column[Candidate] = figure("GPUs", lambda one: one.gpus, units.count, name="gpus")


def candidate_columns(
    question: Question, best: Candidate | None = None, mark: str = "*"
) -> tuple[Column[Candidate], ...]:
    """Return the columns in their order; `mark` stands before the name of the plan's answer, which is `best`.

    Data are in US dollars, watts and seconds, latencies those of the worst pool; `up_to` are the tokens at which the
    pools end.
    """
    shown = {one.name for one in fleet_text.latencies(question.slo)}
    shown |= {TTFT.name} if question.objective == TTFT.name else set()
    latencies = (*(metric.latency for metric in ALWAYS), *question.slo.own())
    return (
        words("  name", lambda one: f"{mark if is_same(one, best) else ' '} {one.handle}".rstrip()),
        data("candidate", lambda one: one.handle),
        data("answer", lambda one: int(is_same(one, best))),
        FLEET,
        data("pools", lambda one: len(one.fleet.pools)),
        data("up_to", lambda one: " ".join(str(pool.up_to) for pool in one.fleet.pools)),
        GPUS,
        figure("$/h", lambda one: one.cost_per_hour, units.hourly, name="cost_per_hour"),
        data("cost_per_million_output_tokens", lambda one: one.cost_per_million_output_tokens),
        figure("draws", lambda one: one.power, units.watts, name="power", shown=question.objective == "power"),
        data("gpus_low", lambda one: one.gpus_range[0]),
        data("gpus_high", lambda one: one.gpus_range[1]),
        data("model_error", lambda one: one.model_error),
        words("proof", fleet_text.proof),
        data("method", lambda one: "simulation" if one.simulation else "formula"),
        data("verdict", lambda one: one.simulation.verdict if one.simulation else None),
        data("replications", lambda one: one.simulation.replications if one.simulation else 0),
        *(column for one in latencies for column in _latency(one, shown=one.name in shown)),
        figure("left", lambda one: fleet_text.tightest(one, question.slo), sign=estimated),
        data("shortfalls", lambda one: "; ".join(one.shortfalls)),
    )


def is_same(one: Candidate, other: Candidate | None) -> bool:
    """Return whether two are one candidate: by its id where it is kept, as an undefined figure equals no other."""
    return other is not None and (one.candidate or one) == (other.candidate or other)


def _latency(of: Latency, *, shown: bool = True) -> Iterator[Column[Candidate]]:
    """Yield the value of a latency in the worst pool, then the ends of its interval, which are data alone."""
    yield figure(
        of.label, lambda one: _end(one, of, "value"), units.seconds, name=of.column, sign=estimated, shown=shown
    )
    yield data(f"{of.column}_low", lambda one: _end(one, of, "low"))
    yield data(f"{of.column}_high", lambda one: _end(one, of, "high"))


def _end(candidate: Candidate, of: Latency, end: str) -> float | None:
    return getattr(fleet_text.worst(candidate, of), end, None)


def latency(candidate: Candidate, of: Latency) -> str:
    """Return a latency in the worst pool, with the sign of the formula where nothing else gives it."""
    return next(_latency(of)).tell(candidate)


def estimated(candidate: Candidate) -> str:
    """Return the sign before a figure that a simulation could give: empty where one did."""
    return ESTIMATED if candidate.simulation is None else ""
