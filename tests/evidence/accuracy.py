"""How near the measured kernels are to public runs: `python -m tests.evidence.accuracy FILE ...`.

Each file of benchmark runs is read as `fleettui profile validate` reads it, and every run is played by the engine.
Printed are the errors of TPOT and TTFT, the share of TPOT within the band that plans carry, and of capacities (clients
at a limit) the shares within a factor of 1.25 and in the range of that band: by engine and model, by engine, of all.
Engine terms and bands were fitted to runs of the same sample, whose other configurations are not in the files.

`--record` keeps the cells of engine and model of PUBLIC in RECORD, to which `tests/golden/test_accuracy.py` holds every
later version: a cell that worsens by more than 2 points fails.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from fleettui.domain.capacity_cells import CapacityCell, capacity_cells
from fleettui.domain.validation import Comparison, Setup
from fleettui.hardware import catalog, validation
from fleettui.hardware.measured import read_points
from fleettui.simulation.replayed_run import replayed
from tests.evidence import common

ALL = "all"
ERRORS = "error in the median and at the 90th percentile"
TITLES = ("runs", "TPOT", "90 %", "TTFT", "90 %", "in band", "capacities", "close", "in range")
PUBLIC = Path(__file__).parents[2] / "../shared/data/measured/serving-h100-h200.csv"
RECORD = Path(__file__).parents[1] / "golden" / "accuracy.json"
WORSE = 0.02
"""By how much a figure of a cell may worsen, as a share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How near a group of runs is: all but the counts are shares, of errors the absolute ones."""

    runs: int
    tpot: float
    tpot_p90: float
    ttft: float
    ttft_p90: float
    in_band: float
    capacities: int
    close: float
    in_range: float


def main(words: list[str] | None = None) -> int:
    """Print a table for each file, and keep the cells where that is asked for; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.evidence.accuracy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", default=[PUBLIC])
    parser.add_argument("--record", action="store_true", help="play the public runs and keep their cells")
    asked = parser.parse_args(words)
    for path in [PUBLIC] if asked.record else asked.files:
        found = played(path)
        rows = [(name, *words_of(cell)) for name, cell in cells(found).items()]
        for engine in (*catalog.names("engines"), ALL):
            own = accuracy([one for one in found if engine in (ALL, one.point.engine)])
            rows += [(engine, *words_of(own))] if own else []
        common.show(f"{path.name}: {ERRORS}", ("engine and model", *TITLES), rows)
        if asked.record:
            record(cells(found))
    return 0


def played(path: Path, engine: str = ALL) -> list[Comparison]:
    """Return the runs of a file, of one engine or of all, each played."""
    points = [one for one in read_points(path, Setup()).points if engine in (ALL, one.engine)]
    return [replayed(one) for one in validation.compare(points, "kernels")[0]]


def accuracy(found: Sequence[Comparison]) -> Accuracy | None:
    """Return how near runs are, none where none of them counts: those of saturated servers do not."""
    own = [one for one in found if one.state == "unsaturated"]
    return told(own, capacity_cells(own)) if own else None


def told(own: Sequence[Comparison], capacities: Sequence[CapacityCell]) -> Accuracy:
    """Return how near runs and capacities are."""
    tpot, ttft = (sorted(abs(getattr(one, name)) for one in own) for name in ("tpot_error", "ttft_error"))
    return Accuracy(
        runs=len(own),
        tpot=statistics.median(tpot),
        tpot_p90=tpot[int(0.9 * len(tpot))],
        ttft=statistics.median(ttft),
        ttft_p90=ttft[int(0.9 * len(ttft))],
        in_band=sum(one.is_in_band for one in own) / len(own),
        capacities=len(capacities),
        close=sum(one.is_close for one in capacities) / len(capacities) if capacities else 0.0,
        in_range=sum(one.is_in_range for one in capacities) / len(capacities) if capacities else 0.0,
    )


def cells(found: Sequence[Comparison]) -> dict[str, Accuracy]:
    """Return how near the runs of each engine and model are, by "engine model"."""
    groups: dict[str, list[Comparison]] = {}
    for one in found:
        groups.setdefault(f"{one.point.engine} {one.point.model}", []).append(one)
    return {name: cell for name in sorted(groups) if (cell := accuracy(groups[name]))}


def record(found: Mapping[str, Accuracy]) -> None:
    """Keep cells in RECORD, one a line."""
    lines = [f"{json.dumps(name)}: {json.dumps(_rounded(cell))}" for name, cell in found.items()]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def recorded(engine: str) -> dict[str, Accuracy]:
    """Return the cells of an engine in RECORD."""
    kept = json.loads(RECORD.read_text(encoding="utf-8"))
    return {name: Accuracy(**cell) for name, cell in kept.items() if name.split()[0] == engine}


def worsened(before: Mapping[str, Accuracy], now: Mapping[str, Accuracy]) -> list[str]:
    """Return a sentence for each figure of a cell that is worse by more than WORSE, for a cell with fewer runs or
    capacities than before, and for one that was not recorded.
    """
    found = [f"{name}: not recorded" for name in now if name not in before]
    for name, kept in before.items():
        if name not in now:
            found.append(f"{name}: no run counts, {kept.runs} did")
            continue
        for word, sign in _SIGNS.items():
            old, new = getattr(kept, word), getattr(now[name], word)
            if sign * (new - old) > (WORSE if isinstance(old, float) else 0):
                found.append(f"{name}: {word} {_cell(new)}, was {_cell(old)}")
    return found


_SIGNS = {"runs": -1, "tpot": 1, "tpot_p90": 1, "ttft": 1, "in_band": -1, "capacities": -1, "close": -1, "in_range": -1}
"""The figures that a cell is held to: 1 where more is worse."""


def _rounded(cell: Accuracy) -> dict[str, float]:
    return {word: value if isinstance(value, int) else round(value, 4) for word, value in asdict(cell).items()}


def words_of(cell: Accuracy) -> tuple[str, ...]:
    """Return the figures of a cell as a table has them."""
    return tuple(_cell(getattr(cell, one.name)) for one in fields(cell))


def _cell(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.1%}"


if __name__ == "__main__":
    sys.exit(main())
