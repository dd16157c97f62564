"""What can be planned with: the GPUs and models of the catalogue."""

from __future__ import annotations

from fleettui.domain.hardware import Gpu, Model
from fleettui.hardware import catalog


def gpus() -> tuple[Gpu, ...]:
    """Return every GPU of the catalogue, by name.

    >>> "h100" in [found.name for found in gpus()]
    True
    """
    return tuple(catalog.gpu(name) for name in catalog.gpu_names())


def gpu(name: str) -> Gpu:
    """Return the GPU called `name`; raises UnknownNameError, which lists the known ones."""
    return catalog.gpu(name)


def models() -> tuple[Model, ...]:
    """Return every model of the catalogue, by name."""
    return tuple(catalog.model(name) for name in catalog.model_names())


def model(name: str) -> Model:
    """Return the model called `name`, or that of a Hugging Face config.json on disk; raises InputError."""
    return catalog.model(name)
