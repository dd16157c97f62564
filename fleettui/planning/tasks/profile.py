"""The tasks `profile-show` and `profile-validate`: one serving profile, and the roofline held to measurements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from fleettui.domain.hardware import Profile
from fleettui.domain.serialization import to_plain
from fleettui.domain.validation import Validation
from fleettui.hardware import catalog, validation
from fleettui.hardware.measured import read_points
from fleettui.hardware.profile import build_profile, no_price
from fleettui.planning.task_context import Context


def show(payload: dict[str, Any], context: Context) -> dict[str, Any]:
    """Return {"profile": ...} for `gpu`, `model`, `dtype`, `tp` and, in seconds a step, `engine_overhead`.

    A GPU without a price has a profile that costs nothing, and its note says so.
    """
    context.check()
    gpu = catalog.gpu(payload["gpu"])
    profile: Profile = build_profile(
        gpu,
        catalog.model(payload["model"]),
        dtype=payload["dtype"],
        tp=payload["tp"],
        engine_overhead=payload.get("engine_overhead"),
        price=None if gpu.price else 0.0,
    )
    if gpu.price is None:
        profile = replace(profile, price_note=no_price(gpu.name))
    return {"profile": to_plain(profile)}


def validate(payload: dict[str, Any], context: Context) -> dict[str, Any]:
    """Return {"validation": ...} for the benchmark runs in the CSV file at `path`."""
    context.progress(f"reading {payload['path']}")
    points = read_points(Path(payload["path"]))
    context.progress(f"predicting {len(points)} runs")
    compared = validation.compare(points)
    found = Validation(comparisons=compared, summaries=validation.summarize(compared))
    return {"validation": to_plain(found)}
