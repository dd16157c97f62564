"""`fleettui profile`: what one replica does, and how far that is from measurements."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson, OnCluster, Workers
from fleettui.cli.text_output import Force, Picture, picture_target, write
from fleettui.cli.typer_app import new_app
from fleettui.domain.dtype import DTYPES

EXAMPLES = """\
\b
Examples:
  fleettui profile show h100 llama-3.1-70b --dtype fp8 --tp 4
  fleettui profile show h100 llama-3.1-70b --dtype fp8 --tp 4 -o replica.svg
  fleettui profile validate measured.csv
  fleettui profile validate bench-*.json --gpu h100 --tp 4 --dtype fp8
  fleettui profile validate measured.csv -o validation.svg
  fleettui profile fit bench-*.json --name prod --gpu h100 --tp 4 --dtype fp8
  fleettui profile list
  fleettui profile next last
"""

DTYPE_HELP = f"the weights': {', '.join(DTYPES)}; default as published"
FileModel = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="the model, where the file names none; else its runs alone"),
]
FileGpu = Annotated[
    str | None, typer.Option("--gpu", metavar="NAME", help="the GPU, where the file names none; else its runs alone")
]
FileEngine = Annotated[
    str | None,
    typer.Option("--engine", metavar="vllm", help="the engine, where the file names none; else its runs alone"),
]
FileDtype = Annotated[str | None, typer.Option("--dtype", metavar="fp8", help="the weights', where the file is silent")]
FileKvDtype = Annotated[
    str | None, typer.Option("--kv-dtype", metavar="fp8", help="the cache's, where the file is silent")
]
FileTp = Annotated[str | None, typer.Option("--tp", metavar="4", help="GPUs per replica, where the file is silent")]

app = new_app("profile", "What one replica does: step time, memory, price.", EXAMPLES)


LawOption = Annotated[
    str, typer.Option("--step-law", metavar="kernels", help="kernels as measured, or the roofline of the datasheet")
]


@app.command("show")
def show(
    gpu: Annotated[str, typer.Argument(help="a GPU (fleettui gpu list)")],
    model: Annotated[str, typer.Argument(help="a model (fleettui model list) or its config.json")],
    *,
    dtype: Annotated[str | None, typer.Option("--dtype", metavar="fp8", help=DTYPE_HELP)] = None,
    kv_dtype: Annotated[
        str, typer.Option("--kv-dtype", metavar="fp8", help="the cache's: bf16, fp8, or engine for its own")
    ] = "engine",
    expert_parallel: Annotated[
        bool, typer.Option("--expert-parallel", help="spread routed experts over the GPUs instead of dividing each")
    ] = False,
    tp: Annotated[str, typer.Option("--tp", metavar="4", help="GPUs per replica: 1, 2, 4 or 8")] = "1",
    attention_dp: Annotated[
        bool, typer.Option("--attention-dp", help="each GPU keeps sequences of its own instead of a part of the heads")
    ] = False,
    pp: Annotated[str, typer.Option("--pp", metavar="2", help="stages of so many GPUs: 1, 2, 4 or 8")] = "1",
    speculative: Annotated[
        str | None, typer.Option("--speculative", metavar="mtp:3@70%", help="drafter, drafts a step, acceptance")
    ] = None,
    graph_bins: Annotated[
        str | None,
        typer.Option("--graph-bins", metavar="engine", help="to what steps are padded: 1,2,4,8-256/8, engine"),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option("--layout", metavar="tp2dp4/ep8", help="attention tp x dp / feed-forward tp x ep, for --tp"),
    ] = None,
    expert_load: Annotated[
        str | None,
        typer.Option("--expert-load", metavar="zipf:0.5", help="how experts are chosen: uniform, zipf:0.5 or a file"),
    ] = None,
    engine_overhead: Annotated[
        str | None, typer.Option("--engine-overhead", metavar="3ms", help="time that the engine adds to each step")
    ] = None,
    engine: Annotated[str, typer.Option("--engine", metavar="vllm", help="the serving engine")] = "vllm",
    tuning: Annotated[
        str, typer.Option("--tuning", metavar="tuned", help="how the engine is set: stock, tuned or benchmark")
    ] = "stock",
    step_law: LawOption = "kernels",
    output: Picture = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Show the profile of one replica: its step by operator, and its memory arithmetic, also as pictures."""
    import asyncio

    from fleettui.planning import profiles
    from fleettui.reports.bars_svg import bars_svg
    from fleettui.reports.hardware_text import profile_text
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.question.keys import BY_NAME
    from fleettui.reports.question.text_forms import (
        DTYPE,
        EXPERT_LOAD,
        GPU,
        GRAPH_BINS,
        LAYOUT,
        MODEL,
        PP,
        SPECULATION,
        TP,
    )
    from fleettui.reports.replica_bars import Known, replica_bars

    target = picture_target(output, force=force)
    width = TP.read(tp, "--tp")
    overhead = None
    if engine_overhead is not None:
        overhead = BY_NAME["engine-overhead"].read(engine_overhead, "--engine-overhead")
    on, served, under = GPU.read(gpu, "GPU"), MODEL.read(model, "MODEL"), BY_NAME["engine"].read(engine, "--engine")
    found = asyncio.run(
        profiles.show_profile(
            on,
            served,
            dtype=None if dtype is None else DTYPE.read(dtype, "--dtype"),
            kv_dtype=BY_NAME["kv-dtype"].read(kv_dtype, "--kv-dtype"),
            expert_parallel=expert_parallel,
            tp=width,
            pp=PP.read(pp, "--pp"),
            attention_dp=attention_dp,
            speculative="" if speculative is None else SPECULATION.read(speculative, "--speculative"),
            graph_bins="" if graph_bins is None else GRAPH_BINS.read(graph_bins, "--graph-bins"),
            layout="" if layout is None else LAYOUT.read(layout, "--layout"),
            expert_load="" if expert_load is None else EXPERT_LOAD.read(expert_load, "--expert-load"),
            engine=under,
            tuning=BY_NAME["tuning"].read(tuning, "--tuning"),
            step_law=BY_NAME["step-law"].read(step_law, "--step-law"),
            engine_overhead=overhead,
        )
    )
    known = Known.of(on, served, under)
    if target is not None:
        write(target, bars_svg(replica_bars(found, known)) + "\n")
        return
    console.tell(as_json, envelope("profile show", profile=found), profile_text(found, console.width(), known))


@app.command("validate")
def validate(
    paths: Annotated[
        list[str], typer.Argument(metavar="FILES", help="measured runs: vllm bench, GuideLLM, aiperf, ... or a CSV")
    ],
    *,
    model: FileModel = None,
    gpu: FileGpu = None,
    engine: FileEngine = None,
    dtype: FileDtype = None,
    kv_dtype: FileKvDtype = None,
    tp: FileTp = None,
    step_law: LawOption = "kernels",
    output: Picture = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Print predicted against measured, per model and tensor parallelism, with a picture of every run."""
    import asyncio

    from fleettui.errors import InputError
    from fleettui.planning import profiles
    from fleettui.reports.chart_svg import chart_svg
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.question.keys import BY_NAME
    from fleettui.reports.question.run_setup import read_setup
    from fleettui.reports.validation_chart import FEWEST, validation_chart
    from fleettui.reports.validation_text import validation_text

    target = picture_target(output, force=force)
    said = {"model": model, "gpu": gpu, "engine": engine, "dtype": dtype, "kv-dtype": kv_dtype, "tp": tp}
    setup = read_setup(said)
    law = BY_NAME["step-law"].read(step_law, "--step-law")
    report = asyncio.run(profiles.validate(paths, setup=setup, step_law=law))
    if target is not None:
        chart = validation_chart(report)
        if chart is None:
            raise InputError("too few runs count for a picture", where=" ".join(paths), accepted=f"{FEWEST} or more")
        write(target, chart_svg(chart) + "\n")
        return
    console.tell(as_json, envelope("profile validate", report=report), validation_text(report, console.width()))


@app.command("fit")
def fit(
    paths: Annotated[list[str], typer.Argument(metavar="FILES", help="measured runs of your own servers")],
    *,
    name: Annotated[
        str | None, typer.Option("--name", metavar="prod", help="what the fit is called; default after the first file")
    ] = None,
    model: FileModel = None,
    gpu: FileGpu = None,
    engine: FileEngine = None,
    dtype: FileDtype = None,
    kv_dtype: FileKvDtype = None,
    tp: FileTp = None,
    step_law: LawOption = "kernels",
    as_json: AsJson = False,
) -> None:
    """Fit the steps of a law to your own bench runs: factor, constant, front end, and the band they leave."""
    import asyncio

    from fleettui.planning import calibrations
    from fleettui.reports.calibration_text import calibration_text
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.question.keys import BY_NAME
    from fleettui.reports.question.run_setup import read_setup

    said = {"model": model, "gpu": gpu, "engine": engine, "dtype": dtype, "kv-dtype": kv_dtype, "tp": tp}
    setup = read_setup(said)
    law = BY_NAME["step-law"].read(step_law, "--step-law")
    found = asyncio.run(calibrations.fit(paths, name=name, setup=setup, step_law=law))
    console.tell(as_json, envelope("profile fit", fit=found), calibration_text(found, console.width()))


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the fits that are kept, with their runs, error and day."""
    from fleettui.hardware import kept_fits
    from fleettui.reports.calibration_text import fits_table
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.table import render

    found = kept_fits.every()
    console.tell(as_json, envelope("profile list", fits=found), render(fits_table(found), console.width()))


@app.command("next")
def next_runs(
    ref: Annotated[str, typer.Argument(metavar="PLAN", help="a kept plan: handle, name, last, last~1")] = "last",
    *,
    workers: Workers = None,
    cluster: OnCluster = None,
    as_json: AsJson = False,
) -> None:
    """Say which bench runs of which servers would narrow a plan's answer most, and by how much."""
    from fleettui.cli.worker_progress import answer_from_store
    from fleettui.planning.next_points import next_points
    from fleettui.reports.next_points_text import next_points_json, next_points_text

    found = answer_from_store(
        lambda store, report, pool: next_points(store, ref, report=report, pool=pool), workers, cluster
    )
    console.tell(as_json, next_points_json(found), next_points_text(found, console.width()))
