"""The catalogue by name: GPUs, models and serving engines, one cited TOML file each, known by being there.

Loads neither numpy nor scipy, so that a command line can list names at once.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from fleettui.domain.hardware import Gpu, Model
from fleettui.errors import UnknownNameError
from fleettui.hardware import records
from fleettui.hardware.model_config import read_model
from fleettui.hardware.records import Engine, Record

SUFFIX = ".toml"


def folder(kind: str) -> Traversable:
    """Return the catalogue folder of `kind`: gpus, models, engines or paper."""
    return resources.files("fleettui.hardware").joinpath("catalog", kind)


@cache
def names(kind: str) -> tuple[str, ...]:
    """Return the sorted names in a catalogue folder: its TOML files without their suffix."""
    found = (entry.name for entry in folder(kind).iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX)))


LISTINGS = {"gpus": "fleettui gpu list", "models": "fleettui model list"}
"""The commands that show what a folder of the catalogue holds."""


def record(kind: str, singular: str, name: str) -> Record:
    """Return the parsed file of `name`; raises UnknownNameError, listing the known names, when there is none."""
    if name not in names(kind):
        raise UnknownNameError(singular, name, names(kind), listing=LISTINGS.get(kind, ""))
    text = folder(kind).joinpath(name + SUFFIX).read_text("utf-8")
    return records.parse(text, f"catalog/{kind}/{name}{SUFFIX}")


def gpu_names() -> tuple[str, ...]:
    """Return the names of all known GPUs, sorted.

    >>> "h100" in gpu_names()
    True
    """
    return names("gpus")


def model_names() -> tuple[str, ...]:
    """Return the names of all known models, sorted."""
    return names("models")


def engine_names() -> tuple[str, ...]:
    """Return the names of all known serving engines, sorted."""
    return names("engines")


def gpus() -> tuple[Gpu, ...]:
    """Return every known GPU, by name."""
    return tuple(gpu(name) for name in gpu_names())


def models() -> tuple[Model, ...]:
    """Return every known model, by name."""
    return tuple(model(name) for name in model_names())


@cache
def gpu(name: str) -> Gpu:
    """Return the GPU called `name`; raises UnknownNameError."""
    return records.gpu_from(record("gpus", "GPU", name))


@cache
def engine(name: str) -> Engine:
    """Return the serving engine called `name`; raises UnknownNameError."""
    return records.engine_from(record("engines", "engine", name))


def model(name: str) -> Model:
    """Return the model called `name`, or the one of a Hugging Face config.json on disk.

    Whatever holds a path separator or ends in .json is a path; a folder stands for the config.json in it.
    Raises UnknownNameError for an unknown name and InputError for a file that cannot be used.
    """
    if "/" in name or "\\" in name or name.endswith(".json"):
        return read_model(Path(name))
    return _model(name)


@cache
def _model(name: str) -> Model:
    return records.model_from(record("models", "model", name))
