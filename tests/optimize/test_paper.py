"""The papers' arithmetic, to the digit where they print it and exactly where they drew samples."""

import csv
import gzip
import json
from pathlib import Path

import pytest

from fleettui.domain.workload import Atom, CdfPoint
from fleettui.hardware.paper_profiles import paper_profile
from fleettui.optimize.paper import (
    calibrate_by_draws,
    calibrate_exactly,
    fraction_below,
    replicas,
    split_total,
    uniform_atoms,
)

SHARED = Path(__file__).parents[2] / "../shared"
A100, RATE, SLO, CONTEXT = paper_profile("a100"), 1000.0, 0.5, 65_536

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the shared data are not beside the project")


def cdf(name: str) -> list[CdfPoint]:
    found = json.loads((SHARED / "data/paper-cdfs.json").read_text())["cdfs"][name]
    return [(float(tokens), float(fraction)) for tokens, fraction in found]


def split(atoms: list[Atom], cut: int) -> tuple[list[Atom], list[Atom]]:
    return [a for a in atoms if a[1] + a[2] <= cut], [a for a in atoms if a[1] + a[2] > cut]


CASES = [("azure", 4096), ("lmsys", 1536), ("agent-heavy", 8192)]
PRINTED = {"azure": (284, 43, 131), "lmsys": (139, 7, 74), "agent-heavy": (2397, 229, 2037)}
EXACT = {"azure": (292, 44, 131), "lmsys": (127, 7, 76), "agent-heavy": (2517, 232, 2039)}
CALIBRATED = {"azure": (3.856338, 1.6563), "lmsys": (1.884689, 112.281), "agent-heavy": (32.599175, 4.7542)}
EXACT_SERVICE = {"azure": 3.965616, "lmsys": 1.720571, "agent-heavy": 34.229452}


@pytest.mark.parametrize(("name", "cut"), CASES)
def test_published_replicas_without_compression(name: str, cut: int) -> None:
    """FleetOpt, Table 3, on A100s at 1,000 requests/s and a P99 TTFT of 500 ms."""
    points = cdf(name)
    alpha = fraction_below(points, cut)
    whole = calibrate_by_draws(A100, points, above=0, up_to=CONTEXT, context=CONTEXT)
    short = calibrate_by_draws(A100, points, above=0, up_to=cut, context=cut)
    long = calibrate_by_draws(A100, points, above=cut, up_to=CONTEXT, context=CONTEXT)
    assert (whole.mean_service, whole.scv) == pytest.approx(CALIBRATED[name], rel=5e-5)
    found = (
        replicas(whole, RATE, SLO),
        replicas(short, alpha * RATE, SLO),
        replicas(long, (1.0 - alpha) * RATE, SLO),
    )
    assert found == PRINTED[name]


@pytest.mark.parametrize(("name", "cut"), CASES)
def test_exact_sums_under_the_papers_physics(name: str, cut: int) -> None:
    points = cdf(name)
    atoms, alpha = uniform_atoms(points), fraction_below(points, cut)
    short, long = split(atoms, cut)
    whole = calibrate_exactly(A100, atoms, CONTEXT)
    assert whole.mean_service == pytest.approx(EXACT_SERVICE[name], rel=1e-6)
    found = (
        replicas(whole, RATE, SLO, spare=0),
        replicas(calibrate_exactly(A100, short, cut), alpha * RATE, SLO, spare=0),
        replicas(calibrate_exactly(A100, long, CONTEXT), (1.0 - alpha) * RATE, SLO, spare=0),
    )
    assert found == EXACT[name]


def test_exact_sums_on_the_real_pairs_of_both_azure_services() -> None:
    atoms: list[Atom] = []
    for service in ("code", "conv"):
        with gzip.open(SHARED / f"data/traces/azure-2023-{service}.csv.gz", "rt") as lines:
            atoms += [(1.0, float(r["input_tokens"]), float(r["output_tokens"])) for r in csv.DictReader(lines)]
    short, long = split(atoms, 4096)
    rates = (RATE, RATE * len(short) / len(atoms), RATE * len(long) / len(atoms))
    parts = ((atoms, CONTEXT), (short, 4096), (long, CONTEXT))
    found = [
        replicas(calibrate_exactly(A100, part, context), rate, SLO, spare=0)
        for (part, context), rate in zip(parts, rates, strict=True)
    ]
    assert found == [114, 25, 7]


def test_a_pool_without_requests_gets_no_replica() -> None:
    whole = calibrate_exactly(A100, uniform_atoms(cdf("azure")), CONTEXT)
    assert replicas(whole, 0.01, SLO) == 0


def test_the_split_of_a_total_keeps_at_least_one_token_each() -> None:
    import numpy as np

    prompt, output = split_total(np.array([1.0, 2.0, 100.0]))
    assert prompt.tolist() == [1.0, 1.0, 80.0]
    assert output.tolist() == [1.0, 1.0, 20.0]
