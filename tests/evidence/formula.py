"""Formula against simulation: 20 pools of shipped workloads, from 1 to 40 replicas, .5 to .85 busy.

`python -m tests.evidence.formula` prints each pool's utilization, batch and P99 TTFT by both, and is met when every
utilization and batch agree within 3 % and the median pool's P99 TTFT within 25 %. The formula's TTFT ranks fleets and
starts the walk; where it is far off the planner still ends at the right count, since simulation decides.

Three more pools are printed and not judged: small ones whose prompts fill most steps. A request's own chunks make the
very steps that it is in long, which the formula spreads over all its steps, so its batch over time is 3 to 4 % low
there; steps per request and utilization agree all the same.

So are 18 whose engine runs prompts in steps of their own, timed by measured kernels: dense, experts and latent
attention, at .3 and .7 busy, by two replications of 10,000 requests; and 36 pipelines of two stages of eight H100 and
four of two, at .3 to .85 busy. `--alone` and `--pipelines` run these and nothing else. `--kernels` runs 345 pools of
four replicas, of four workloads, six GPUs with models and three engines, at .2 to .85 busy, and tells their errors.
`--budgets` runs 108 pools of 4 and 16 replicas whose steps take 1,024, 2,048 and 8,192 tokens, of three workloads and
two models at .5, .7 and .85 busy, and tells their P99 TTFT by budget; it is met when half of each budget's are within
10 %.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from fleettui.domain.dtype import Dtype
from fleettui.domain.plan import PoolFigures
from fleettui.reports import units
from tests.evidence import common
from tests.evidence.pools import Setup, staged

CLOSE = 0.03
FAR = 0.25
SEED = 7
USUAL = "llama-3.1-70b"


def setup(workload: str, gpu: str, tp: int, replicas: int, utilization: float, model: str = USUAL) -> Setup:
    """Return a line of POOLS."""
    return Setup(workload=workload, gpu=gpu, tp=tp, replicas=replicas, utilization=utilization, model=model)


POOLS = (
    setup("azure-2023-conv", "h100", 8, 1, 0.6),
    setup("azure-2023-conv", "h100", 8, 10, 0.7),
    setup("azure-2023-conv", "a100", 8, 40, 0.85),
    setup("azure-2023-code", "h100", 8, 8, 0.5),
    setup("azure-2023-code", "a100", 8, 20, 0.8),
    setup("azure-2023-both", "h200", 4, 8, 0.7),
    setup("azure-2023-both", "mi300x", 4, 30, 0.85),
    setup("arxiv-summarization", "h100", 8, 3, 0.6),
    setup("arxiv-summarization", "b200", 2, 12, 0.8),
    setup("mooncake-conversation", "h100", 8, 4, 0.6),
    setup("mooncake-conversation", "a100", 8, 10, 0.7),
    setup("mooncake-conversation", "h200", 8, 40, 0.85),
    setup("servegen-deepseek-r1-h02", "h100", 8, 4, 0.6),
    setup("servegen-deepseek-r1-h02", "h200", 4, 16, 0.8),
    setup("servegen-deepseek-r1-h10", "a100", 8, 6, 0.7),
    setup("servegen-deepseek-r1-h10", "h100", 8, 20, 0.85),
    setup("azure-paper", "h100", 8, 5, 0.7),
    setup("azure-2023-conv", "a10g", 1, 24, 0.75, "llama-3.1-8b"),
    setup("lmsys-paper", "l40s", 8, 6, 0.65),
    setup("agent-heavy-paper", "h100", 8, 15, 0.75),
)
SMALL = (
    setup("azure-2023-code", "h100", 8, 1, 0.5),
    setup("azure-2023-code", "h100", 4, 4, 0.7),
    setup("mooncake-conversation", "h100", 8, 2, 0.6),
)
ALONE = tuple(
    Setup(
        workload=workload,
        gpu=gpu,
        tp=8,
        replicas=4,
        utilization=utilization,
        model=model,
        dtype="fp8",
        step_law="kernels",
        engine="sglang",
    )
    for workload in ("azure-2023-conv", "azure-2023-code", "arxiv-summarization")
    for gpu, model in (("h100", USUAL), ("h200", "qwen3-235b-a22b"), ("h200", "deepseek-v3"))
    for utilization in (0.3, 0.7)
)
"""Prompts in steps of their own."""
PIPELINES = tuple(
    Setup(
        workload=workload,
        gpu="h100",
        tp=tp,
        pp=pp,
        replicas=3,
        utilization=utilization,
        model=model,
        dtype="fp8",
        step_law="kernels",
    )
    for workload in ("azure-2023-conv", "azure-2023-code", "arxiv-summarization")
    for model, tp, pp in (("deepseek-v3", 8, 2), ("llama-3.1-405b", 8, 2), (USUAL, 2, 4))
    for utilization in (0.3, 0.5, 0.7, 0.85)
)
"""Replicas in stages."""
LONGEST = {"azure-2023-conv": 16_384, "lmsys-paper": 65_536}
"""Tokens of a step that takes the longest prompt whole and decodes beside it, where 8,192 are too few."""
CONTEXTS = {"qwen3-235b-a22b": ("azure-2023-conv", "azure-2023-code", "arxiv-summarization")}
"""The workloads whose requests fit in the context of a model, where not all do."""
MODELS: tuple[tuple[str, str, int, Dtype], ...] = (
    ("h100", USUAL, 4, "fp8"),
    ("h200", "qwen3-235b-a22b", 8, "fp8"),
    ("h200", "deepseek-v3", 8, "fp8"),
    ("b200", "deepseek-v3", 8, "fp8"),
    ("h100", "llama-3.1-8b", 1, "bf16"),
    ("h100", "gpt-oss-120b", 2, "mxfp4"),
)
"""GPU, model, GPUs of a replica and type of its weights."""
KERNELS = tuple(
    Setup(
        workload=workload,
        gpu=gpu,
        tp=tp,
        replicas=4,
        utilization=utilization,
        model=model,
        dtype=dtype,
        step_law="kernels",
        engine=engine,
        token_budget=LONGEST.get(workload) if engine == "trtllm" else None,
    )
    for workload in ("azure-2023-conv", "azure-2023-code", "arxiv-summarization", "lmsys-paper")
    for gpu, model, tp, dtype in MODELS
    for engine in ("vllm", "trtllm", "sglang")
    for utilization in (0.2, 0.4, 0.55, 0.7, 0.85)
    if workload in CONTEXTS.get(model, (workload,))
)
"""Every engine by measured kernels."""
SIZES: tuple[tuple[str, int, Dtype], ...] = (("llama-3.1-8b", 1, "bf16"), (USUAL, 4, "fp8"))
BUDGETS = tuple(
    Setup(
        workload=workload,
        gpu="h100",
        tp=tp,
        replicas=replicas,
        utilization=utilization,
        model=model,
        dtype=dtype,
        token_budget=budget,
    )
    for workload in ("azure-2023-code", "azure-2023-conv", "arxiv-summarization")
    for model, tp, dtype in SIZES
    for replicas in (4, 16)
    for utilization in (0.5, 0.7, 0.85)
    for budget in (1024, 2048, 8192)
)
"""Tokens of a step from less than a prompt to several."""
NEAR = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Means over the replications."""

    utilization: float
    batch: float
    ttft: float
    tpot: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A pool by both ways."""

    pool: Setup
    figures: PoolFigures
    seen: Seen

    def error(self, name: str) -> float:
        """Return how far the formula is above what was seen, as a share of that."""
        return float(getattr(self.figures, name) / getattr(self.seen, name)) - 1.0

    def cells(self) -> tuple[str, ...]:
        """Return the line as text."""
        pool, figures, seen = self.pool, self.figures, self.seen
        model = "" if pool.model == USUAL else f" {pool.model}"
        return (
            f"{pool.workload.removeprefix('servegen-')} {pool.replicas}x {pool.gpu} {pool.division}{model}",
            f"{figures.utilization:.3f}",
            f"{seen.utilization:.3f}",
            f"{self.error('utilization'):+.1%}",
            f"{figures.batch:.1f}",
            f"{seen.batch:.1f}",
            f"{self.error('batch'):+.1%}",
            units.seconds(figures.ttft),
            units.seconds(seen.ttft),
            f"{self.error('ttft'):+.0%}",
        )


def simulated(pool: Setup, *, runs: int, requests: int) -> Seen:
    """Return what `runs` replications of at most `requests` measured requests show of a pool."""
    found = [staged(pool).run(SEED, index, most=requests) for index in range(runs)]
    return Seen(
        utilization=statistics.fmean(one.utilization for one in found),
        batch=statistics.fmean(one.batch for one in found),
        ttft=statistics.fmean(one.ttft or 0.0 for one in found),
        tpot=statistics.fmean(one.tpot or 0.0 for one in found),
    )


def main(words: list[str] | None = None) -> int:
    """Print the table; return 0 when the acceptance is met."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.formula", description=__doc__)
    parser.add_argument("--runs", type=common.count, default=6, help="replications of each pool")
    parser.add_argument("--requests", type=common.count, default=200_000, help="measured in each, at most")
    parser.add_argument("--pools", type=common.count, default=len(POOLS), help="only the first so many")
    parser.add_argument("--alone", action="store_true", help="only the pools whose prompts have steps of their own")
    parser.add_argument("--pipelines", action="store_true", help="only the pools whose replicas have stages")
    parser.add_argument("--kernels", action="store_true", help="only the errors of pools by measured kernels")
    parser.add_argument("--budgets", action="store_true", help="only P99 TTFT by tokens of a step")
    parser.add_argument("--jobs", type=common.count, default=common.cores())
    asked = parser.parse_args(words)
    if asked.kernels:
        _tell_by_engine(_lines(KERNELS, runs=2, requests=10_000, jobs=asked.jobs))
        return 0
    if asked.budgets:
        return _judge_budgets(_lines(BUDGETS, runs=3, requests=60_000, jobs=asked.jobs))
    if asked.alone or asked.pipelines:
        _show_beside(asked.jobs, alone=asked.alone, pipelines=asked.pipelines)
        return 0
    pools = POOLS[: asked.pools]
    every = (*pools, *SMALL) if asked.pools == len(POOLS) else pools
    lines = _lines(every, runs=asked.runs, requests=asked.requests, jobs=asked.jobs)
    judged, apart = lines[: len(pools)], lines[len(pools) :]
    _show("formula against simulation; TTFT is the 99th percentile", judged)
    if apart:
        _show("beside them, the smallest pools of long prompts, where the formula's batch is furthest off", apart)
        _show_beside(asked.jobs, alone=True, pipelines=True)
    busy, batch, ttft = ([abs(one.error(name)) for one in judged] for name in ("utilization", "batch", "ttft"))
    middle = statistics.median(ttft)
    return common.verdict(
        (
            (f"utilization within {CLOSE:.0%} in every pool: {max(busy):.1%}", max(busy) <= CLOSE),
            (f"batch within {CLOSE:.0%} in every pool: {max(batch):.1%}", max(batch) <= CLOSE),
            (f"P99 TTFT within {FAR:.0%} in the median pool: {middle:.0%}", middle <= FAR),
        )
    )


def _lines(pools: Sequence[Setup], *, runs: int, requests: int, jobs: int) -> list[Line]:
    found = dict(common.work(partial(simulated, runs=runs, requests=requests), pools, jobs))
    return [Line(pool=pool, figures=staged(pool).figures, seen=found[pool]) for pool in pools]


def _show_beside(jobs: int, *, alone: bool, pipelines: bool) -> None:
    if alone:
        _show_spread("beside them, prompts in steps of their own, at .3 and .7 busy", ALONE, 10_000, jobs)
    if pipelines:
        _show_spread("beside them, replicas in stages, at .3 to .85 busy", PIPELINES, 6_000, jobs)


def _show_spread(title: str, pools: Sequence[Setup], requests: int, jobs: int) -> None:
    lines = _lines(pools, runs=2, requests=requests, jobs=jobs)
    _show(title, lines)
    for name in ("utilization", "batch", "ttft"):
        errors = [one.error(name) for one in lines]
        middle = statistics.median(map(abs, errors))
        common.say(f"{name}: {min(errors):+.0%} to {max(errors):+.0%}, {middle:.1%} in the median")


def _tell_by_engine(lines: Sequence[Line]) -> None:
    rows = []
    for engine, model in sorted({(one.pool.engine, one.pool.model) for one in lines} | {("all", "")}):
        own = [one for one in lines if engine == "all" or (one.pool.engine, one.pool.model) == (engine, model)]
        cells: list[str] = []
        for name in ("batch", "ttft", "tpot"):
            errors = [one.error(name) for one in own]
            sizes = sorted(map(abs, errors))
            worst = sizes[math.ceil(0.9 * len(sizes)) - 1]
            cells += [f"{statistics.median(errors):+.0%}", f"{statistics.median(sizes):.0%}", f"{worst:.0%}"]
        rows.append((engine, model, str(len(own)), *cells))
    titles = ("engine", "model", "pools", "batch", "size", "90%", "TTFT", "size", "90%", "TPOT", "size", "90%")
    common.show("by formula over simulated: median, median size, and size at 90 %", titles, rows)


def _judge_budgets(lines: Sequence[Line]) -> int:
    rows, checks = [], []
    for budget in sorted({one.pool.token_budget or 0 for one in lines}):
        errors = [one.error("ttft") for one in lines if one.pool.token_budget == budget]
        middle = statistics.median(map(abs, errors))
        found = (statistics.median(errors), middle, min(errors), max(errors))
        rows.append((f"{budget:,}", str(len(errors)), *(f"{one:+.0%}" for one in found)))
        checks.append((f"half of the P99 TTFT at {budget:,} tokens within {NEAR:.0%}: {middle:.1%}", middle <= NEAR))
    common.show("P99 TTFT by formula over simulated", ("tokens a step", "pools", "", "size", "from", "to"), rows)
    return common.verdict(checks)


def _show(title: str, lines: Sequence[Line]) -> None:
    titles = ("pool", "busy", "sim.", "", "batch", "sim.", "", "TTFT", "sim.", "")
    common.show(title, titles, [line.cells() for line in lines])


if __name__ == "__main__":
    sys.exit(main())
