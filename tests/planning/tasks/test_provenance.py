import platform

import numpy as np
import scipy

from fleettui.domain.plan import ENGINE_VERSION
from fleettui.planning.tasks.provenance import provenance


def test_it_names_what_computed() -> None:
    found = provenance()
    assert (found.numpy, found.scipy) == (np.__version__, scipy.__version__)
    assert found.python == platform.python_version()
    assert found.engine_version == ENGINE_VERSION
    assert found.program_version
