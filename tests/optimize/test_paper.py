"""The papers' arithmetic, to the digit where they print it and exactly where they drew samples."""

import csv
import gzip
import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from fleettui.domain.workload import Atom, CdfPoint
from fleettui.hardware.paper_profiles import paper_profile
from fleettui.optimize.paper import (
    GAMMAS,
    MAX_UTILIZATION,
    Calibration,
    SizedPool,
    calibrate_by_draws,
    calibrate_exactly,
    prefill_percentile,
    replicas,
    short_share,
    size_pools,
    split_total,
    uniform_atoms,
)
from fleettui.optimize.paper_lengths import Drawn
from fleettui.routing import length_pools
from tests.repeated import few

SHARED = Path(__file__).parents[2] / "../shared"
A100, RATE, SLO, CONTEXT = paper_profile("a100"), 1000.0, 0.5, 65_536

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the shared data are not beside the project")


def cdf(name: str) -> list[CdfPoint]:
    found = json.loads((SHARED / "data/paper-cdfs.json").read_text())["cdfs"][name]
    return [(float(tokens), float(fraction)) for tokens, fraction in found]


def split(atoms: list[Atom], cut: int) -> tuple[list[Atom], list[Atom]]:
    return [a for a in atoms if a[1] + a[2] <= cut], [a for a in atoms if a[1] + a[2] > cut]


CASES = [("azure", 4096), ("lmsys", 1536), ("agent-heavy", 8192)]
EXACT = {"azure": (292, 44, 131), "lmsys": (127, 7, 76), "agent-heavy": (2517, 232, 2039)}
CALIBRATED = {"azure": (3.856338, 1.6563), "lmsys": (1.884689, 112.281), "agent-heavy": (32.599175, 4.7542)}
EXACT_SERVICE = {"azure": 3.965616, "lmsys": 1.720571, "agent-heavy": 34.229452}


@pytest.mark.parametrize("name", CALIBRATED)
def test_the_papers_draws_are_repeated(name: str) -> None:
    """Mean service and its scv of 3,000 draws, on A100 at 64K (model.md §12)."""
    whole = calibrate_by_draws(A100, cdf(name), above=0, up_to=CONTEXT, context=CONTEXT)
    assert (whole.mean_service, whole.scv) == pytest.approx(CALIBRATED[name], rel=5e-5)


def fleet(
    name: str,
    gpus: tuple[str, ...],
    rate: float,
    *,
    cut: int | None,
    context: int = CONTEXT,
    slo: float = SLO,
    gamma: float = 1.0,
    compressible: float = 1.0,
) -> tuple[SizedPool, ...]:
    profiles = [paper_profile(gpu) for gpu in gpus]
    return size_pools(
        Drawn(cdf(name)), profiles, rate=rate, slo=slo, cut=cut, context=context, gamma=gamma, compressible=compressible
    )


def counts(pools: tuple[SizedPool, ...]) -> list[int]:
    return [pool.replicas for pool in pools]


def thousands_a_year(pools: tuple[SizedPool, ...]) -> int:
    return round(sum(pool.cost_per_hour for pool in pools) * 8.76)


COMPRESSIBLE = {"azure": 1.0, "lmsys": 1.0, "agent-heavy": 0.75}
COMPRESSED = [  # FleetOpt, Table 3: factor, short and long replicas, K$ per year
    ("azure", 4096, 1.0, [43, 131], 3369),
    ("azure", 4096, 1.5, [47, 45], 1781),
    ("azure", 4096, 2.0, [48, 2], 968),
    ("lmsys", 1536, 1.0, [7, 74], 1568),
    ("lmsys", 1536, 1.5, [7, 65], 1394),
    ("lmsys", 1536, 2.0, [7, 52], 1142),
    ("agent-heavy", 8192, 1.0, [229, 2037], 43_869),
    ("agent-heavy", 8192, 1.5, [255, 1981], 43_288),
]


@pytest.mark.parametrize(("name", "cut", "gamma", "printed", "dollars"), COMPRESSED)
def test_published_replicas_with_compression(
    name: str, cut: int, gamma: float, printed: list[int], dollars: int
) -> None:
    pools = fleet(name, ("a100",), RATE, cut=cut, gamma=gamma, compressible=COMPRESSIBLE[name])
    assert counts(pools) == printed
    assert abs(thousands_a_year(pools) - dollars) <= 1


@pytest.mark.parametrize(
    ("name", "printed", "dollars"), [("azure", 284, 5498), ("lmsys", 139, 2691), ("agent-heavy", 2397, 46_405)]
)
def test_published_fleet_of_one_pool(name: str, printed: int, dollars: int) -> None:
    pools = fleet(name, ("a100",), RATE, cut=None)
    assert counts(pools) == [printed]
    assert abs(thousands_a_year(pools) - dollars) <= 1


@pytest.mark.parametrize(
    ("name", "cut", "alpha", "beta", "cliff"),
    [("azure", 4096, 0.898, 0.078, 16), ("lmsys", 1536, 0.909, 0.046, 42), ("agent-heavy", 8192, 0.740, 0.112, 8)],
)
def test_published_shares_and_cliffs(name: str, cut: int, alpha: float, beta: float, cliff: int) -> None:
    """FleetOpt, Table 2."""
    lengths = Drawn(cdf(name))
    assert short_share(lengths, cut) == pytest.approx(alpha, abs=0.0005)
    assert short_share(lengths, cut, gamma=1.5) - short_share(lengths, cut) == pytest.approx(beta, abs=0.0005)
    assert A100.slots(cut) // A100.slots(CONTEXT) == cliff


@pytest.mark.parametrize(
    ("name", "cut", "busy", "prefill"),
    [
        ("azure", 4096, (0.848, 0.845), (20.2, 80.1)),
        ("lmsys", 1536, (0.771, 0.845), (10.9, 48.0)),
        ("agent-heavy", 8192, (0.848, 0.850), (47.4, 219.7)),
    ],
)
def test_published_utilizations_and_prefills(
    name: str, cut: int, busy: tuple[float, ...], prefill: tuple[float, ...]
) -> None:
    """FleetOpt, Table 5 and section 7.4, in ms."""
    pools = fleet(name, ("a100",), RATE, cut=cut)
    assert [pool.utilization for pool in pools] == pytest.approx(busy, abs=0.0005)
    assert [1e3 * pool.calibration.prefill(A100) for pool in pools] == pytest.approx(prefill, abs=0.5)


@pytest.mark.parametrize(
    ("rate", "whole", "split", "best", "gamma"),
    [
        (100.0, 240, 227, 225, 1.2),
        (200.0, 480, 454, 448, 1.5),
        (500.0, 1199, 1134, 1119, 1.5),
        (1000.0, 2397, 2266, 2236, 1.5),
        (2000.0, 4794, 4531, 4470, 1.5),
    ],
)
def test_published_fleets_by_rate(rate: float, whole: int, split: int, best: int, gamma: float) -> None:
    """FleetOpt, Table 6."""
    assert counts(fleet("agent-heavy", ("a100",), rate, cut=None)) == [whole]
    swept = [
        sum(counts(fleet("agent-heavy", ("a100",), rate, cut=8192, gamma=factor, compressible=0.75)))
        for factor in GAMMAS
    ]
    assert swept[0] == split
    assert min(swept) == best
    assert GAMMAS[swept.index(best)] == pytest.approx(gamma)


IFS_FLEETS = [  # workload, GPUs, requests/s, SLO, context, split, replicas, K$ per year (None: not printed)
    ("lmsys", ("a100",), 100.0, 0.5, 65_536, None, [14], 271),
    ("lmsys", ("a100",), 100.0, 0.5, 65_536, 512, [2, 13], 290),
    ("lmsys", ("a100",), 100.0, 0.5, 65_536, 1024, [2, 10], 232),
    ("lmsys", ("a100",), 100.0, 0.5, 65_536, 2048, [2, 7], 174),
    ("lmsys", ("a100",), 100.0, 0.5, 65_536, 4096, [3, 5], 155),
    ("lmsys", ("a100",), 100.0, 0.5, 65_536, 8192, [4, 4], 155),
    ("lmsys", ("a100",), 100.0, 0.5, 65_536, 12_288, [5, 3], 155),
    ("agent-heavy", ("h100",), 20.0, 1.0, 65_536, None, [24], 845),
    ("agent-heavy", ("h100",), 20.0, 1.0, 65_536, 4096, [2, 23], 880),
    ("azure", ("h100",), 100.0, 0.5, 8192, None, [6], None),
    ("azure", ("h100",), 100.0, 0.5, 8192, 4096, [3, 4], None),
    ("azure", ("a100",), 100.0, 0.5, 8192, 4096, [5, 8], None),
    ("azure", ("a10g",), 100.0, 0.5, 8192, 4096, [8, 12], None),
    ("azure", ("a10g", "h100"), 100.0, 0.5, 8192, 4096, [8, 4], None),
    ("lmsys", ("a100", "a100"), 100.0, 0.5, 65_536, 4096, [3, 5], None),
    ("lmsys", ("a10g", "h100"), 100.0, 0.5, 65_536, 4096, [4, 3], None),
    ("lmsys", ("a10g", "a100"), 100.0, 0.5, 65_536, 4096, [4, 5], None),
]


@pytest.mark.parametrize(("name", "gpus", "rate", "slo", "context", "cut", "printed", "dollars"), IFS_FLEETS)
def test_published_fleets_of_the_fleet_simulator(
    name: str,
    gpus: tuple[str, ...],
    rate: float,
    slo: float,
    context: int,
    cut: int | None,
    printed: list[int],
    dollars: int | None,
) -> None:
    """inference-fleet-sim, Tables 1, 2, 3, 6 and 7."""
    pools = fleet(name, gpus, rate, cut=cut, context=context, slo=slo)
    assert counts(pools) == printed
    assert dollars is None or thousands_a_year(pools) == dollars


@pytest.mark.parametrize(
    ("rate", "total", "dollars"),
    [(25, 4, 141), (50, 5, 176), (100, 7, 247), (150, 10, 352), (200, 12, 423), (300, 18, 634), (400, 23, 810)],
)
def test_published_steps(rate: float, total: int, dollars: int) -> None:
    """inference-fleet-sim, Table 4; at 100 requests/s it prints K$ 247 for 246.5."""
    pools = fleet("azure", ("h100",), rate, cut=4096, context=8192)
    assert sum(counts(pools)) == total
    assert sum(pool.cost_per_hour for pool in pools) * 8.76 == pytest.approx(dollars, abs=0.6)


def test_what_table_3_prints_needs_a_little_compression() -> None:
    """12 A100 and 19 A10G are what γ = 1.1 gives."""
    found = [sum(counts(fleet("azure", (gpu,), 100.0, cut=4096, context=8192, gamma=1.1))) for gpu in ("a100", "a10g")]
    assert found == [12, 19]


def fewest(calibration: Calibration, rate: float) -> int:
    """Return the fewest replicas that keep the wait and the utilization: without the one that the papers add."""
    count = max(1, math.ceil(calibration.offered(rate) / calibration.slots / MAX_UTILIZATION - 1e-12))
    while calibration.wait(rate, count) > SLO:
        count += 1
    return count


def exact(parts: Sequence[Sequence[Atom]], contexts: Sequence[int]) -> list[int]:
    """Return the fewest replicas of each pool by exact sums, which together get all requests."""
    whole = sum(atom[0] for part in parts for atom in part)
    rates = [RATE * sum(atom[0] for atom in part) / whole for part in parts]
    pools = zip(parts, contexts, rates, strict=True)
    return [fewest(calibrate_exactly(A100, part, context), rate) for part, context, rate in pools]


@pytest.mark.parametrize(("name", "cut"), CASES)
def test_exact_sums_under_the_papers_physics(name: str, cut: int) -> None:
    atoms = uniform_atoms(cdf(name))
    mean = calibrate_exactly(A100, atoms, CONTEXT).mean_service
    assert mean == pytest.approx(EXACT_SERVICE[name], rel=1e-6)
    assert (*exact([atoms], [CONTEXT]), *exact(split(atoms, cut), [cut, CONTEXT])) == EXACT[name]


LEFT_OUT = [  # short and long replicas when the compressed requests' own work is left out, as in the papers
    ("azure", 4096, 1.5, [48, 45]),
    ("azure", 4096, 2.0, [49, 1]),
    ("lmsys", 1536, 1.5, [7, 63]),
    ("lmsys", 1536, 2.0, [7, 54]),
    ("agent-heavy", 8192, 1.5, [259, 1997]),
]


@pytest.mark.parametrize(("name", "cut", "gamma", "expected"), LEFT_OUT)
def test_exact_sums_with_compression_as_the_papers_count_it(
    name: str, cut: int, gamma: float, expected: list[int]
) -> None:
    points, top = cdf(name), int(gamma * cut)
    atoms = uniform_atoms(points)
    share = short_share(Drawn(points), cut, gamma=gamma, compressible=COMPRESSIBLE[name])
    short = [atom for atom in atoms if atom[1] + atom[2] <= cut]
    long = [atom for atom in atoms if atom[1] + atom[2] > top]
    found = [
        fewest(calibrate_exactly(A100, part, context), rate)
        for part, context, rate in ((short, cut, share * RATE), (long, CONTEXT, (1.0 - share) * RATE))
    ]
    assert found == expected


COUNTED = [
    ("azure", 4096, 1.5, 123),
    ("azure", 4096, 2.0, 93),
    ("lmsys", 1536, 1.5, 73),
    ("lmsys", 1536, 2.0, 65),
    ("agent-heavy", 8192, 1.5, 2146),
    ("agent-heavy", 8192, 2.0, 1992),
]


@pytest.mark.parametrize(("name", "cut", "gamma", "total"), few(COUNTED, 3))
def test_exact_sums_with_the_compressed_work_counted(name: str, cut: int, gamma: float, total: int) -> None:
    ranges = ((0, cut), (cut, CONTEXT))
    parts = length_pools.route(uniform_atoms(cdf(name)), ranges, gamma=gamma, compressible=COMPRESSIBLE[name])
    assert sum(exact(parts, [cut, CONTEXT])) == total


def test_a_percentile_of_prefill_is_one_of_its_steps() -> None:
    """Of 100 prompts of 1 to 100 chunks, the 99th takes 99 steps at a batch of one."""
    atoms = [(1.0, 512.0 * steps, 1.0) for steps in range(1, 101)]
    assert prefill_percentile(A100, atoms) == pytest.approx(99 * 8.65e-3)
    assert prefill_percentile(A100, atoms, 1.0) == pytest.approx(100 * 8.65e-3)


def test_exact_sums_on_the_real_pairs_of_both_azure_services() -> None:
    atoms: list[Atom] = []
    for service in ("code", "conv"):
        with gzip.open(SHARED / f"data/traces/azure-2023-{service}.csv.gz", "rt") as lines:
            atoms += [(1.0, float(r["input_tokens"]), float(r["output_tokens"])) for r in csv.DictReader(lines)]
    assert [*exact([atoms], [CONTEXT]), *exact(split(atoms, 4096), [4096, CONTEXT])] == [114, 25, 7]


def test_a_pool_without_requests_gets_no_replica() -> None:
    whole = calibrate_exactly(A100, uniform_atoms(cdf("azure")), CONTEXT)
    assert replicas(whole, 0.01, SLO) == 0


def test_the_split_of_a_total_keeps_at_least_one_token_each() -> None:
    import numpy as np

    prompt, output = split_total(np.array([1.0, 2.0, 100.0]))
    assert prompt.tolist() == [1.0, 1.0, 80.0]
    assert output.tolist() == [1.0, 1.0, 20.0]
