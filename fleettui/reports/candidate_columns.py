"""The columns of a plan's candidates, each declared once for the terminal, the app, the report's page and CSV."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text, units
from fleettui.reports.columns import Column, data, figure, words

METRICS = ("ttft", "tpot", "e2e")
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
        data("method", lambda one: "simulation" if fleet_text.simulation_of(one) else "formula"),
        data("verdict", lambda one: seen.verdict if (seen := fleet_text.simulation_of(one)) else None),
        data("replications", lambda one: seen.replications if (seen := fleet_text.simulation_of(one)) else 0),
        *(column for metric in METRICS for column in _latency(metric, shown=metric in _shown(question))),
        figure("left", lambda one: fleet_text.tightest(one, question.slo), sign=estimated),
        data("shortfalls", lambda one: "; ".join(one.shortfalls)),
    )


def is_same(one: Candidate, other: Candidate | None) -> bool:
    """Return whether two are one candidate: by its id where it is kept, as an undefined figure equals no other."""
    return other is not None and (one.candidate or one) == (other.candidate or other)


def _latency(metric: str, *, shown: bool = True) -> Iterator[Column[Candidate]]:
    """Yield the value of a latency in the worst pool, then the ends of its interval, which are data alone."""
    yield figure(
        metric.upper(), lambda one: _end(one, metric, "value"), units.seconds, name=metric, sign=estimated, shown=shown
    )
    yield data(f"{metric}_low", lambda one: _end(one, metric, "low"))
    yield data(f"{metric}_high", lambda one: _end(one, metric, "high"))


def _end(candidate: Candidate, metric: str, end: str) -> float | None:
    return getattr(fleet_text.worst(candidate, metric), end, None)


def _shown(question: Question) -> tuple[str, ...]:
    """Return the latencies that are shown, and TTFT where the plan has least of it."""
    shown = fleet_text.metrics(question.slo)
    return shown if question.objective != "ttft" else ("ttft", *shown)


def latency(candidate: Candidate, metric: str) -> str:
    """Return a latency in the worst pool, with the sign of the formula where nothing else gives it."""
    return next(_latency(metric)).tell(candidate)


def estimated(candidate: Candidate) -> str:
    """Return the sign before a figure that a simulation could give: empty where one did."""
    return ESTIMATED if fleet_text.simulation_of(candidate) is None else ""
