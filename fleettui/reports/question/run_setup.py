"""What is said of the server of a file of measured runs, as it is typed: on the command line and in the app."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypedDict

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.validation import Setup
from fleettui.errors import UnknownNameError
from fleettui.hardware import catalog
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.question.text_forms import DTYPE, GPU, MODEL, TP

WORDS = ("model", "gpu", "engine", "dtype", "kv-dtype", "tp")


class _Said(TypedDict, total=False):
    model: str
    gpu: str
    engine: str
    dtype: Dtype
    kv_dtype: CacheDtype | None
    tp: int


def read_setup(said: Mapping[str, str | None]) -> Setup:
    """Return the setup that words by their names say; None and empty ones are not said.

    Raises UnknownNameError for another word, InputError for a value that is not known.

    >>> read_setup({"gpu": "H100", "tp": "4"})
    Setup(model=None, gpu='h100', engine=None, dtype=None, tp=4, kv_dtype=None)
    """
    for name in said:
        if name not in WORDS:
            raise UnknownNameError("word", name, WORDS)
    found: _Said = {}
    if model := said.get("model"):
        found["model"] = _in_catalogue(MODEL.read(model, "--model"), catalog.model, "--model")
    if gpu := said.get("gpu"):
        found["gpu"] = _in_catalogue(GPU.read(gpu, "--gpu"), catalog.gpu, "--gpu")
    if engine := said.get("engine"):
        found["engine"] = BY_NAME["engine"].read(engine, "--engine")
    if dtype := said.get("dtype"):
        found["dtype"] = DTYPE.read(dtype, "--dtype")
    if kv_dtype := said.get("kv-dtype"):
        found["kv_dtype"] = BY_NAME["kv-dtype"].read(kv_dtype, "--kv-dtype")
    if tp := said.get("tp"):
        found["tp"] = TP.read(tp, "--tp")
    return Setup(**found)


def _in_catalogue(name: str, known: Callable[[str], object], where: str) -> str:
    """Return a name that the catalogue or a file has; raises InputError for another."""
    try:
        known(name)
    except UnknownNameError as error:
        raise error.at(where) from None
    return name
