"""How far a profile's steps may be from what is predicted: factors that held-out runs gave, by what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from fleettui.domain.hardware import Citation, Model, StepCost, StepPart, StepTable
from fleettui.domain.uncertain import Factors, error_of
from fleettui.hardware.kernel_search import CARRIED, NONE, STANDING_IN
from fleettui.hardware.what_was_measured import bands_record, kernel_names, measured_models

LIKE_ITS_OWN = ("experts",)
"""Operators that the held-out runs, too, were timed for by kernels of a GPU of the same kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBand:
    """A class of evidence in `words`, and the factors (faster, slower) on step times that hold most held-out runs."""

    words: str
    factors: Factors
    citation: Citation

    @property
    def error(self) -> float:
        """The larger of what steps may take less and more, as a share of what is predicted."""
        return error_of(self.factors)


@cache
def bands() -> Mapping[str, ErrorBand]:
    """Return every class of evidence by its name, the best first."""
    record = bands_record()
    citation = record.citation("band")
    return {
        one.text("name"): ErrorBand(
            words=one.text("words"), factors=(one.number("faster"), one.number("slower")), citation=citation
        )
        for one in record.tables("classes")
    }


def band_of(gpu: str, model: Model, engine: str, step: StepCost | StepTable, *, pp: int = 1) -> ErrorBand:
    """Return the class of a step: how much of the GPU and the model under that engine was measured, without stages."""
    if model.latent_dimension and not _has_kernels(gpu):
        return bands()["runs" if measured_models().get((gpu, engine)) else "unlike"]
    if not isinstance(step, StepTable):
        return bands()["roofline"]
    if not _has_own_kernels(gpu, step):
        return bands()["datasheet"]
    return bands()["model" if pp == 1 and model.name in measured_models().get((gpu, engine), ()) else "kernels"]


def _has_own_kernels(gpu: str, step: StepTable) -> bool:
    """Return whether a step is made of kernels of that GPU, under whatever engine, in its own number formats."""
    return _has_kernels(gpu) and all(map(_is_own, step.parts))


def _has_kernels(gpu: str) -> bool:
    """Return whether any kernel of a GPU was measured."""
    return any(gpu == name for name, _ in kernel_names())


def _is_own(part: StepPart) -> bool:
    carried = part.evidence.startswith(CARRIED) and part.operator not in LIKE_ITS_OWN
    return not carried and part.evidence != NONE and STANDING_IN not in part.evidence
