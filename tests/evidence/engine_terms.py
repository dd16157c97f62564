"""What engines add to their kernels, fitted to public runs: `python -m tests.evidence.engine_terms [FILE]`.

Of each engine those of its terms that are not 0 are fitted by least absolute errors of the time per output token, in
logarithms, of runs that are played as `fleettui profile validate` plays them but for what public runs of their server
took of their kernels' time; what a term changes is seen by playing them again. The front end is what then leaves the
least median error of the time to the first token. Printed are terms and front ends beside the shipped ones
(`fleettui/hardware/catalog/engines`).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import lsq_linear

from fleettui.domain.hardware import Model, StepTable
from fleettui.domain.validation import Comparison, MeasuredPoint
from fleettui.hardware import catalog
from fleettui.hardware.engine_terms import EngineTerms
from fleettui.hardware.measured import read_points
from fleettui.hardware.operators import Floats
from fleettui.hardware.validation import compare, replica_of
from fleettui.simulation.replayed_run import replayed_by
from tests.evidence import common
from tests.evidence.accuracy import PUBLIC

TERMS: Mapping[str, float] = {
    "layer": 4e-6,
    "expert_layer": 4e-6,
    "logit": 3e-11,
    "eager_least": 2e-5,
    "eager_extra": 3e-5,
    "factor": 0.03,
}
"""The terms that are fitted, and by how much each is changed to see what that does."""
NOTHING = EngineTerms(step=0.0, layer=0.0, logit=0.0)
"""What an engine adds that is nothing but its kernels."""
ROUNDS = 40
"""Times that runs are weighted anew by their errors."""
LEAST_MODELS = 3
SEEN = 1e-6
"""What a term is to change of the time of some run, relatively, for the runs to say anything of it."""
NEAR = 0.02
"""Errors below which runs weigh alike."""
SHOWN_LOGITS = 100_000
"""A vocabulary for which the time of a sequence is printed."""
FRONT_ENDS = np.arange(0.0, 0.12, 0.001)
"""Seconds in front of the GPU that are tried."""


@dataclass(frozen=True, slots=True)
class Held:
    """A played run held to its measurement.

    `error` is the logarithm of predicted over measured time per output token by the shipped terms, `slopes` what it
    grows by with each of TERMS, `behind` the predicted seconds to the first token without the front end.
    """

    comparison: Comparison
    error: float
    slopes: tuple[float, ...]
    behind: float

    @property
    def point(self) -> MeasuredPoint:
        """The run."""
        return self.comparison.point


@dataclass(frozen=True, slots=True)
class EngineFit:
    """The terms of an engine, and the seconds of a request in front of its GPU."""

    terms: EngineTerms
    front_end: float

    def error(self, run: Held) -> float:
        """Return the logarithm of predicted over measured time per output token of a run."""
        return run.error + float(np.dot(run.slopes, _changes(self.terms, _shipped(run.point.engine))))


def main(words: list[str] | None = None) -> int:
    """Print the terms; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.evidence.engine_terms",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", default=PUBLIC)
    found = held(parser.parse_args(words).file)
    rows = []
    for name, fit in fits(found).items():
        front_end = catalog.engine(name).front_end.request
        rows += [_row(f"{name} shipped", _shipped(name), front_end), _row("fitted", fit.terms, fit.front_end)]
    common.show(
        "what engines add to their kernels", ("engine", *(one.replace("_", " ") for one in TERMS), "front"), rows
    )
    return 0


def held(path: Path) -> list[Held]:
    """Return the runs of a file that count."""
    every, _ = compare(read_points(path).points, "kernels")
    return [_held(one) for one in every if one.state == "unsaturated"]


def _held(one: Comparison) -> Held:
    point = one.point
    step, blocks = replica_of(point, "kernels")
    assert isinstance(step, StepTable), "kernels are tabulated"
    shipped, model = _shipped(point.engine), catalog.model(point.model)
    front_end = catalog.engine(point.engine).front_end
    plain = replayed_by(one, step, blocks, front_end)

    def slope(term: str, more: float) -> float:
        if getattr(shipped, term) == getattr(NOTHING, term):
            return 0.0
        changed = replace(shipped, **{term: getattr(shipped, term) + more})
        other = replayed_by(one, with_terms(step, model, shipped, changed), blocks, front_end)
        return math.log(other.predicted_tpot / plain.predicted_tpot) / more

    slopes = tuple(slope(term, more) for term, more in TERMS.items())
    error = math.log(plain.predicted_tpot / point.tpot)
    return Held(one, error, slopes, plain.predicted_ttft - plain.front_end)


def fits(runs: Sequence[Held]) -> dict[str, EngineFit]:
    """Return the fit of every engine; one without runs keeps what is shipped.

    A version of which runs of fewer than LEAST_MODELS are known is fitted to those of its family.
    """
    return {name: _fit(name, _of(name, runs)) for name in catalog.names("engines")}


def _of(name: str, runs: Sequence[Held]) -> list[Held]:
    own = [one for one in runs if one.point.engine == name]
    if len({one.point.model for one in own}) >= LEAST_MODELS:
        return own
    family = catalog.engine(name).family
    return [one for one in runs if catalog.engine(one.point.engine).family == family]


def with_terms(table: StepTable, model: Model, before: EngineTerms, after: EngineTerms) -> StepTable:
    """Return the table of a model with other terms of its engine."""
    more = table.width * (after.sampling(model) - before.sampling(model))
    return replace(
        table,
        overhead=table.overhead + after.every_step(model) - before.every_step(model),
        linear=tuple(one * after.factor / before.factor for one in table.linear),
        fixed=tuple(one + more * count for one, count in zip(table.fixed, table.sequences, strict=True)),
        prompt_least=after.eager_least * model.layers,
        prompt_extra=after.eager_extra * model.layers,
    )


def _fit(name: str, runs: Sequence[Held]) -> EngineFit:
    shipped = _shipped(name)
    if not runs:
        return EngineFit(shipped, catalog.engine(name).front_end.request)
    plain = EngineFit(shipped, 0.0)
    errors, every = np.array([plain.error(one) for one in runs]), np.array([one.slopes for one in runs])
    own = [
        at
        for at, (term, more) in enumerate(TERMS.items())
        if getattr(shipped, term) != getattr(NOTHING, term) and np.abs(every[:, at]).max() * more > SEEN
    ]
    slopes, scale = every[:, own], np.abs(every[:, own]).max(axis=0)
    least = np.array([-getattr(shipped, list(TERMS)[at]) for at in own]) * scale
    weights, changes = np.ones(len(runs)), np.zeros(len(own))
    for _ in range(ROUNDS):
        root = np.sqrt(weights)
        changes = lsq_linear(root[:, np.newaxis] * slopes / scale, -root * errors, (least, np.inf)).x / scale
        weights = 1.0 / np.maximum(np.abs(errors + slopes @ changes), NEAR)
    found = {list(TERMS)[at]: more for at, more in zip(own, changes.tolist(), strict=True)}
    terms = replace(shipped, **{term: getattr(shipped, term) + more for term, more in found.items()})
    return EngineFit(terms, _front_end(runs, np.exp(slopes @ changes)))


def _front_end(runs: Sequence[Held], longer: Floats) -> float:
    """Return the seconds in front of the GPU, where steps take `longer` than by the shipped terms."""
    behind = np.array([one.behind for one in runs]) * longer
    seen = np.array([one.point.ttft for one in runs])
    errors = [float(np.median(np.abs((behind + one) / seen - 1.0))) for one in FRONT_ENDS]
    return float(FRONT_ENDS[int(np.argmin(errors))])


def _shipped(engine: str) -> EngineTerms:
    return catalog.engine(engine).terms


def _changes(terms: EngineTerms, shipped: EngineTerms) -> list[float]:
    return [getattr(terms, one) - getattr(shipped, one) for one in TERMS]


def _row(name: str, terms: EngineTerms, front_end: float) -> tuple[str, ...]:
    times = (terms.layer, terms.expert_layer, SHOWN_LOGITS * terms.logit, terms.eager_least, terms.eager_extra)
    return (name, *(f"{1e6 * one:.0f} us" for one in times), f"{terms.factor:.2f}", f"{1e3 * front_end:.0f} ms")


if __name__ == "__main__":
    sys.exit(main())
