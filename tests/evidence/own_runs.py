"""How far a fit to few runs of a server is from its other runs, over public servers.

    python -m tests.evidence.own_runs FILE [--runs 2,4,8] [--draws 20] [--step-law kernels]

FILE holds measured runs of many servers. Of each, so many are drawn at random and fitted, and the others predicted: the
error of their time between tokens in the median, of four of five and of nine of ten, that of the law without a fit, and
the share that lies within the fit's band. `PUBLIC_BAND` of fleettui/domain/calibration.py is the second of these with
two runs.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np

from fleettui.domain.hardware import StepLaw
from fleettui.domain.validation import MeasuredPoint
from fleettui.hardware.calibration import fit_points, predicted
from fleettui.hardware.measured import read_points
from fleettui.hardware.validation import compare
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
    draw = random.Random(1)
    for runs in map(int, asked.runs.split(",")):
        errors, unfitted, within = [], [], []
        for points in known:
            for _ in range(asked.draws if len(points) >= runs + SPARE else 0):
                chosen = draw.sample(range(len(points)), runs)
                ((fit,), _) = fit_points([points[at] for at in chosen], asked.step_law)
                for at in set(range(len(points))) - set(chosen):
                    own, law = predicted(points[at], fit, asked.step_law)
                    errors.append(abs(own / points[at].tpot - 1))
                    unfitted.append(abs(law / points[at].tpot - 1))
                    within.append(errors[-1] <= fit.band)
        fitted, plain = (np.quantile(one, (0.5, 0.8, 0.9)) for one in (errors, unfitted))
        common.say(
            f"{runs} runs, {len(errors)} predictions: {fitted[0]:.3f} {fitted[1]:.3f} {fitted[2]:.3f}, "
            f"not fitted {plain[0]:.3f} {plain[1]:.3f} {plain[2]:.3f}, within the band {np.mean(within):.0%}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
