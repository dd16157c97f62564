"""How near runs are of which nothing was known: `python -m tests.evidence.held_out [FILE]`.

Measured kernels are as they are shipped; what was fitted to public runs is fitted anew without those that are
predicted: terms and front end of each engine (`tests/evidence/engine_terms.py`) and the factors of
`catalog/public_runs.toml`. Left out in turn are

- a configuration: a fifth of the lengths and parallelisms, of every server;
- a model: all runs of it;
- a GPU: all runs of it;
- a model of which two runs of each server are known, or --known, as `fleettui profile fit` has them, --draws times.

Every run is then played. Printed are the errors of TPOT and TTFT, and of capacities (clients at a limit) the shares
within a factor of 1.25 and in the range of the band that plans carry, beside the bars; exit 1 where one is not met.
The range is to hold those that TPOT limits and those that TTFT limits: waits in front of the first token are doubted
beside the steps (`fleettui.domain.uncertain.WAITS`).
Which terms an engine has, its settings in the bench and the time of a token in its API process are not fitted anew.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fleettui.domain.calibration import StepTerms
from fleettui.domain.capacity_cells import CapacityCell, capacity_cells
from fleettui.domain.hardware import StepTable
from fleettui.domain.uncertain import Factors, factors_within
from fleettui.domain.validation import Comparison, MeasuredPoint, State
from fleettui.hardware import catalog
from fleettui.hardware.calibration import RunLaw, fit_points
from fleettui.hardware.engine_record import FrontEnd
from fleettui.hardware.error_band import bands
from fleettui.hardware.own_fit import fitted_step
from fleettui.hardware.public_runs import Key
from fleettui.hardware.validation import replica_of
from fleettui.simulation.played_law import played_law
from fleettui.simulation.replayed_run import replayed_by
from tests.evidence import common
from tests.evidence.accuracy import ERRORS, PUBLIC, TITLES, Accuracy, told, words_of
from tests.evidence.engine_terms import EngineFit, Held, fits, held, with_terms
from tests.evidence.public_runs import factors_of, key_of, part_of

SPARE = 3
"""Runs that a server must have beside those that are known of it."""
IN_RANGE = 0.85
METRICS = ("TPOT", "TTFT")
LARGEST_BAND = 0.9
"""Relative error beyond which a fit's band is cut: plans refuse such a fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What a row is to reach: the most that errors may be, the least share of capacities that are close."""

    tpot: float
    tpot_p90: float
    ttft: float
    close: float


SAME = Bar(tpot=0.09, tpot_p90=0.28, ttft=0.25, close=0.60)
UNSEEN = Bar(tpot=0.14, tpot_p90=0.38, ttft=0.30, close=0.52)
OWN = Bar(tpot=0.06, tpot_p90=0.23, ttft=0.20, close=0.72)


@dataclass(frozen=True, slots=True)
class Play:
    """A run to play on given steps and blocks behind a front end; one that was known is no prediction."""

    comparison: Comparison
    table: StepTable
    blocks: int
    front_end: FrontEnd
    was_known: bool = False


Plays = Sequence[Play]


@dataclass(frozen=True, slots=True)
class Known:
    """What runs say: terms and front end of every engine, and what servers took of their kernels' time."""

    engines: Mapping[str, EngineFit]
    factors: Mapping[Key, float]

    @classmethod
    def of(cls, runs: Sequence[Held]) -> Known:
        """Return what is known by some runs."""
        engines = fits(runs)
        ratios = ((key_of(one.comparison), -engines[one.point.engine].error(one)) for one in runs)
        return cls(engines, {key: factor for key, (_, factor) in factors_of(ratios).items()})

    def with_terms(self, table: StepTable, point: MeasuredPoint) -> StepTable:
        """Return the shipped table of a run's server with its engine's terms."""
        shipped, model = catalog.engine(point.engine).terms, catalog.model(point.model)
        return with_terms(table, model, shipped, self.engines[point.engine].terms)

    def in_front(self, point: MeasuredPoint) -> float:
        """Return the seconds of a request in front of its server's steps."""
        return self.engines[point.engine].front_end

    def law_of(self, one: Comparison, most: int) -> RunLaw:
        """Return what the law says of a run, of whose server up to so many clients were run."""
        step, blocks = replica_of(one.point, "kernels")
        assert isinstance(step, StepTable), "kernels are tabulated"
        in_front = catalog.engine(one.point.engine).front_end
        return played_law(one, self.with_terms(step, one.point), blocks, in_front, most)

    def play(self, one: Comparison, band: Factors) -> Play:
        """Return a run to play as all this has it, with a band."""
        point = one.point
        step, blocks = replica_of(point, "kernels")
        assert isinstance(step, StepTable), "kernels are tabulated"
        table = fitted_step(self.with_terms(step, point), StepTerms(factor=self.factors.get(key_of(one), 1.0)), 1.0)
        assert isinstance(table, StepTable), "kernels are tabulated"
        in_front = catalog.engine(point.engine).front_end
        front_end = replace(in_front, request=self.engines[point.engine].front_end)
        return Play(replace(one, band=band), table, blocks, front_end)


def main(words: list[str] | None = None) -> int:
    """Print the table; return 0 when every bar is met."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.evidence.held_out",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", default=PUBLIC)
    parser.add_argument("--draws", type=common.count, default=4)
    parser.add_argument("--known", type=common.count, default=2)
    parser.add_argument("--jobs", type=common.count, default=common.cores())
    asked = parser.parse_args(words)
    runs = held(asked.file)
    unseen = bands()["kernels"].factors
    models, gpus = (_groups(runs, key) for key in (lambda one: one.point.model, lambda one: one.point.gpu))
    parts = _groups(runs, lambda one: part_of(one.point))
    draw = random.Random(1)
    ways = (
        ("configuration", SAME, [_left_out(runs, parts, bands()["model"].factors)]),
        ("model", UNSEEN, [_left_out(runs, models, unseen)]),
        ("GPU", UNSEEN, [_left_out(runs, gpus, unseen)]),
        (
            f"model, {asked.known} runs known",
            OWN,
            [_some_known(runs, models, asked.known, draw) for _ in range(asked.draws)],
        ),
    )
    rows, by_limit, checks = [], [], []
    for name, bar, draws in ways:
        found = [_played(one, asked.jobs) for one in draws]
        own = [done for one in found for task, done in one if not task.was_known]
        cells = [cell for one in found for cell in capacity_cells(done for _, done in one)]
        near = told(own, cells)
        rows.append((name, *words_of(near)))
        shares = [_in_range(cells, metric) for metric in METRICS]
        by_limit.append((name, *(f"{share:.1%}" for share in shares)))
        checks += _checks(name, near, bar)
        checks += [
            (
                f"{name}: capacities that {metric} limits in range {share:.1%}, at least {IN_RANGE:.0%}",
                share >= IN_RANGE,
            )
            for metric, share in zip(METRICS, shares, strict=True)
        ]
    common.show(ERRORS, ("left out", *TITLES), rows)
    common.show("capacities in the range, by what limits them", ("left out", *METRICS), by_limit)
    return common.verdict(checks)


def _groups(runs: Sequence[Held], key: Callable[[Held], object]) -> list[list[Held]]:
    found: dict[object, list[Held]] = {}
    for one in runs:
        found.setdefault(key(one), []).append(one)
    return list(found.values())


def _left_out(runs: Sequence[Held], groups: Iterable[Sequence[Held]], band: Factors) -> Plays:
    """Return the runs of every group as the others have them."""
    return [known.play(one.comparison, band) for group in groups for known in [_without(runs, group)] for one in group]


def _without(runs: Sequence[Held], group: Sequence[Held]) -> Known:
    left = set(map(id, group))
    return Known.of([one for one in runs if id(one) not in left])


def _some_known(runs: Sequence[Held], groups: Iterable[Sequence[Held]], count: int, draw: random.Random) -> Plays:
    """Return the runs of every server of each group as some of its own have them, beside those of other groups."""
    found: list[Play] = []
    for group in groups:
        known = _without(runs, group)
        for server in _groups(group, lambda one: one.point.server_key):
            if len(server) >= count + SPARE:
                found += _fitted(known, server, {id(one) for one in draw.sample(server, count)})
    return found


def _fitted(known: Known, server: Sequence[Held], chosen: Container[int]) -> Plays:
    own = {id(one.point): one for one in server if id(one) in chosen}
    most = max(one.point.concurrency for one in own.values())

    def read(point: MeasuredPoint) -> tuple[State, Callable[[], RunLaw]]:
        one = own[id(point)].comparison
        return one.state, partial(known.law_of, one, most)

    ((fit,), _) = fit_points([one.point for one in own.values()], read, known.in_front)
    band = fit.step_factors if fit.band < 1 else factors_within(LARGEST_BAND)
    tasks = []
    for one in server:
        plain = known.play(one.comparison, band)
        step = fitted_step(plain.table, fit.terms, fit.envelope.clients[1])
        assert isinstance(step, StepTable), "kernels are tabulated"
        front = plain.front_end if fit.front_end is None else replace(plain.front_end, request=fit.front_end)
        tasks.append(replace(plain, table=step, front_end=front, was_known=id(one) in chosen))
    return tasks


def _played(plays: Plays, jobs: int) -> list[tuple[Play, Comparison]]:
    """Return every run with what it is as the engine plays it."""
    done = dict(common.work(partial(_play, plays), range(len(plays)), jobs))
    return [(task, done[place]) for place, task in enumerate(plays)]


def _play(plays: Plays, place: int) -> Comparison:
    task = plays[place]
    return replayed_by(task.comparison, task.table, task.blocks, task.front_end)


def _in_range(cells: Sequence[CapacityCell], metric: str) -> float:
    """Return the share of the capacities that a metric limits whose range holds them."""
    own = [one.is_in_range for one in cells if one.metric == metric]
    return sum(own) / len(own)


def _checks(name: str, near: Accuracy, bar: Bar) -> list[tuple[str, bool]]:
    """Return each figure beside its bar, and whether that is met."""
    most = (("TPOT in the median", near.tpot, bar.tpot), ("TPOT at 90 %", near.tpot_p90, bar.tpot_p90))
    least = (("capacities close", near.close, bar.close), ("capacities in range", near.in_range, IN_RANGE))
    return [
        *((f"{name}: {word} {value:.1%}, at most {limit:.0%}", value <= limit) for word, value, limit in most),
        (f"{name}: TTFT in the median {near.ttft:.1%}, at most {bar.ttft:.0%}", near.ttft <= bar.ttft),
        *((f"{name}: {word} {value:.1%}, at least {limit:.0%}", value >= limit) for word, value, limit in least),
    ]


if __name__ == "__main__":
    sys.exit(main())
