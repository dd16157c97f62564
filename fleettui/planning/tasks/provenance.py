"""What made a number: versions of the program, its engine and its libraries, and the machine."""

from __future__ import annotations

import platform
from importlib.metadata import version

import numpy
import scipy

from fleettui.domain.plan import ENGINE_VERSION
from fleettui.domain.provenance import Provenance


def provenance() -> Provenance:
    """Return the provenance of whatever this process computes."""
    return Provenance(
        program_version=version("fleettui"),
        engine_version=ENGINE_VERSION,
        python=platform.python_version(),
        numpy=numpy.__version__,
        scipy=scipy.__version__,
        platform=f"{platform.system()} {platform.machine()}",
    )
