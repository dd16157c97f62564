"""The functions are scipy's own, and its package can be loaded before them and after."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.special

from fleettui.queueing import special


@pytest.mark.parametrize("name", sorted(set(special.__all__) - {"lambertw"}))
def test_a_function_is_scipys(name: str) -> None:
    assert getattr(special, name) is getattr(scipy.special, name)


def test_lamberts_function_is_scipys_principal_branch() -> None:
    places = (-0.3, 0.0, 0.5, 1.0, 1e6, 1e300)
    assert special.lambertw(np.array(places)).tolist() == [scipy.special.lambertw(one) for one in places]


@pytest.mark.parametrize("first", ["fleettui.queueing.special", "scipy.special"])
def test_whichever_is_loaded_first_both_are_there(first: str) -> None:
    code = f"import {first}, sys; print('scipy.special' in sys.modules); from fleettui.queueing.special import ndtr; "
    code += "import scipy.special, scipy.stats; print(scipy.special.ndtr is ndtr, scipy.special._ufuncs.ndtr is ndtr)"
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.split() == [str(first == "scipy.special"), "True", "True"]


def test_formulas_leave_the_package_unloaded() -> None:
    code = "import fleettui.planning.tasks.plan, fleettui.planning.tasks.verification, sys; print(*sys.modules)"
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert "scipy.special" not in found.stdout.split()
