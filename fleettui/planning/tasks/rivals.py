"""The task `rivals`: other planners beside ours: what is reported of them, their constants, the same public runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fleettui.domain.dtype import Dtype, Units
from fleettui.domain.hardware import Profile, StepLaw
from fleettui.domain.study import StudyTable, table_of
from fleettui.domain.validation import MeasuredPoint
from fleettui.hardware import catalog, validation
from fleettui.hardware.formats import peak
from fleettui.hardware.paper_profiles import CALIBRATION_CONTEXT, paper_profile
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import step_time
from fleettui.optimize.published.rivals import (
    BLIS,
    BLIS_SERVERS,
    BLIS_SOURCE,
    CLAIMS,
    PAPERS,
    PUBLIC_RUNS,
    SAMPLE,
    Claim,
    PublicRun,
    Regression,
)
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.verification import make_ready
from fleettui.simulation.replayed_run import replayed

GPU, MODEL, ENGINE = "h100", "llama-3.1-70b", "vllm"
DTYPE: Dtype = "fp8"
LAWS: tuple[tuple[str, StepLaw], ...] = (("ours, kernels", "kernels"), ("ours, roofline", "roofline"))
LONG = 8192
"""Prompt tokens of the step by which our own law's prompt tokens are timed."""
IMPOSSIBLE = "above the peak"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """What a planner takes for a prompt token on some GPUs, and the FLOPs that such a token needs."""

    planner: str
    model: str
    dtype: str
    tp: int
    seconds: float
    flops: float
    units: Units
    source: str

    @property
    def mfu(self) -> float:
        """The share of the GPUs' peak at which prompts would be computed."""
        return self.flops / (self.seconds * self.tp * peak(catalog.gpu(GPU), self.units))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A public run with each planner's seconds between output tokens, None where it has no constants of the server."""

    run: PublicRun
    kernels: float
    roofline: float
    blis: float | None
    papers: float | None


def tables(context: Context) -> tuple[StudyTable, ...]:
    """Return what is reported of other planners, their constants as MFU, and the public runs by each."""
    make_ready(context.progress)
    return _claims(), _constants(), _runs(context)


def _claims() -> StudyTable:
    def most(one: Claim) -> float:
        return one.error if one.most is None else one.most

    return table_of(
        "As reported of them",
        CLAIMS,
        ("planner", "text", lambda one: one.planner),
        ("error of", "text", lambda one: one.metric),
        ("from", "share", lambda one: one.error),
        ("to", "share", most),
        ("runs", "text", lambda one: one.runs),
        ("source", "text", lambda one: one.source),
        note="each on a set of its own: no two of them compare",
    )


def _constants() -> StudyTable:
    return table_of(
        "Prompt constants as MFU",
        [*map(_of_blis, BLIS_SERVERS), *_of_papers(), *_of_ours()],
        ("planner", "text", lambda one: one.planner),
        ("model", "text", lambda one: f"{one.model} {one.dtype}"),
        ("H100", "count", lambda one: one.tp),
        ("a prompt token", "seconds", lambda one: one.seconds),
        ("MFU", "share", lambda one: one.mfu),
        ("mark", "text", lambda one: IMPOSSIBLE if one.mfu > 1.0 else ""),
        ("source", "text", lambda one: one.source),
        note="FLOPs of the active parameters over the dense peak of the units that multiply",
    )


def _of_blis(one: Regression) -> Constant:
    parameters = one.parameters or catalog.model(one.model).active_parameters
    return Constant(
        planner=BLIS,
        model=one.model,
        dtype=one.dtype,
        tp=one.tp,
        seconds=one.prompt_token,
        flops=2.0 * parameters,
        units=one.units,
        source=BLIS_SOURCE,
    )


def _of_papers() -> Sequence[Constant]:
    """Return the papers' profile of one H100, whose price it has, and of eight, whose speed it has."""
    own = paper_profile(GPU)
    seconds = (own.base_step_time + own.time_per_sequence) / own.prefill_chunk
    flops = 2.0 * catalog.model(MODEL).active_parameters
    return [
        Constant(
            planner=PAPERS,
            model=MODEL,
            dtype="",
            tp=tp,
            seconds=seconds,
            flops=flops,
            units="bf16",
            source=f"{own.source}: {own.prefill_chunk:,} tokens a step of {own.base_step_time * 1e3:g} ms {words}",
        )
        for tp, words in ((1, "at the price of one GPU"), (8, "taken as a node's"))
    ]


def _of_ours() -> Sequence[Constant]:
    """Return what a further prompt token takes in a step of LONG by our laws."""
    found = []
    for planner, law in LAWS:
        for tp in (2, 4, 8):
            profile = _profile(tp, law)
            few, many = (
                float(step_time(profile.step, decodes=0, context_tokens=0, prompt_tokens=count))
                for count in (LONG, 2 * LONG)
            )
            found.append(
                Constant(
                    planner=planner,
                    model=MODEL,
                    dtype=DTYPE,
                    tp=tp,
                    seconds=(many - few) / LONG,
                    flops=profile.flops_per_token,
                    units="fp8",
                    source=f"a token more in a step of {LONG:,}, attention apart",
                )
            )
    return found


def _profile(tp: int, law: StepLaw) -> Profile:
    return build_profile(catalog.gpu(GPU), catalog.model(MODEL), dtype=DTYPE, tp=tp, engine=ENGINE, step_law=law)


def _runs(context: Context) -> StudyTable:
    rows = []
    for place, run in enumerate(PUBLIC_RUNS):
        context.progress(f"{MODEL} on {run.tp} {GPU}", place, len(PUBLIC_RUNS))
        rows.append(_row(run))
    columns: dict[str, Callable[[Row], float | None]] = {
        LAWS[0][0]: lambda row: row.kernels,
        LAWS[1][0]: lambda row: row.roofline,
        BLIS: lambda row: row.blis,
        PAPERS: lambda row: row.papers,
    }
    errors = "; ".join(f"{name} {_error(rows, value)}" for name, value in columns.items())
    return table_of(
        "The same public runs",
        rows,
        ("run", "text", lambda row: f"tp {row.run.tp}, {row.run.prompt} in, {row.run.output} out"),
        ("clients", "count", lambda row: row.run.clients),
        ("TPOT", "seconds", lambda row: row.run.tpot),
        *((name, "seconds", value) for name, value in columns.items()),
        note=f"{MODEL} {DTYPE} on H100 under vLLM, {SAMPLE}. Off in the median: {errors}. "
        "The engine's terms of our kernels and what this server takes of them were fitted to this sample, BLIS to "
        "runs of its own",
    )


def _row(run: PublicRun) -> Row:
    point = MeasuredPoint(
        line=0,
        model=MODEL,
        gpu=GPU,
        dtype=DTYPE,
        engine=ENGINE,
        tp=run.tp,
        prompt_tokens=run.prompt,
        output_tokens=run.output,
        concurrency=run.clients,
        ttft=run.ttft,
        tpot=run.tpot,
    )
    known = {(one.model, one.dtype, one.tp): one for one in BLIS_SERVERS}
    blis = known.get((MODEL, DTYPE, run.tp))
    own = paper_profile(GPU)
    context = run.prompt + run.output / 2.0
    papers = own.base_step_time + own.time_per_sequence * run.clients * context / CALIBRATION_CONTEXT
    return Row(
        run=run,
        kernels=replayed(validation.compare_point(point, "kernels")).predicted_tpot,
        roofline=validation.compare_point(point, "roofline").predicted_tpot,
        blis=None if blis is None else blis.token(run.clients, run.prompt, run.output),
        papers=papers if run.tp == 8 else None,
    )


def _error(rows: Sequence[Row], value: Callable[[Row], float | None]) -> str:
    """Return a planner's absolute error in the median, and over how many runs."""
    found = [abs(told / row.run.tpot - 1.0) for row in rows if (told := value(row)) is not None]
    return f"{statistics.median(found) if found else math.nan:.0%} of {len(found)}"
