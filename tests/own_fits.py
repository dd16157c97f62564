"""A fit to a server's own runs, and how it is kept for a test."""

from __future__ import annotations

from typing import Any

from fleettui.domain.calibration import Calibration, Envelope, ServerFit, Source
from fleettui.domain.serialization import dumps
from fleettui.hardware.kept_fits import path_of_fit

SERVER = ServerFit(
    gpu="h100",
    model="llama-3.1-70b",
    engine="vllm",
    dtype="fp8",
    tp=4,
    points=10,
    configurations=5,
    factor=1.2,
    constant=0.002,
    context_slope=1.0,
    prompt_slope=1.0,
    front_end=0.031,
    band=0.25,
    band_source="held-out",
    held_out=10,
    uncalibrated=0.11,
    untold=(),
    envelope=Envelope(clients=(1, 64), prompt_tokens=(512, 1024), output_tokens=(256, 512), context_tokens=(768, 1536)),
)
FIT = Calibration(
    name="prod",
    step_law="kernels",
    servers=(SERVER,),
    sources=(Source(path="bench.json", digest="ab" * 32, format="vllm-bench", points=10),),
    skipped=(),
)


def keep(fit: Calibration = FIT) -> Calibration:
    """Keep a fit in the test's own folder, and return it."""
    path = path_of_fit(fit.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dumps(fit), "utf-8")
    return fit


def forget(fit: Calibration = FIT) -> None:
    """Remove a fit, as if another machine were looked at."""
    path_of_fit(fit.name).unlink()


def values(**changes: Any) -> dict[str, Any]:
    """Return what makes a `Question` of the fit's server, cheap to answer."""
    return {"model": "llama-3.1-70b", "dtype": "fp8", "gpus": ("h100",), "step_law": "kernels", "fit": FIT} | changes
