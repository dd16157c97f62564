"""Measured open-loop stages replayed at their constant rates, with the engine's front end and without it.

`python -m tests.evidence.open_loop FILE` plays every stage of a CSV of runs at a constant rate with the catalogue's
profile, nothing fitted to a stage, and holds median and P99 TTFT and mean E2E to the measured ones. It is met when the
stages that keep up have a P99 TTFT within 25 % in the median, a mean E2E within 10 % in the mean and within 20 % in the
worst stage.

The engine runs with the token budget and the sequences of the file. Prompts are as long as the stage's mean, of which
all but a share `--uncached` is cached; outputs are as long as the mean E2E over the mean E2E per token. A stage whose
clients wait for more than a second in the median asks for more than its replica does: it is shown and does not count.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.hardware import STEP_LAWS, StepLaw
from fleettui.domain.limit import E2E, TTFT
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.optimize.given_fleet import score
from fleettui.reports import units
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.measure import Floats
from fleettui.simulation.run import play
from tests.evidence import common

ENGINE, GPU = "vllm", "h100"
UNCACHED = 0.03
KEEPS_UP = 1.0
"""Seconds of a median TTFT from which on a stage asks for more than its replica does."""
P99_CLOSE, E2E_CLOSE, E2E_WORST = 0.25, 0.10, 0.20


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Median and P99 TTFT and mean E2E, in seconds."""

    median: float
    p99: float
    e2e: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One rate of one run: requests per second, tokens of a request, how the engine was set, and what was measured."""

    model: str
    tp: int
    workload: str
    rate: float
    requests: int
    prompt: int
    output: int
    token_budget: int
    max_num_seqs: int
    seen: Times

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return f"{self.model} tp{self.tp} {self.workload} {self.rate:.3g}/s"

    @property
    def keeps_up(self) -> bool:
        """Whether the replica got through what was asked of it."""
        return self.seen.median < KEEPS_UP


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A stage with the times that its replay shows, without the front end and with it."""

    stage: Stage
    without: Times
    whole: Times


def read(path: Path) -> list[Stage]:
    """Return the stages of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_stage(row) for row in csv.DictReader(file)]


def _stage(row: dict[str, str]) -> Stage:
    seen = (float(row[name]) / 1e3 for name in ("ttft_p50_ms", "ttft_p99_ms", "e2e_mean_ms"))
    return Stage(
        model=row["model"].partition("/")[2].lower().removesuffix("-hf"),
        tp=int(row["tp"]),
        workload=row["workload"],
        rate=float(row["achieved"]),
        requests=int(row["requests"]),
        prompt=round(float(row["prompt_mean"])),
        output=int(row["output"]),
        token_budget=int(row["max_num_batched_tokens"]),
        max_num_seqs=int(row["max_num_seqs"]),
        seen=Times(**dict(zip(("median", "p99", "e2e"), seen, strict=True))),
    )


def replay(stage: Stage, *, uncached: float, step_law: StepLaw) -> Replay:
    """Return a stage's replay on one replica whose steps are by a law."""
    gpu, model = catalog.gpu(GPU), catalog.model(stage.model)
    profile = build_profile(gpu, model, dtype="bf16", tp=stage.tp, engine=ENGINE, step_law=step_law)
    pool = PoolSketch(
        gpu=GPU,
        model=stage.model,
        tp=stage.tp,
        replicas=1,
        max_num_seqs=stage.max_num_seqs,
        token_budget=stage.token_budget,
    )
    atoms = ((1.0, float(stage.prompt), float(stage.output)),)
    question = Question(slo=Slo(), model=stage.model, prefix_hit=1.0 - uncached)
    scored = score(question, FleetSketch(pools=(pool,)), [profile], [(stage.rate, atoms)], stage.prompt + stage.output)
    (settled,) = scored.candidate.fleet.pools
    played = play([Engine.of(settled, "paged", hardware=profile)], _draws(stage, uncached), 0, stage.requests)
    without, whole = (played.latencies(0, seconds).metrics for seconds in (0.0, settled.profile.front_end))
    return Replay(stage=stage, without=_times(without), whole=_times(whole))


def _draws(stage: Stage, uncached: float) -> Draws:
    """Return the stage's requests, evenly apart."""
    computed = max(1, round(stage.prompt * uncached))
    prompt, cached, output, pool = (
        np.full(stage.requests, value, np.int32) for value in (stage.prompt, stage.prompt - computed, stage.output, 0)
    )
    return Draws(
        prompt=prompt,
        cached=cached,
        output=output,
        pool=pool,
        tie=np.zeros(stage.requests),
        arrivals=np.arange(stage.requests) / stage.rate,
        thinking=np.zeros(0),
    )


def _times(metrics: Mapping[str, Floats]) -> Times:
    ttft, e2e = (metrics[one.name] for one in (TTFT, E2E))
    return Times(median=float(np.median(ttft)), p99=float(np.quantile(ttft, 0.99)), e2e=float(np.mean(e2e)))


def main(words: list[str] | None = None) -> int:
    """Print every stage and the errors; return 0 when the acceptance is met."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.evidence.open_loop",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, nargs="?", default=Path("../shared/data/measured/openloop-h100-vllm.csv"))
    parser.add_argument("--uncached", type=float, default=UNCACHED, help="share of a prompt that is computed")
    parser.add_argument("--step-law", choices=STEP_LAWS, default="kernels")
    parser.add_argument("--jobs", type=common.count, default=common.cores())
    asked = parser.parse_args(words)
    stages = read(asked.file)
    done = dict(common.work(partial(replay, uncached=asked.uncached, step_law=asked.step_law), stages, asked.jobs))
    found = [done[stage] for stage in stages]
    titles = ("stage", "P50", "without", "with", "P99", "without", "with", "E2E", "without", "with")
    common.show("TTFT and mean E2E, measured and without and with the front end", titles, list(map(_cells, found)))
    counted = [one for one in found if one.stage.keeps_up]
    rows = [
        _summary(f"{name} {word}", [_error(one, at, of) for one in counted])
        for name, at in _FIGURES
        for word, of in (("without", lambda one: one.without), ("with", lambda one: one.whole))
    ]
    common.show(f"errors over the {len(counted)} that keep up", ("figure", "median", "mean", "bias", "worst"), rows)
    p99, e2e = ([abs(_error(one, at, lambda one: one.whole)) for one in counted] for _, at in _FIGURES[1:])
    return common.verdict(
        (
            (f"P99 TTFT within {P99_CLOSE:.0%} in the median", statistics.median(p99) <= P99_CLOSE),
            (f"mean E2E within {E2E_CLOSE:.0%} in the mean", statistics.fmean(e2e) <= E2E_CLOSE),
            (f"mean E2E within {E2E_WORST:.0%} in the worst stage", max(e2e) <= E2E_WORST),
        )
    )


_FIGURES: tuple[tuple[str, Callable[[Times], float]], ...] = (
    ("P50 TTFT", lambda times: times.median),
    ("P99 TTFT", lambda times: times.p99),
    ("mean E2E", lambda times: times.e2e),
)


def _error(one: Replay, at: Callable[[Times], float], of: Callable[[Replay], Times]) -> float:
    """Return how far a replay's figure is above the measured one, as a share of that."""
    return at(of(one)) / at(one.stage.seen) - 1.0


def _cells(one: Replay) -> tuple[str, ...]:
    figures = (at(times) for _, at in _FIGURES for times in (one.stage.seen, one.without, one.whole))
    return (one.stage.name, *map(units.seconds, figures))


def _summary(name: str, errors: Sequence[float]) -> tuple[str, ...]:
    sizes = [abs(error) for error in errors]
    return (
        name,
        f"{statistics.median(sizes):.0%}",
        f"{statistics.fmean(sizes):.0%}",
        f"{statistics.fmean(errors):+.0%}",
        f"{max(sizes):.0%}",
    )


if __name__ == "__main__":
    sys.exit(main())
