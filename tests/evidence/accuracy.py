"""How near the measured kernels are to public runs: `python -m tests.evidence.accuracy FILE ...`.

Each file of benchmark runs is read as `fleettui profile validate` reads it, and every run is played by the engine.
Printed are the errors of TPOT and TTFT, the share of TPOT within the band that plans carry, and the share of capacities
(clients at a limit) within a factor of 1.25, by engine and of all. Engine terms and bands were fitted to runs of the
same sample, whose other configurations are not in the files.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from fleettui.domain.capacity_cells import capacity_cells
from fleettui.domain.validation import Comparison, Setup
from fleettui.hardware import catalog, validation
from fleettui.hardware.measured import read_points
from fleettui.simulation.replayed_run import replayed
from tests.evidence import common

ALL = "all"


def main(words: list[str] | None = None) -> int:
    """Print a table for each file; return 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.accuracy", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    for path in parser.parse_args(words).files:
        found = [replayed(one) for one in validation.compare(read_points(path, Setup()).points, "kernels")[0]]
        titles = ("engine", "runs", "TPOT", "90 %", "TTFT", "90 %", "in band", "capacities", "close")
        rows = (_row(engine, found) for engine in (*catalog.names("engines"), ALL))
        common.show(f"{path.name}: error in the median and at the 90th percentile", titles, list(filter(None, rows)))
    return 0


def _row(engine: str, found: Sequence[Comparison]) -> tuple[str, ...]:
    """Return an engine's cells, none where it has no run that counts."""
    own = [one for one in found if one.state == "unsaturated" and engine in (ALL, one.point.engine)]
    if not own:
        return ()
    cells = capacity_cells(own)
    errors = [sorted(abs(one.tpot_error) for one in own), sorted(abs(one.ttft_error) for one in own)]
    told = [f"{value:.1%}" for one in errors for value in (statistics.median(one), one[int(0.9 * len(one))])]
    inside = sum(one.is_in_band for one in own) / len(own)
    close = sum(one.is_close for one in cells) / len(cells) if cells else 0.0
    return engine, str(len(own)), *told, f"{inside:.0%}", str(len(cells)), f"{close:.0%}"


if __name__ == "__main__":
    sys.exit(main())
