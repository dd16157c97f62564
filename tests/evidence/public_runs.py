"""What published runs took of what their kernels say: `python -m tests.evidence.public_runs FILE`.

Every run is played as `fleettui profile validate` plays it. Printed are the servers of
`fleettui/hardware/catalog/public_runs.toml` for it: of each GPU, engine, model and format with LEAST runs or more the
median of measured over predicted time per output token by kernels alone, drawn towards 1 as by PRIOR runs; and the
error of runs whose lengths and parallelism were left out in turn, a fifth of them at a time, with and without.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from fleettui.domain.validation import Comparison, MeasuredPoint
from fleettui.hardware import catalog
from fleettui.hardware.public_runs import Key, public_runs
from tests.evidence import common
from tests.evidence.accuracy import PUBLIC, played

LEAST, PRIOR, PARTS = 10, 4, 5
FASTEST = 0.8
"""Less of their kernels' time than this no server takes: runs that show it had their prompts in a cache."""
CLOSE = 0.045
"""What is nearer to 1 is left at that."""


def main(words: list[str] | None = None) -> int:
    """Print the servers and the errors; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.evidence.public_runs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", default=PUBLIC)
    found = [one for one in played(parser.parse_args(words).file) if one.state == "unsaturated"]
    for key, (runs, factor) in factors(found).items():
        names = zip(("gpu", "engine", "model", "dtype"), key, strict=True)
        said = (*(f'{name} = "{value}"' for name, value in names), f"runs = {runs}", f"factor = {factor}")
        sys.stdout.write("\n".join(("[[servers]]", *said, "\n")))
    alone = [abs(ratio(one) - 1.0) for one in found]
    rows = [_row("kernels alone", alone), _row("with the other runs of the server", held_out(found))]
    common.show("error of the time per output token", ("by", "runs", "median", "90 %"), rows)
    return 0


def factors(found: Iterable[Comparison]) -> Mapping[Key, tuple[int, float]]:
    """Return runs and factor of every server with enough runs, where the factor is not near 1."""
    return factors_of((key_of(one), -math.log(ratio(one))) for one in found)


def factors_of(ratios: Iterable[tuple[Key, float]]) -> Mapping[Key, tuple[int, float]]:
    """Return the same of servers with the logarithms of measured over predicted time of their runs."""
    groups: dict[Key, list[float]] = {}
    for key, share in ratios:
        groups.setdefault(key, []).append(share)
    told = {}
    for key in sorted(groups):
        runs = len(groups[key])
        factor = round(math.exp(statistics.median(groups[key]) * runs / (runs + PRIOR)), 2)
        if runs >= LEAST and factor >= FASTEST and abs(factor - 1.0) > CLOSE:
            told[key] = runs, factor
    return told


def held_out(found: Iterable[Comparison]) -> list[float]:
    """Return the errors of runs that were left out in turn, by the factors of the others."""
    parts: dict[int, list[Comparison]] = {}
    for one in found:
        parts.setdefault(part_of(one.point), []).append(one)
    errors = []
    for left, own in parts.items():
        known = factors(one for part, others in parts.items() if part != left for one in others)
        errors += [abs(ratio(one) * known.get(key_of(one), (0, 1.0))[1] - 1.0) for one in own]
    return errors


def part_of(point: MeasuredPoint) -> int:
    """Return to which part of all lengths and parallelisms a run belongs, from 0."""
    lengths = f"{point.tp} {point.prompt_tokens} {point.output_tokens} {point.expert_parallel}"
    return zlib.crc32(lengths.encode()) % PARTS


def ratio(one: Comparison) -> float:
    """Return the predicted time per output token over the measured one, by kernels alone."""
    known = public_runs().get(key_of(one))
    return one.predicted_tpot / one.point.tpot / (known.factor if known else 1.0)


def key_of(one: Comparison) -> Key:
    """Return the server of a run."""
    return one.point.gpu, one.point.engine, catalog.model(one.point.model).name, one.point.dtype


def _row(by: str, errors: list[float]) -> tuple[str, ...]:
    ordered = sorted(errors)
    return by, str(len(ordered)), f"{statistics.median(ordered):.1%}", f"{ordered[int(0.9 * len(ordered))]:.1%}"


if __name__ == "__main__":
    sys.exit(main())
