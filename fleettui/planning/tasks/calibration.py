"""The tasks `calibration-fit` and `-refusal`: a law fitted to the runs of files, and whether plans take the fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fleettui.domain.calibration import Calibration, ServerFit, Source
from fleettui.domain.hardware import Profile, StepLaw
from fleettui.domain.server import ServerKey
from fleettui.domain.validation import Setup
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.calibration import by_formula, fit_points
from fleettui.hardware.measured import counted
from fleettui.hardware.measured.base import Skipped
from fleettui.hardware.own_fit import usable_step
from fleettui.hardware.profile import build_profile
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.measured_files import read_files
from fleettui.planning.tasks.verification import make_ready
from fleettui.simulation.played_law import by_play


def fit(context: Context, *, name: str, paths: tuple[str, ...], setup: Setup, step_law: StepLaw) -> Calibration:
    """Return the fit called `name` of a law to the runs in the files at `paths`; `setup` says what they do not.

    A file whose bytes are those of one before it counts once. One that holds no run that can be used is left out where
    others do, and told with why.
    """
    runs = read_files(paths, setup, context.progress)
    skipped = [*runs.skipped]
    points = [one for reading in runs.readings.values() for one in reading.points]
    context.progress(f"fitting {len(points)} runs")
    if step_law == "kernels":
        make_ready(context.progress)
    laws = by_play(points) if step_law == "kernels" else by_formula(step_law)
    found, unfitted = fit_points(points, laws)
    servers, refused = _usable(found, name, step_law)
    unused = {id(one): refused[one.server_key] for one in points if one.server_key in refused}
    unused |= {id(one): why for one, why in unfitted}
    sources: list[Source] = []
    for path, reading in runs.readings.items():
        own = [Skipped(line=one.line, why=unused[id(one)]) for one in reading.points if id(one) in unused]
        skipped += [Skipped(line=one.line, why=f"{path}: {one.why}") for one in (*reading.skipped, *own)]
        used = len(reading.points) - len(own)
        sources.append(Source(path=path, digest=reading.digest, format=reading.format, points=used))
    return Calibration(
        name=name, step_law=step_law, servers=tuple(servers), sources=tuple(sources), skipped=counted(skipped)
    )


def refusal(context: Context, *, fit: Calibration) -> str:
    """Return why plans would refuse a fit, empty where they take it."""
    context.check()
    refused = _refused(fit.servers, fit.name, fit.step_law)
    return next((one.said for one in refused.values()), "")


def _usable(found: Iterable[ServerFit], name: str, step_law: StepLaw) -> tuple[list[ServerFit], dict[ServerKey, str]]:
    """Return the fits that plans take, and why they would refuse the others; raises InputError where they take none."""
    every = tuple(found)
    refused = _refused(every, name, step_law)
    if len(refused) == len(every):
        raise next(iter(refused.values()))
    servers = [
        replace(one, unfitted=_profile(one, step_law).step_factors) for one in every if one.server_key not in refused
    ]
    return servers, {key: one.said for key, one in refused.items()}


def _refused(servers: Iterable[ServerFit], name: str, step_law: StepLaw) -> dict[ServerKey, InputError]:
    """Return why plans would refuse those of the fits of servers that they would."""
    found: dict[ServerKey, InputError] = {}
    for one in servers:
        try:
            usable_step(_profile(one, step_law), one, name)
        except InputError as error:
            found[one.server_key] = error
    return found


def _profile(one: ServerFit, step_law: StepLaw) -> Profile:
    """Return the profile of a fitted server as its engine comes, without a price."""
    return build_profile(
        catalog.gpu(one.gpu),
        catalog.model(one.model),
        dtype=one.dtype,
        tp=one.tp,
        engine=one.engine,
        price=0.0,
        step_law=step_law,
        kv_dtype=one.kv_dtype,
        expert_parallel=one.expert_parallel,
        attention_dp=one.attention_dp,
        pp=one.pp,
        layout=one.layout,
    )
