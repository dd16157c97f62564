from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.workloads import compress as module
from fleettui.workloads import library
from fleettui.workloads.compress import compress
from fleettui.workloads.formats import sniffed
from fleettui.workloads.formats.base import TraceFormat
from fleettui.workloads.pairs import PairCounts

TRACES = (
    *("azure-2023-code", "azure-2023-conv", "mooncake-conversation"),
    *("servegen-deepseek-r1-h02", "servegen-deepseek-r1-h10", "arxiv-summarization"),
)
CHUNK = 2048


@cache
def trace(path: Path):
    counted = PairCounts()
    found = sniffed(path)
    assert isinstance(found, TraceFormat)
    for chunk in found.read(path):
        counted.add(chunk.prompt, chunk.output)
    return counted.table()


def columns(atoms):
    return np.array(atoms).T


def moments(values, weights):
    mean = values @ weights / weights.sum()
    return mean, (values - mean) ** 2 @ weights / weights.sum() / mean**2


def distance(values, weights, others, their_weights):
    """Return the largest difference of the two distribution functions (Kolmogorov and Smirnov)."""
    at = np.unique(np.concatenate((values, others)))

    def function(lengths, counts):
        order = np.argsort(lengths)
        sums = np.concatenate(([0], np.cumsum(counts[order]))) / counts.sum()
        return sums[np.searchsorted(lengths[order], at, side="right")]

    return np.abs(function(values, weights) - function(others, their_weights)).max()


def steps(prompt, output):
    return np.ceil(prompt / CHUNK) + output - 1


def context_steps(prompt, output):
    return steps(prompt, output) * (prompt + output / 2)


@pytest.mark.parametrize("name", TRACES)
def test_shipped_traces_keep_their_means_exactly(data, name):
    prompt, output, counts = trace(data / "traces" / f"{name}.csv.gz")
    lengths = library.load(name).slices[0].lengths
    weights, prompts, outputs = columns(lengths.atoms)
    assert len(weights) == 2_000
    assert weights @ prompts == pytest.approx(int(prompt @ counts), rel=1e-13)
    assert weights @ outputs == pytest.approx(int(output @ counts), rel=1e-13)


@pytest.mark.parametrize("name", TRACES)
def test_shipped_traces_keep_what_queues_feel(data, name):
    prompt, output, counts = trace(data / "traces" / f"{name}.csv.gz")
    weights, prompts, outputs = columns(library.load(name).slices[0].lengths.atoms)
    for figure in (lambda p, _: p, lambda _, o: o, lambda p, o: p + o, steps, context_steps):
        mean, scv = moments(figure(prompt, output) * 1.0, counts)
        found_mean, found_scv = moments(figure(prompts, outputs), weights)
        assert found_mean == pytest.approx(mean, rel=0.0007)
        assert found_scv == pytest.approx(scv, rel=0.0015)


@pytest.mark.parametrize("name", TRACES)
def test_shipped_traces_keep_their_distribution_functions(data, name):
    prompt, output, counts = trace(data / "traces" / f"{name}.csv.gz")
    weights, prompts, outputs = columns(library.load(name).slices[0].lengths.atoms)
    assert distance(prompt + output, counts, prompts + outputs, weights) <= 0.013
    assert distance(output, counts, outputs, weights) <= 0.013
    assert distance(prompt, counts, prompts, weights) <= 0.03


@pytest.mark.parametrize("name", TRACES)
def test_pools_split_on_the_grid_are_the_traces_own(data, name):
    prompt, output, counts = trace(data / "traces" / f"{name}.csv.gz")
    lengths = library.load(name).slices[0].lengths
    weights, prompts, outputs = columns(lengths.atoms)
    for tokens, fraction in lengths.cdf:
        inside, held = prompt + output <= tokens, prompts + outputs <= tokens
        assert fraction == int(counts[inside].sum()) / int(counts.sum())
        assert weights[held].sum() == counts[inside].sum()
        assert weights[held] @ prompts[held] == pytest.approx(int(prompt[inside] @ counts[inside]), rel=1e-12)
        assert weights[held] @ outputs[held] == pytest.approx(int(output[inside] @ counts[inside]), rel=1e-12)


LENGTHS = st.lists(st.tuples(st.integers(1, 400), st.integers(1, 400), st.integers(1, 5)), min_size=1, max_size=60)


@given(LENGTHS, st.integers(1, 20))
def test_whatever_the_pairs(rows, most):
    table = {(prompt, output): count for prompt, output, count in rows}
    prompt, output = (np.array(axis) for axis in zip(*table, strict=True))
    counts, grid = np.array(list(table.values())), (64, 256)
    weights, prompts, outputs = columns(compress(prompt, output, counts, grid, most))
    assert len(weights) <= max(most, 3)
    assert weights.sum() == counts.sum()
    assert weights @ prompts == pytest.approx(prompt @ counts)
    assert weights @ outputs == pytest.approx(output @ counts)
    for tokens in grid:
        assert weights[prompts + outputs <= tokens].sum() == counts[prompt + output <= tokens].sum()


def test_the_first_split_is_the_one_that_removes_most_error():
    """Brute force over every axis and threshold of a small trace."""
    rng = np.random.default_rng(2)
    prompt, output = np.ceil(rng.lognormal(4, 1, (2, 40))).astype(np.int64)
    table = dict.fromkeys(zip(prompt.tolist(), output.tolist(), strict=True), 1)
    prompt, output = (np.array(axis) for axis in zip(*table, strict=True))
    counts = np.ones(len(prompt), dtype=np.int64)
    features = np.stack([row for axis in (prompt, output) for row in module._axis_features(axis * 1.0, counts)])

    def error(chosen):
        inside = features[:, chosen]
        return ((inside - inside.mean(axis=1, keepdims=True)) ** 2).sum()

    cuts = [axis < value for axis in (prompt, output) for value in np.unique(axis)[1:]]
    best = min(cuts, key=lambda below: error(below) + error(~below))
    expected = sorted((prompt[part].mean(), output[part].mean()) for part in (best, ~best))
    found = sorted(atom[1:] for atom in compress(prompt, output, counts, (), 2))
    assert np.array(found) == pytest.approx(np.array(expected))


def test_pairs_that_are_all_alike_are_one_atom():
    one = np.array([7])
    assert compress(one, one, np.array([9]), ()) == ((9.0, 7.0, 7.0),)


def test_joining_alike_pairs_first_changes_little(data, monkeypatch):
    prompt, output, counts = trace(data / "traces" / "servegen-deepseek-r1-h10.csv.gz")
    grid = tuple(int(tokens) for tokens, _ in library.load("servegen-deepseek-r1-h10").slices[0].lengths.cdf[:-1])
    monkeypatch.setattr(module, "_MOST_PAIRS", 1000)
    weights, prompts, outputs = columns(compress(prompt, output, counts, grid))
    assert weights @ prompts == pytest.approx(int(prompt @ counts), rel=1e-13)
    for lengths, found in ((prompt, prompts), (output, outputs)):
        assert moments(found, weights)[1] == pytest.approx(moments(lengths * 1.0, counts)[1], rel=0.0015)
    for tokens in grid:
        assert weights[prompts + outputs <= tokens].sum() == counts[prompt + output <= tokens].sum()


def test_the_order_of_the_rows_does_not_matter(data):
    prompt, output, counts = trace(data / "traces" / "azure-2023-code.csv.gz")
    shuffled = np.random.default_rng(1).permutation(len(counts))
    atoms = compress(prompt, output, counts, (1024,), 200)
    assert compress(prompt[shuffled], output[shuffled], counts[shuffled], (1024,), 200) == atoms
