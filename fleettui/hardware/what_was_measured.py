"""What was measured of the hardware: kernels by GPU and engine, and the models of the runs that the bands are of.

Loads neither numpy nor scipy, so that a list can say it at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from fleettui.hardware import records

BANDS = "catalog/bands.toml"
KERNEL_SUFFIX = ".json.gz"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one GPU: the engines under which its kernels were, and the models whose runs were."""

    engines: tuple[str, ...]
    models: tuple[str, ...]


def measured_of(gpu: str) -> Measured:
    """Return what was measured of the GPU called `gpu`, sorted by name.

    >>> measured_of("a100").engines
    ('sglang', 'trtllm', 'vllm')
    """
    runs = (models for (name, _), models in measured_models().items() if name == gpu)
    return Measured(
        engines=tuple(engine for name, engine in kernel_names() if name == gpu),
        models=tuple(sorted({model for models in runs for model in models})),
    )


@cache
def kernel_names() -> tuple[tuple[str, str], ...]:
    """Return the (GPU, engine) pairs whose kernels were measured, sorted."""
    found = (entry.name for entry in resources.files("fleettui.hardware").joinpath("kernels").iterdir())
    stems = sorted(name.removesuffix(KERNEL_SUFFIX) for name in found if name.endswith(KERNEL_SUFFIX))
    return tuple((gpu, engine) for gpu, _, engine in (stem.rpartition("-") for stem in stems))


@cache
def measured_models() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the models whose runs were measured, by (GPU, engine)."""
    tables = bands_record().tables("measured")
    return {(one.text("gpu"), one.text("engine")): one.texts("models") for one in tables}


def bands_record() -> records.Record:
    """Return the file of the bands, and of the runs that they are of."""
    return records.shipped(BANDS)
