"""What published runs of a server took of what its kernels say: an own fit's place where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from fleettui.domain.calibration import StepTerms
from fleettui.domain.dtype import DTYPES, Dtype
from fleettui.domain.hardware import Citation, Profile, StepCost, StepTable
from fleettui.hardware import records
from fleettui.hardware.own_fit import fitted_step

FILE = "catalog/public_runs.toml"
Key = tuple[str, str, str, Dtype]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicRuns:
    """So many `runs` of one GPU, engine, model and format, whose steps took `factor` of what their kernels say."""

    runs: int
    factor: float
    citation: Citation

    @property
    def words(self) -> str:
        """The runs in words."""
        return f"{self.runs} public runs took {self.factor:.2f} of their kernels' time"


@cache
def public_runs() -> Mapping[Key, PublicRuns]:
    """Return what is known of each (GPU, engine, model, format)."""
    record = records.shipped(FILE)
    citation = record.table("step").citation("step")
    found: dict[Key, PublicRuns] = {}
    for one in record.tables("servers"):
        key = one.text("gpu"), one.text("engine"), one.text("model"), one.word("dtype", DTYPES)
        found[key] = PublicRuns(runs=int(one.number("runs")), factor=one.number("factor"), citation=citation)
    return found


def as_run(step: StepCost | StepTable, key: Key) -> StepCost | StepTable:
    """Return a step as public runs of (GPU, engine, model, format) had it; the roofline's was held to none."""
    known = public_runs().get(key)
    if known is None or not isinstance(step, StepTable):
        return step
    return fitted_step(step, StepTerms(factor=known.factor), 1.0)


def corrected(profile: Profile, engine: str) -> Profile:
    """Return the profile of a server under an engine with its steps as public runs had them, where there are any."""
    key = profile.gpu, engine, profile.model, profile.dtype
    known, step = public_runs().get(key), as_run(profile.step, key)
    if known is None or step is profile.step:
        return profile
    told = f"{profile.evidence}, {known.words}"
    cited = (*profile.citations, known.citation)
    return replace(profile, step=step, evidence=told, citations=cited, public_factor=known.factor)
