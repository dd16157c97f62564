"""The tasks of a backtest: what a fleet's replications predict of some figures, and how a constant explains others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from fleettui.domain.backtest import (
    MOVED_TERMS,
    STEP_TIMES,
    Band,
    Constant,
    Corrected,
    Expected,
    Figure,
    Fit,
    Row,
    Seen,
)
from fleettui.domain.calibration import StepTerms
from fleettui.domain.fleet import WATERMARK, Fleet, Pool
from fleettui.domain.hardware import Profile
from fleettui.domain.simulation import PoolLength, Replication, Traffic
from fleettui.errors import InputError
from fleettui.hardware.own_fit import fitted_step
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of
from fleettui.planning.tasks.verification import make_ready
from fleettui.simulation import run
from fleettui.simulation.fleet_figures import figure

Floats = NDArray[np.float64]

GRID = tuple(np.geomspace(1 / 3, 3.0, 9))
"""Factors that a short look is taken at."""
CLOSE = 0.002
"""How near the logarithm of the factor is found."""
EVALUATIONS = 14
RUNS = 2
"""Replications that each factor is tried with, on the same draws as the unmoved fleet."""
MOST = 50_000
"""Requests that are measured in each of them at first."""
NEAR = 25.0
"""Misfit per figure below which a constant may be the one, and is tried at full length."""
REACH = 0.03
"""How far from the first found logarithm it is then looked for."""
LEAST_ERROR = 0.002
"""Standard error of a logarithm below which a figure is not believed: the simulation is no nearer to an engine."""
STEP = 0.02
CONFIDENCE = 0.95
NORMAL = float(special.ndtri((1.0 + CONFIDENCE) / 2.0))


def predict(
    context: Context,
    *,
    fleet: Fleet,
    replications: tuple[Replication, ...],
    seen: tuple[Seen, ...],
    probes: tuple[Figure, ...],
    window: float,
) -> Expected:
    """Hold what was `seen` to `replications` of `fleet`; `window` is the seconds over which it was seen.

    A seen value is uncertain as one such window of the simulation would be, and by the digits that its text has. Of
    the figures `probes` those remain that some request shows.
    """
    context.check()
    shown = tuple(one for one in probes if all(figure(each, fleet, one) for each in replications))
    return Expected(
        rows=tuple(_row(one, replications, fleet, window) for one in seen),
        probes=shown,
        others=tuple(float(np.mean(_values(replications, fleet, one))) for one in shown),
    )


def fit(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    lengths: tuple[PoolLength, ...],
    look: tuple[PoolLength, ...],
    seed: int,
    expected: Expected,
    constant: Constant,
) -> Fit:
    """Move one `constant` of `fleet` until the rows that are `expected` fit; its last figures are those of the probes.

    `lengths` and `look` are those of its replications, `seed` their root.
    """
    scene = scene_of(source)
    make_ready(context.progress)
    fixed, profiles = scene.resize(fleet, [pool.replicas for pool in fleet.pools])
    trial = _Trial(
        constant=constant,
        scene=scene,
        fleet=fleet,
        hardware=tuple(
            (_unlimited(profile), figures.batch) if pool.profile.by_kernels else None
            for pool, profile, figures in zip(fleet.pools, profiles, fixed.candidate.pools, strict=True)
        ),
        traffic=fixed.traffic,
        lengths=lengths,
        seed=seed,
        rows=expected.rows,
        wanted=(*(row.figure for row in expected.rows), *expected.probes),
        predicted=np.array([*(row.predicted.value for row in expected.rows), *expected.others]),
        context=context,
    )
    return trial.fit(look)


def correct(context: Context, *, source: SceneSource, fleet: Fleet, constant: Constant, factor: float) -> Corrected:
    """Return `fleet` and its hardware with one `constant` of theirs multiplied by `factor`."""
    context.check()
    fixed, profiles = scene_of(source).resize(fleet, [pool.replicas for pool in fleet.pools], ranged=False)
    pairs = zip(profiles, fixed.candidate.pools, strict=True)
    own = {one.replica_key: moved_profile(one, constant, factor, figures.batch) for one, figures in pairs}
    pools = tuple(moved(pool, constant, factor) for pool in fleet.pools)
    return Corrected(fleet=replace(fleet, pools=pools), profiles=tuple(own.values()))


def _values(found: Sequence[Replication], fleet: Fleet, wanted: Figure) -> list[float]:
    values = [figure(one, fleet, wanted) for one in found]
    known = [value for value in values if value]
    if len(known) < len(values):
        raise InputError("no request of this fleet shows it", value=wanted.metric)
    return known


def _row(seen: Seen, found: Sequence[Replication], fleet: Fleet, window: float) -> Row:
    values = _values(found, fleet, seen.figure)
    runs, mean = len(values), float(np.mean(values))
    known = float(np.std(values, ddof=1)) / mean / math.sqrt(runs)
    half = float(special.stdtrit(runs - 1, (1.0 + CONFIDENCE) / 2.0)) * known
    windowed = math.sqrt(_second(found, fleet, seen.figure) / window) / mean
    digits = math.log(seen.high / seen.low) / math.sqrt(12.0)
    own = math.hypot(windowed, digits)
    return Row(
        figure=seen.figure,
        predicted=Band(value=mean, low=mean * (1.0 - half), high=mean * (1.0 + half)),
        seen=_around(seen.value, own),
        error=math.hypot(own, known, LEAST_ERROR),
    )


def _second(found: Sequence[Replication], fleet: Fleet, wanted: Figure) -> float:
    """Return the variance that a figure would have between windows of a second, as far as one could be so short.

    Pools that were run by themselves, each for a time of its own, add what each alone makes the figure vary; those of
    a closed loop were run together.
    """
    first, variance = found[0], 0.0
    for seconds in {pool.duration for pool in first.pools}:
        own = [pool.duration == seconds for pool in first.pools]
        moving = [
            replace(
                first, pools=tuple(pool if moves else still for pool, still, moves in zip(*pools, own, strict=True))
            )
            for pools in ((one.pools, first.pools) for one in found)
        ]
        variance += seconds * float(np.var(_values(moving, fleet, wanted), ddof=1))
    return variance


def _around(value: float, error: float) -> Band:
    """Return the 95 % interval of a value whose logarithm has this standard error."""
    reach = math.exp(NORMAL * error)
    return Band(value=value, low=value / reach, high=value * reach)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    """A fleet whose one constant is moved: its figures relative to those of the unmoved one on the same draws.

    `hardware` is each pool's with the sequences that a replica runs, where its steps are by kernels.
    """

    constant: Constant
    scene: Scene
    fleet: Fleet
    hardware: tuple[tuple[Profile, float] | None, ...]
    traffic: Traffic
    lengths: tuple[PoolLength, ...]
    seed: int
    rows: tuple[Row, ...]
    wanted: tuple[Figure, ...]
    predicted: Floats
    context: Context

    def fit(self, look: tuple[PoolLength, ...]) -> Fit:
        """Return the best factor: a coarse look over all, a search between the neighbours, and one at full length."""
        logs = np.log([factor for factor in GRID if factor > self._least()])
        quick = replace(self, lengths=look)
        start = quick.simulated(0.0, 1)
        best = int(np.argmin([quick.misfit(quick.figures(x, start)) for x in logs]))
        short = replace(self, lengths=tuple(replace(one, measured=min(one.measured, MOST)) for one in self.lengths))
        found = short.best(logs[max(best - 1, 0)], logs[min(best + 1, len(logs) - 1)])
        if short.lengths != self.lengths and found.misfit <= NEAR * len(self.rows):
            middle = math.log(found.factor.value)
            found = self.best(max(middle - REACH, logs[0]), min(middle + REACH, logs[-1]))
        at = math.log(found.factor.value)
        return replace(found, bounded=bool(min(at - logs[0], logs[-1] - at) < 2 * CLOSE))

    def best(self, low: float, high: float) -> Fit:
        """Return the best factor whose logarithm lies between the two."""
        start = self.simulated(0.0, RUNS)
        search = optimize.minimize_scalar(
            lambda x: self.misfit(self.figures(x, start)),
            bounds=(low, high),
            method="bounded",
            options={"xatol": CLOSE, "maxiter": EVALUATIONS},
        )
        at = float(search.x)
        figures, beside = self.figures(at, start), self.figures(at + STEP, start)
        return Fit(
            constant=self.constant,
            factor=_around(math.exp(at), self._error(figures, beside)),
            misfit=self.misfit(figures),
            figures=tuple(figures.tolist()),
        )

    def misfit(self, figures: Floats) -> float:
        """Return the squares of what is left between the figures and what was seen, in units of the errors."""
        return float(sum((math.log(row.seen.value / value) / row.error) ** 2 for row, value in self._pairs(figures)))

    def figures(self, log_factor: float, start: Floats) -> Floats:
        """Return the predicted figures with the constant moved; `start` are those simulated with it unmoved."""
        runs = len(start)
        change: Floats = np.mean(np.log(self.simulated(log_factor, runs) / start), axis=0)
        return self.predicted * np.exp(change)

    def simulated(self, log_factor: float, runs: int) -> Floats:
        """Return the figures, one row per replication, with the constant multiplied by exp(log_factor)."""
        factor = math.exp(log_factor)
        fleet, hardware, traffic = self._moved(factor), self._moved_hardware(factor), self.traffic
        if self.constant == "arrival rate":
            pools = (replace(pool, arrival_rate=pool.arrival_rate * factor) for pool in traffic.pools)
            traffic = replace(traffic, pools=tuple(pools))
        found = []
        for index in range(runs):
            self.context.check()
            one = run.replicate(
                fleet,
                traffic,
                self.lengths,
                profiles=hardware,
                slo=self.scene.question.slo,
                seed=self.seed,
                index=index,
            )
            found.append([_values([one], fleet, wanted)[0] for wanted in self.wanted])
        return np.array(found)

    def _moved(self, factor: float) -> Fleet:
        return replace(self.fleet, pools=tuple(moved(pool, self.constant, factor) for pool in self.fleet.pools))

    def _moved_hardware(self, factor: float) -> list[Profile | None]:
        """Return the hardware whose kernels are the pools' steps, moved; None where a pool's own times are."""
        return [one and moved_profile(one[0], self.constant, factor, one[1]) for one in self.hardware]

    def _least(self) -> float:
        """Return the factor below which some pool could not hold its longest request."""
        if self.constant != "KV blocks":
            return 0.0
        tokens = [max(prompt + output for _, prompt, output in own.atoms) for own in self.traffic.pools]
        pairs = zip(tokens, self.fleet.pools, strict=True)
        return max(
            (one / pool.profile.block_size + 2) / (1.0 - WATERMARK) / pool.profile.kv_blocks for one, pool in pairs
        )

    def _error(self, figures: Floats, beside: Floats) -> float:
        """Return the standard error of the logarithm of the factor: how far the figures' errors let it move."""
        slopes = np.log(beside / figures)[: len(self.rows)] / STEP
        weight = float(sum((slope / row.error) ** 2 for slope, row in zip(slopes, self.rows, strict=True)))
        return min(1.0 / math.sqrt(weight), 1.0) if weight else 1.0

    def _pairs(self, figures: Floats) -> list[tuple[Row, float]]:
        return list(zip(self.rows, figures[: len(self.rows)].tolist(), strict=True))


def _unlimited(profile: Profile) -> Profile:
    """Return hardware whose peaks nothing reaches: a moved engine may be faster than its own."""
    return replace(profile, peak=math.inf, bandwidth=math.inf)


def moved_profile(profile: Profile, constant: Constant, factor: float, sequences: float) -> Profile:
    """Return hardware whose steps are by kernels, of so many sequences, with a constant multiplied by `factor`."""
    moved_by = MOVED_TERMS.get(constant)
    terms = StepTerms() if moved_by is None else moved_by(factor)
    return replace(profile, step=fitted_step(profile.step, terms, clients=sequences))


def moved(pool: Pool, constant: Constant, factor: float) -> Pool:
    """Return a pool with a constant of its profile multiplied by `factor`; the arrival rate is none of them."""
    profile = pool.profile
    if constant == "KV blocks":
        return replace(pool, profile=replace(profile, kv_blocks=max(1, round(profile.kv_blocks * factor))))
    changes = {name: getattr(profile, name) * factor for name in STEP_TIMES.get(constant, ())}
    return replace(pool, profile=replace(profile, **changes))
