"""Measured disaggregated servers, and measured verdicts against co-located ones, held to the formulas.

`python -m tests.evidence.disagg ROWS CELLS` reads two CSV files: runs of disaggregated servers with their topology
and number of clients, and cells of (system, lengths, TPOT limit) with the best measured run of either kind. Each run
is played token by token as published benches run: all clients start at once and ask ten times, for lengths uniform in
0.8 to 1 of those stated, with the caches, the prompts a step and the labels that the recipes behind them have. Nothing
is fitted but the factor of decode steps (`hardware/role_steps.py`, from such runs); then two constants to half of the
configurations, and held to the others: seconds that a request takes beside waits, steps and links (front ends, the way
from one side to the other), and a factor on the steps that decode. A cell's verdict is
right where the best played run of either kind under the limit, over the measured topologies and numbers of clients,
wins as the measured one does: by more than a tenth, or neither. It is met at a mean TPOT error within 20 % and TTFT
within 35 %, 10 and 20 % with the constants, every run held out once, and 85 % of the verdicts; else the exit code is 3.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fleettui.domain.calibration import StepTerms
from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.fleet import BLOCK_SIZE, WATERMARK
from fleettui.domain.hardware import Profile, StepTable
from fleettui.hardware import catalog
from fleettui.hardware.fit import TENSOR_PARALLEL
from fleettui.hardware.kv_transfer import bytes_of, cache_size, links_between
from fleettui.hardware.own_fit import fitted_step
from fleettui.hardware.profile import build_profile
from fleettui.hardware.role_steps import decoding, prefilling
from fleettui.simulation.curve import Curve
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.replayed_run import GAP, SEED, WAVES
from fleettui.simulation.run import play
from fleettui.simulation.tandem_run import Moved
from fleettui.simulation.tandem_run import play as play_tandem

MODELS: dict[str, tuple[str, Dtype]] = {
    "deepseek-ai/DeepSeek-V3": ("deepseek-v3", "fp8-block"),
    "DeepSeek-R1/V3": ("deepseek-v3", "fp8-block"),
    "Qwen/Qwen3-32B": ("qwen3-32b", "fp8"),
    "Qwen/Qwen3-235B-A22B-FP8": ("qwen3-235b-a22b", "fp8"),
}
TTFT, TPOT, FITTED_TTFT, FITTED_TPOT, VERDICTS = 0.35, 0.20, 0.20, 0.10, 0.85
TIE = 1.1
CACHES: dict[str, CacheDtype] = {"trtllm": "fp8", "sglang": "fp8"}
AS_IT_COMES = {("h200", "sglang"), ("h100", "sglang")}
"""Caches that the recipes below set, and where they set none: as NVIDIA/srt-slurm, recipes/h200/8k1k (Apache-2.0)."""
ALIKE = 0.02
"""How far the TPOT of one server's run differs where it is published twice."""
HANDOVERS = tuple(round(0.05 * place, 2) for place in range(13))
"""Seconds of a request beside the rest, among which those that fit are looked for."""
WHOLE_PROMPTS = ("trtllm",)
"""Engines whose recipes take prompts whole (enable_chunked_prefill false): as many a step as the tokens hold."""
PREFILL_TOKENS = {("h200", 1024): 8192, ("h200", 8192): 16_640, ("b200", 1024): 16_384, ("b200", 8192): 8320}
MOST_PREFILL_TOKENS = 16_384
"""Tokens of a step that prefills (max_num_tokens), by GPU and prompt, of others: ishandhanani/srt-slurm (Apache-2.0).

It has the recipes of these very runs: recipes/trtllm/h200/{1k1k,8k1k}/stp, recipes/trtllm/b200-fp8/{1k1k,8k1k}/stp,
gb300-fp8.
"""
CLIENTS = (4, 8, 16, 32, 64, 128, 256)
"""Clients of a co-located server of eight GPUs, as the measured ones go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Replicas of one side: how many, their GPUs, and how these divide the work."""

    replicas: int
    gpus: int
    attention_dp: bool
    expert_parallel: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A measured run: seconds of TTFT and TPOT with so many clients."""

    name: str
    backend: str
    model: str
    gpu: str
    prompt: int
    output: int
    clients: int
    prefill: Side
    decode: Side
    ttft: float
    tpot: float
    measured: str = ""

    @property
    def gpus(self) -> int:
        """GPUs of both sides."""
        return sum(one.gpus * one.replicas for one in (self.prefill, self.decode))


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted:
    """Seconds of TTFT and TPOT as played, and requests per second."""

    ttft: float
    tpot: float
    rate: float

    def paced(self, output: int, by: float) -> float:
        """Return output tokens per second where TPOT is so many times as long, and clients come back as much later."""
        return self.rate * output * (self.ttft + output * self.tpot) / (self.ttft + output * self.tpot * by)


def runs_of(path: Path) -> list[Run]:
    """Return the runs of a file that say their number of clients and whose replicas can be built."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    found = []
    for row in rows:
        sides = [_side(row, name) for name in ("prefill", "decode")]
        if row["conc"] and all(one.gpus in TENSOR_PARALLEL for one in sides):
            found.append(
                Run(
                    name=row["id"],
                    backend=row["backend"],
                    model=row["model_path"],
                    gpu=row["system"].split("_")[0],
                    prompt=int(row["isl"]),
                    output=int(row["osl"]),
                    clients=int(row["conc"]),
                    prefill=sides[0],
                    decode=sides[1],
                    ttft=float(row["ttft_ms"]) / 1e3,
                    tpot=float(row["tpot_ms"]) / 1e3,
                    measured=row["measured"],
                )
            )
    return [labelled(one, found) for one in found]


def labelled(run: Run, runs: Sequence[Run]) -> Run:
    """Return a run with the prefill side that the last publication of it says.

    Runs of one server were published twice, first with other labels; the recipes say what the last ones say.
    """
    same = [one for one in runs if _served(one) == _served(run) and abs(one.tpot / run.tpot - 1.0) <= ALIKE]
    return replace(run, prefill=max(same, key=lambda one: one.measured).prefill)


def _served(one: Run) -> tuple[object, ...]:
    """Return what two publications of one run have in common."""
    prefill = one.prefill.replicas, one.prefill.gpus
    return one.gpu, one.backend, one.model, one.prompt, one.output, one.clients, one.decode, prefill


def _side(row: dict[str, str], name: str) -> Side:
    """Return a side of a row; where each GPU attends to its own sequences, experts are divided, whatever the row says.

    Rows of one server, published twice, differ in that alone.
    """
    replicas, lanes = int(row[f"{name}_num_workers"]), int(row[f"{name}_attention_dp_size"] or 1) > 1
    return Side(
        replicas=replicas,
        gpus=int(row[f"{name}_gpus"]) // replicas,
        attention_dp=lanes,
        expert_parallel=lanes or int(row[f"{name}_moe_ep_size"] or 0) > 1,
    )


@cache
def profile_of(model: str, gpu: str, backend: str, side: Side) -> Profile:
    """Return the catalogue's profile of a side's replica."""
    name, dtype = MODELS[model]
    return build_profile(
        catalog.gpu(gpu),
        catalog.model(name),
        dtype=dtype,
        tp=side.gpus,
        engine=backend,
        step_law="kernels",
        attention_dp=side.attention_dp,
        expert_parallel=side.expert_parallel and side.gpus > 1,
        kv_dtype=None if (gpu, backend) in AS_IT_COMES else CACHES.get(backend),
    )


def apart(run: Run, handover: float = 0.0, factor: float = 1.0) -> Predicted:
    """Return a disaggregated run as the engine plays it: its clients start at once and ask WAVES times.

    Every request takes `handover` seconds beside, and `factor` multiplies the steps that decode.
    """
    prefill, decode = (profile_of(run.model, run.gpu, run.backend, side) for side in (run.prefill, run.decode))
    prefill, decode = prefilling(prefill), decoding(decode)
    decode = replace(decode, step=fitted_step(decode.step, StepTerms(factor=factor), 1.0))
    links = links_between(prefill, decode, {run.gpu: catalog.gpu(run.gpu)}, None)
    draws = _draws(run, run.clients)
    draws = replace(draws, thinking=draws.thinking + handover)
    moved = Moved(
        out=links.prefill / prefill.batches,
        into=links.decode / decode.batches,
        latency=links.latency,
        size=bytes_of(cache_size(catalog.model(MODELS[run.model][0]), prefill.kv_dtype), draws.prompt),
    )
    first = _prefilling(_engine(prefill, run.prefill, run, run.clients), prefill, run)
    then = _engine(decode, run.decode, run, run.clients)
    told = _told(run, play_tandem(first, then, draws, moved, (0, draws.requests)).requests, run.clients)
    seconds = told.ttft + handover
    return replace(told, ttft=seconds, rate=run.clients / (seconds + run.output * told.tpot))


def together(run: Run, side: Side, clients: int) -> Predicted:
    """Return a co-located server of one replica under the lengths of a run, played likewise."""
    profile, draws = profile_of(run.model, run.gpu, run.backend, side), _draws(run, clients)
    return _told(run, play([_engine(profile, side, run, clients)], draws, 0, draws.requests).state.requests, clients)


def _engine(profile: Profile, side: Side, run: Run, clients: int) -> Engine:
    """Return the replicas of a side as benches set them, every client with a place that its cache is sure to have."""
    assert isinstance(profile.step, StepTable), "kernels are tabulated"
    budget = max(catalog.engine(run.backend).bench.budget(run.prompt, clients), clients)
    places = min(clients, budget, profile.kv_blocks * BLOCK_SIZE // (run.prompt + run.output))
    return Engine(
        base=profile.step.overhead,
        per_context=0.0,
        per_prompt=0.0,
        budget=budget,
        places=places,
        blocks=profile.kv_blocks,
        watermark=int(profile.kv_blocks * WATERMARK),
        replicas=side.replicas * profile.batches,
        together=profile.batches,
        api_token=profile.api_token * profile.batches,
        curve=Curve.of(profile.step, budget=budget, places=places, lanes=profile.batches),
    )


def _prefilling(engine: Engine, profile: Profile, run: Run) -> Engine:
    """Return the replicas that prefill as recipes set them: whole prompts, no more of them than their tokens hold."""
    if run.backend not in WHOLE_PROMPTS:
        return engine
    assert isinstance(profile.step, StepTable), "kernels are tabulated"
    places = max(1, PREFILL_TOKENS.get((run.gpu, run.prompt), MOST_PREFILL_TOKENS) // run.prompt)
    budget = places * run.prompt
    curve = Curve.of(profile.step, budget=budget, places=places, lanes=profile.batches)
    return replace(engine, budget=budget, places=places, curve=curve)


def _draws(run: Run, clients: int) -> Draws:
    """Return WAVES requests of each client, their lengths uniform from 0.8 to 1 of those stated."""
    rng, count = np.random.default_rng(SEED), WAVES * clients
    prompt, output = (rng.integers(int(0.8 * most), most + 1, count) for most in (run.prompt, run.output))
    return Draws(
        prompt=prompt.astype(np.int32),
        cached=np.zeros(count, np.int32),
        output=output.astype(np.int32),
        pool=np.zeros(count, np.int32),
        tie=rng.random(count),
        clients=clients,
        thinking=rng.exponential(GAP, count),
    )


def _told(run: Run, requests: Any, clients: int) -> Predicted:
    """Return the mean times of played requests, the front end in TTFT, and the clients' rate by them."""
    ttft = float((requests["first"] - requests["arrival"]).mean()) + catalog.engine(run.backend).front_end.request
    tpot = float(((requests["finish"] - requests["first"]) / np.maximum(requests["output"] - 1, 1)).mean())
    return Predicted(ttft=ttft, tpot=tpot, rate=clients / (ttft + run.output * tpot))


def errors(pairs: Iterable[tuple[float, float]]) -> float:
    """Return the mean error of (predicted, measured) as a share of the measured."""
    return statistics.fmean(abs(predicted / measured - 1.0) for predicted, measured in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """Two constants that half of the configurations have, and the errors of TTFT and TPOT of each run of the others."""

    handover: float
    factor: float
    ttft: list[float]
    tpot: list[float]


def fitted(runs: Sequence[Run], found: Sequence[Predicted], half: int) -> Fitted:
    """Return the constants that leave the least mean errors of every second configuration, as they are sorted.

    The factor is that of TPOT as found; the seconds are looked for as played with it. `half` is 0 or 1.
    """
    configurations = sorted({_configuration(one) for one in runs}, key=repr)
    used = {one for place, one in enumerate(configurations) if place % 2 == half}
    pairs = list(zip(runs, found, strict=True))
    ratios = sorted(one.tpot / own.tpot for one, own in pairs if _configuration(one) in used)
    factor = min(ratios, key=lambda by: errors((by, ratio) for ratio in ratios))
    fit, held = ([one for one in runs if (_configuration(one) in used) == is_used] for is_used in (True, False))

    def left(handover: float) -> float:
        return errors((apart(one, handover, factor).ttft, one.ttft) for one in fit)

    handover = min(HANDOVERS, key=left)
    again = [(one, apart(one, handover, factor)) for one in held]
    return Fitted(
        handover=handover,
        factor=factor,
        ttft=[abs(own.ttft / one.ttft - 1.0) for one, own in again],
        tpot=[abs(own.tpot / one.tpot - 1.0) for one, own in again],
    )


def _configuration(one: Run) -> tuple[object, ...]:
    return one.gpu, one.backend, one.prompt, one.prefill, one.decode


def verdict(ratio: float) -> str:
    """Return who wins by the ratio of output tokens per second and GPU, disaggregated over co-located."""
    return "disagg" if ratio > TIE else "agg" if ratio < 1.0 / TIE else "tie"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A cell's best runs of either kind as played, as (prediction, GPUs), and the constants on their TPOT."""

    cell: dict[str, str]
    disaggregated: Sequence[tuple[Predicted, int]]
    colocated: Sequence[tuple[Predicted, int]]

    def ratio(self, apart_by: float = 1.0, together_by: float = 1.0) -> float:
        """Return the ratio of output tokens per second and GPU of the best runs under the cell's TPOT limit."""
        limit, output = float(self.cell["tpot_limit_ms"]) / 1e3, int(self.cell["osl"])
        best = [
            max((own.paced(output, by) / gpus for own, gpus in some if own.tpot * by <= limit), default=0.0)
            for some, by in ((self.disaggregated, apart_by), (self.colocated, together_by))
        ]
        return best[0] / best[1] if best[1] else float("inf") if best[0] else 1.0


def judged(cell: dict[str, str], runs: Sequence[Run], found: Sequence[Predicted]) -> Judged:
    """Return a cell with what is predicted of the measured topologies, and of servers of eight GPUs that do both."""
    same = [
        (one, own)
        for one, own in zip(runs, found, strict=True)
        if (one.gpu, one.prompt, one.output) == (cell["system"].split("_")[0], int(cell["isl"]), int(cell["osl"]))
        and one.backend == cell["dis_backend"]
    ]
    sides = [
        Side(replicas=1, gpus=8, attention_dp=lanes, expert_parallel=experts)
        for lanes, experts in ((False, False), (False, True), (True, True))
    ]
    return Judged(
        cell=cell,
        disaggregated=[(own, one.gpus) for one, own in same],
        colocated=[(colocated(same[0][0], side, clients), 8) for side in sides for clients in CLIENTS],
    )


@cache
def colocated(run: Run, side: Side, clients: int) -> Predicted:
    """Return a co-located server of one replica, played once."""
    return together(run, side, clients)


def main() -> int:
    """Print every run and cell, the errors and the share of right verdicts; return 0 where all are within bounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("cells", type=Path)
    given = parser.parse_args()
    runs = runs_of(given.rows)
    found = [apart(one) for one in runs]
    for one, own in zip(runs, found, strict=True):
        told = f"TTFT {own.ttft:7.2f} of {one.ttft:7.2f} s   TPOT {own.tpot * 1e3:6.1f} of {one.tpot * 1e3:6.1f} ms"
        sys.stdout.write(f"{one.name:66} {told}\n")
    ttft = errors((own.ttft, one.ttft) for one, own in zip(runs, found, strict=True))
    tpot = errors((own.tpot, one.tpot) for one, own in zip(runs, found, strict=True))
    halves = [fitted(runs, found, half) for half in (0, 1)]
    fit_ttft = statistics.fmean(error for one in halves for error in one.ttft)
    fit_tpot = statistics.fmean(error for one in halves for error in one.tpot)
    with given.cells.open() as file:
        cells = list(csv.DictReader(file))
    held = [judged(cell, runs, found) for cell in cells]
    apart_by = statistics.median(one.tpot / own.tpot for one, own in zip(runs, found, strict=True))
    together_by = statistics.median(_measured_over_predicted(one) for one in held)
    right = [0, 0]
    for place in held:
        measured = float(place.cell["ratio"])
        ratios = place.ratio(), place.ratio(apart_by, together_by)
        right = [count + (verdict(own) == verdict(measured)) for count, own in zip(right, ratios, strict=True)]
        named = f"{place.cell['system']} {place.cell['isl']}/{place.cell['osl']} TPOT {place.cell['tpot_limit_ms']} ms"
        told = "  ".join(f"{verdict(own)} {own:.2f}" for own in ratios)
        sys.stdout.write(f"{named:36} {told:30} measured {verdict(measured)} {measured:.2f}\n")
    sys.stdout.write(
        f"{len(runs)} runs: mean error of TTFT {ttft:.0%}, of TPOT {tpot:.0%} ({_median(runs, found)} in the median); "
        f"with two constants fitted to one half of the configurations, on the other {fit_ttft:.1%} and {fit_tpot:.1%}, "
        "either half left out once\n"
    )
    for half in halves:
        sys.stdout.write(
            f"{half.handover:g} s a request and {half.factor:.2f} times the steps of decode: on {len(half.ttft)} runs "
            f"to which these were not fitted {statistics.fmean(half.ttft):.1%} and {statistics.fmean(half.tpot):.1%}\n"
        )
    sys.stdout.write(
        f"verdicts right: {right[0]} of {len(held)}; with a constant on TPOT of either kind ({apart_by:.2f} apart, "
        f"{together_by:.2f} together) {right[1]}\n"
    )
    met = ttft <= TTFT and tpot <= TPOT and fit_ttft <= FITTED_TTFT and fit_tpot <= FITTED_TPOT
    return 0 if met and right[0] >= VERDICTS * len(held) else 3


def _measured_over_predicted(one: Judged) -> float:
    """Return the measured TPOT of a cell's co-located run over that predicted for as many clients, the nearer way."""
    clients, measured = int(one.cell["agg_conc"]), float(one.cell["agg_tpot"]) / 1e3
    found = [own.tpot for (own, _), count in zip(one.colocated, CLIENTS * 3, strict=True) if count == clients]
    return min((measured / own for own in found), key=lambda ratio: abs(np.log(ratio)))


def _median(runs: Sequence[Run], found: Sequence[Predicted]) -> str:
    pairs = list(zip(runs, found, strict=True))
    both = (
        statistics.median(abs(own.ttft / one.ttft - 1.0) for one, own in pairs),
        statistics.median(abs(own.tpot / one.tpot - 1.0) for one, own in pairs),
    )
    return " and ".join(f"{value:.0%}" for value in both)


if __name__ == "__main__":
    sys.exit(main())
