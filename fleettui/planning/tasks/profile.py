"""The tasks `profile-show` and `profile-validate`: one serving profile, and predictions held to measurements."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.hardware import STOCK, Profile, StepLaw, Tuning
from fleettui.domain.layout import layout as layout_of
from fleettui.domain.validation import Comparison, Setup, Validation
from fleettui.hardware import catalog, validation
from fleettui.hardware.graph_bins import graphed
from fleettui.hardware.measured import counted
from fleettui.hardware.measured.base import Skipped
from fleettui.hardware.profile import build_profile, no_price
from fleettui.hardware.public_runs import corrected
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.measured_files import read_files
from fleettui.planning.tasks.verification import make_ready
from fleettui.simulation.replayed_run import replayed

REPORTED = 50
"""Runs between two lines of progress."""


def show(
    context: Context,
    *,
    gpu: str,
    model: str,
    dtype: Dtype | None,
    tp: int,
    engine: str,
    step_law: StepLaw,
    engine_overhead: float | None = None,
    kv_dtype: CacheDtype | None = None,
    expert_parallel: bool = False,
    tuning: Tuning = STOCK,
    pp: int = 1,
    attention_dp: bool = False,
    speculative: str = "",
    graph_bins: str = "",
    expert_load: str = "",
    layout: str = "",
) -> Profile:
    """Return the profile of a replica under an engine by a law; `engine_overhead` is in seconds a step.

    A GPU without a price has a profile that costs nothing, and its note says so.
    """
    context.check()
    known, served = catalog.gpu(gpu), catalog.model(model)
    said = layout_of(layout) if layout else None
    if said is not None:
        said.check(served)
    profile = build_profile(
        known,
        served,
        dtype=dtype or served.native_dtype,
        tp=tp if said is None else said.gpus,
        engine=engine,
        engine_overhead=engine_overhead,
        step_law=step_law,
        kv_dtype=kv_dtype,
        expert_parallel=expert_parallel if said is None else said.feed_forward_ep > 1,
        tuning=tuning,
        pp=pp,
        attention_dp=attention_dp if said is None else said.attention_dp > 1,
        layout="" if said is None else said.within,
        speculative=speculative,
        chosen=expert_load,
        price=None if known.price else 0.0,
    )
    profile = graphed(corrected(profile, engine), graph_bins, engine)
    return profile if known.price else replace(profile, price_note=no_price(known.name))


def _replayed(one: Comparison, place: int, count: int, context: Context) -> Comparison:
    """Return a comparison with the times of the engine that plays its run, the `place`-th of so many."""
    context.check()
    if place % REPORTED == 0:
        context.progress(f"playing run {place + 1:,} of {count:,}")
    return replayed(one)


def validate(context: Context, *, paths: tuple[str, ...], setup: Setup, step_law: StepLaw) -> Validation:
    """Return predicted against measured for the benchmark runs in the files at `paths`; what cannot run is skipped.

    By measured kernels the engine plays every run; by the roofline a formula says what the loop of its clients does. Of
    several files each run has its own.
    """
    runs = read_files(paths, setup, context.progress)
    context.progress(f"predicting {sum(len(one.points) for one in runs.readings.values())} runs")
    compared: tuple[Comparison, ...] = ()
    skipped = list(runs.skipped)
    for path, reading in runs.readings.items():
        found, too_large = validation.compare(reading.points, step_law)
        if len(paths) > 1:
            found = tuple(replace(one, point=replace(one.point, file=path)) for one in found)
        head = f"{path}: " if len(paths) > 1 else ""
        skipped += [Skipped(line=one.line, why=f"{head}{one.why}") for one in (*reading.skipped, *too_large)]
        compared += found
    if step_law == "kernels" and compared:
        make_ready(context.progress)
        compared = tuple(_replayed(one, place, len(compared), context) for place, one in enumerate(compared))
    return Validation(
        comparisons=compared,
        summaries=validation.summarize(compared),
        skipped=counted(skipped),
    )
