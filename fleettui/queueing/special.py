"""The special functions of the formulas: scipy's compiled ones, without its package, which is longer loaded than used.

The package loads what it takes to work on other libraries' arrays, a sixth of a second in each worker; the functions
are the same objects.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fleettui.queueing.arrays import FloatArray

ComplexArray: TypeAlias = NDArray[np.complex128]
PACKAGE = "scipy.special"


def _compiled() -> ModuleType:
    """Return scipy's compiled functions, with an empty package around them while they are loaded, if none is yet."""
    name, spec = f"{PACKAGE}._ufuncs", find_spec(PACKAGE)
    if PACKAGE in sys.modules or spec is None:
        return import_module(name)
    sys.modules[PACKAGE] = module_from_spec(spec)
    try:
        return import_module(name)
    finally:
        del sys.modules[PACKAGE]


COMPILED = _compiled()

if TYPE_CHECKING:
    from scipy.special import (
        bdtrc,
        betainc,
        erf,
        expit,
        gammainc,
        gammaincc,
        gammaincinv,
        gammaln,
        ndtr,
        ndtri,
        stdtrit,
    )
else:
    bdtrc, betainc, erf, expit = COMPILED.bdtrc, COMPILED.betainc, COMPILED.erf, COMPILED.expit
    gammainc, gammaincc = COMPILED.gammainc, COMPILED.gammaincc
    gammaincinv, gammaln = COMPILED.gammaincinv, COMPILED.gammaln
    ndtr, ndtri, stdtrit = COMPILED.ndtr, COMPILED.ndtri, COMPILED.stdtrit


def lambertw(z: FloatArray) -> ComplexArray:
    """Return Lambert's W, its principal branch."""
    found: ComplexArray = COMPILED._lambertw(z, 0, 1e-8)
    return found


__all__ = [
    "bdtrc",
    "betainc",
    "erf",
    "expit",
    "gammainc",
    "gammaincc",
    "gammaincinv",
    "gammaln",
    "lambertw",
    "ndtr",
    "ndtri",
    "stdtrit",
]
