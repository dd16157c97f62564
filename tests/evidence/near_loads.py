"""How near steps are whose server was seen at another load of the same requests: `python -m tests.evidence.near_loads`.

Every public run is played, and held to each other of its server and lengths whose rate of requests is within a factor
of NEAR. Printed is by how much measured over predicted time per output token differs between the two, in the median and
at nine in ten; exit 1 where that is more than the band that plans have near a load that was seen in production.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Iterable, Sequence
from itertools import permutations

from fleettui.domain.seen_load import NEAR, NEAR_BAND
from fleettui.domain.validation import Comparison
from tests.evidence import common, newer_runs
from tests.evidence.accuracy import PUBLIC, played


def rate(one: Comparison) -> float:
    """Return the requests/s that a run's clients sent, each after the answer to its last."""
    point = one.point
    return point.concurrency / (point.ttft + point.tpot * max(1.0, point.output_tokens - 1.0))


def differences(found: Iterable[Comparison]) -> list[float]:
    """Return by how much the error of each run differs from that of each other near it, the least first."""
    groups: dict[tuple[object, ...], list[Comparison]] = {}
    for one in found:
        point = one.point
        groups.setdefault((point.server_key, point.prompt_tokens, point.output_tokens), []).append(one)
    return sorted(
        abs((1.0 + one.tpot_error) / (1.0 + other.tpot_error) - 1.0)
        for own in groups.values()
        for one, other in permutations(own, 2)
        if one.point.concurrency != other.point.concurrency and abs(math.log(rate(one) / rate(other))) <= math.log(NEAR)
    )


def figures(errors: Sequence[float]) -> tuple[int, float, float]:
    """Return how many errors there are, the median one, and that of nine in ten."""
    return len(errors), statistics.median(errors), errors[int(0.9 * len(errors))]


def main() -> int:
    """Print a line for each file; return 0 where nine in ten of each are within the band."""
    rows, checks = [], []
    for path in (PUBLIC, newer_runs.FILE):
        pairs, median, most = figures(differences(one for one in played(path) if one.state == "unsaturated"))
        rows.append((path.name, str(pairs), f"{median:.1%}", f"{most:.1%}"))
        checks.append((f"{path.name}: nine in ten within {NEAR_BAND:.0%}", most <= NEAR_BAND))
    common.show(f"the same requests at a rate within a factor of {NEAR:g}", ("runs", "pairs", "median", "90 %"), rows)
    return common.verdict(checks)


if __name__ == "__main__":
    sys.exit(main())
