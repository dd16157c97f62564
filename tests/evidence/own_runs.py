"""How far a fit to few runs of a server is from its other runs, over public servers.

    python -m tests.evidence.own_runs FILE [--runs 2,4,8] [--draws 20] [--step-law kernels]

FILE holds measured runs of many servers. Of each, so many are drawn at random and fitted, and the others predicted: the
error of their time between tokens in the median, of four of five and of nine of ten, that of the law without a fit, and
the share that lies within the fit's band. Then each server is fitted to all of its runs, and the steps that a plan
makes of that are held to the fit's own predictions; how many fits are refused, since by them the hardware does more
than it can, is said too.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from fleettui.domain.calibration import Calibration, ServerFit
from fleettui.domain.hardware import StepCost, StepLaw
from fleettui.domain.validation import MeasuredPoint
from fleettui.hardware.calibration import Laws, RunLaw, by_formula, fit_points, predicted
from fleettui.hardware.measured import read_points
from fleettui.hardware.own_fit import fitted_step
from fleettui.hardware.validation import compare, compare_point, engine_of, loop_of, replica_of
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.calibration import refusal
from fleettui.simulation.played_law import by_play
from fleettui.simulation.replayed_run import replayed_by
from tests.evidence import common

SPARE = 3
"""Runs that a server must have beyond those that are fitted."""


def servers(file: Path, law: StepLaw) -> list[list[MeasuredPoint]]:
    """Return the runs of each server of a file that count."""
    found: dict[tuple[object, ...], list[MeasuredPoint]] = {}
    for one in compare(read_points(file).points, law)[0]:
        if one.state == "unsaturated":
            found.setdefault(one.point.server_key, []).append(one.point)
    return list(found.values())


def main(words: list[str] | None = None) -> int:
    """Print a line for each number of runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", default="2,4,8")
    parser.add_argument("--draws", type=common.count, default=20)
    parser.add_argument("--step-law", choices=("kernels", "roofline"), default="kernels")
    asked = parser.parse_args(words)
    known = servers(asked.file, asked.step_law)
    laws = once([point for points in known for point in points], asked.step_law)
    draw = random.Random(1)
    for runs in map(int, asked.runs.split(",")):
        errors, unfitted, within = [], [], []
        for points in known:
            for _ in range(asked.draws if len(points) >= runs + SPARE else 0):
                chosen = draw.sample(range(len(points)), runs)
                ((fit,), _) = fit_points([points[at] for at in chosen], laws)
                for at in set(range(len(points))) - set(chosen):
                    law = laws(points[at])[1]()
                    errors.append(abs(predicted(law, fit) / points[at].tpot - 1))
                    unfitted.append(abs(law.tpot[0] / points[at].tpot - 1))
                    within.append(errors[-1] <= fit.band)
        fitted, plain = (np.quantile(one, (0.5, 0.8, 0.9)) for one in (errors, unfitted))
        common.say(
            f"{runs} runs, {len(errors)} predictions: {fitted[0]:.3f} {fitted[1]:.3f} {fitted[2]:.3f}, "
            f"not fitted {plain[0]:.3f} {plain[1]:.3f} {plain[2]:.3f}, within the band {np.mean(within):.0%}"
        )
    fits = [(points, fit_points(points, laws)[0][0]) for points in known if len(points) > SPARE]
    apart = [difference(point, fit, laws, asked.step_law) for points, fit in fits for point in points]
    refused = sum(is_refused(fit, asked.step_law) for _, fit in fits)
    common.say(
        f"{len(fits)} servers by all of their runs: steps of plans are at most {max(apart):.3f} from the fit's "
        f"predictions, {refused} refused as faster than their hardware"
    )
    return 0


def once(points: Sequence[MeasuredPoint], step_law: StepLaw) -> Laws:
    """Return what a law says of each of the points, asked once."""
    asked = by_play(points) if step_law == "kernels" else by_formula(step_law)
    said: dict[int, RunLaw] = {id(point): asked(point)[1]() for point in points}
    return lambda point: ("unsaturated", lambda: said[id(point)])


def difference(point: MeasuredPoint, fit: ServerFit, laws: Laws, step_law: StepLaw) -> float:
    """Return by which share a run's time between tokens by a plan's steps is off the fit's own prediction."""
    return abs(planned(point, fit, step_law) / predicted(laws(point)[1](), fit) - 1)


def planned(point: MeasuredPoint, fit: ServerFit, step_law: StepLaw) -> float:
    """Return a run's time between tokens by a plan's steps: played, or by the roofline of its closed loop."""
    loop, _ = loop_of(point, step_law)
    step = fitted_step(loop.cost, fit.terms, fit.envelope.clients[1])
    if isinstance(step, StepCost):
        return replace(loop, cost=step).tpot()
    _, blocks = replica_of(point, step_law)
    return replayed_by(compare_point(point, step_law), step, blocks, engine_of(point).front_end).predicted_tpot


def is_refused(fit: ServerFit, law: StepLaw) -> bool:
    """Return whether a plan refuses a fit."""
    return bool(refusal(Context(), fit=Calibration(name="own", step_law=law, servers=(fit,), sources=(), skipped=())))


if __name__ == "__main__":
    raise SystemExit(main())
