"""What made a number: versions of the program, its engine and its libraries, and the machine."""

from __future__ import annotations

import platform
from importlib.metadata import version

from fleettui.domain.plan import ENGINE_VERSION
from fleettui.domain.provenance import Provenance


def provenance() -> Provenance:
    """Return the provenance of whatever this process computes."""
    return Provenance(
        program_version=version("fleettui"),
        engine_version=ENGINE_VERSION,
        python=platform.python_version(),
        numpy=version("numpy"),
        scipy=version("scipy"),
        platform=f"{platform.system()} {platform.machine()}",
    )
