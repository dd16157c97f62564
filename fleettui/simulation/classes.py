"""What is told of two classes of requests in a run, the interactive one and class batch, which waits behind it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.limit import BATCH, INTERACTIVE


def attainments(batch: NDArray[np.bool_], kept: NDArray[np.bool_]) -> tuple[tuple[str, float], ...]:
    """Return the share of each class that `kept` its limits, () where no request is of class `batch`."""
    classes = ((INTERACTIVE, ~batch), (BATCH, batch)) if batch.any() else ()
    return tuple((name, float(kept[own].mean())) for name, own in classes if own.any())
