"""Speed as ratios within one run: `pytest tests/benchmarks --benchmark-only -n 0`.

Each group's first line is the yardstick; the table's factor in brackets is the ratio.
"""

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.optimize.offers import offer
from fleettui.optimize.plan import find_plan
from fleettui.optimize.ranges import Demanded, Ranges
from fleettui.optimize.terms import Terms
from fleettui.workloads import library
from fleettui.workloads.atoms import pairings, split_grid

Benchmark = Callable[..., object]
ASKED = Question(workload="azure-2023-conv", demand=Demand(form="rate", rate=100.0), slo=Slo(ttft=0.5))
LENGTHS = library.load("azure-2023-conv").slices[0].lengths
ATOMS = pairings(LENGTHS)[0][1]
H100 = build_profile(catalog.gpu("h100"), catalog.model("llama-3.1-70b"), dtype="bf16", tp=8)
CONTEXT = 14_336


def ranges() -> Ranges:
    return Ranges.of(split_grid(ATOMS, LENGTHS.cdf), CONTEXT)


def demanded() -> Demanded:
    return Demanded.of(100.0, ATOMS, ranges(), chunk=2048, prefix_hit=0.0)


@pytest.mark.benchmark(group="sweep of 150 splits on one profile")
def test_yardstick_one_exponential_per_atom_and_split(benchmark: Benchmark) -> None:
    values = np.random.default_rng(1).random((150, len(ATOMS)))
    benchmark(lambda: np.exp(values).sum())


@pytest.mark.benchmark(group="sweep of 150 splits on one profile")
def test_per_workload_table(benchmark: Benchmark) -> None:
    benchmark(demanded)


@pytest.mark.benchmark(group="sweep of 150 splits on one profile")
def test_sweep_after_the_table(benchmark: Benchmark) -> None:
    table, cuts = [demanded()], ranges()
    benchmark(offer, H100, table, cuts, ASKED, Terms.of(ASKED))


@pytest.mark.benchmark(group="sweep of 150 splits on one profile")
def test_whole_plan_with_every_candidate_scored(benchmark: Benchmark) -> None:
    grid = split_grid(ATOMS, LENGTHS.cdf)
    benchmark(lambda: find_plan(ASKED, slices=[(100.0, ATOMS)], profiles=[H100], grid=grid, context=CONTEXT))


def run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, timeout=600)


@pytest.mark.benchmark(group="from process start", min_rounds=5)
def test_yardstick_bare_interpreter(benchmark: Benchmark) -> None:
    benchmark(run, "-c", "pass")


@pytest.mark.benchmark(group="from process start", min_rounds=5)
def test_help(benchmark: Benchmark) -> None:
    benchmark(run, "-m", "fleettui", "--help")


@pytest.mark.benchmark(group="from process start", min_rounds=5)
def test_plan_by_formula(benchmark: Benchmark) -> None:
    asked = "plan azure-2023-conv --rate 100/s --slo-ttft 500ms --gpu h100 --tp 8 --no-verify"
    benchmark(run, "-m", "fleettui", *asked.split())
