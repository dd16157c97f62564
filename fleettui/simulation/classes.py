"""What is told of two classes of requests in a run, the interactive one and class batch, which waits behind it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.limit import ALWAYS, BATCH, INTERACTIVE, Latency
from fleettui.domain.scenario import Slo


def further(slo: Slo, *, classed: bool) -> dict[str, Latency]:
    """Return by name the latencies that are told among further ones: the limited, and all of class batch if any is."""
    of_batch = [replace(metric.latency, batch=True) for metric in ALWAYS] if classed else []
    return {one.name: one for one in (*slo.own(), *of_batch)}


def attainments(batch: NDArray[np.bool_], kept: NDArray[np.bool_]) -> tuple[tuple[str, float], ...]:
    """Return the share of each class that `kept` its limits, () where no request is of class `batch`."""
    classes = ((INTERACTIVE, ~batch), (BATCH, batch)) if batch.any() else ()
    return tuple((name, float(kept[own].mean())) for name, own in classes if own.any())
