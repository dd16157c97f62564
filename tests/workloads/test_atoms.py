from __future__ import annotations

import numpy as np
import pytest

from fleettui.domain.workload import LengthDistribution
from fleettui.workloads import library
from fleettui.workloads.atoms import integer_lengths, pairings, split_grid
from fleettui.workloads.grid import BREAKPOINTS
from fleettui.workloads.synthetic import lognormal_marginals

PAPERS = {
    "azure-paper": (16, 3.965616),
    "lmsys-paper": (16, 1.720571),
    "agent-heavy-paper": (16, 34.229452),
}


def lengths_of(name):
    return library.load(name).slices[0].lengths


def columns(atoms):
    return np.array(atoms).T


@pytest.mark.parametrize("name", PAPERS)
def test_whole_lengths_give_the_exact_service_time_of_the_papers_law(name):
    """(k + L_out)(W + H·16·L/8192) with W 8 ms, H 0.65 ms, chunks of 512: the exact 80/20 figures of the model."""
    slots, expected = PAPERS[name]
    tokens, shares = integer_lengths(lengths_of(name).cdf)
    prompt = np.maximum(1, np.floor(0.8 * tokens + 1e-9))
    output = np.maximum(1, tokens - prompt)
    service = (np.ceil(prompt / 512) + output) * (0.008 + 0.00065 * slots * tokens / 8192)
    assert service @ shares == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", PAPERS)
def test_total_lengths_as_atoms_keep_means_and_nearly_all_variance(name):
    lengths = lengths_of(name)
    ((how, atoms),) = pairings(lengths)
    assert how == "fixed output share"
    assert len(atoms) <= 2_000
    tokens, shares = integer_lengths(lengths.cdf)
    prompts = np.maximum(1, np.floor(0.8 * tokens + 1e-9))
    outputs = np.maximum(1, tokens - prompts)
    weights, prompt, output = columns(atoms)
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    for found, exact in ((prompt, prompts), (output, outputs), (prompt + output, prompts + outputs)):
        assert weights @ found == pytest.approx(shares @ exact, rel=1e-12)
        assert weights @ found**2 == pytest.approx(shares @ exact**2, rel=1e-5)


@pytest.mark.parametrize("name", PAPERS)
def test_splits_of_total_lengths_are_exact_on_their_grid(name):
    lengths = lengths_of(name)
    ((_, atoms),) = pairings(lengths)
    weights, prompt, output = columns(atoms)
    tokens, shares = integer_lengths(lengths.cdf)
    grid = split_grid(atoms, lengths.cdf)
    assert {point for point, (_, fraction) in zip(BREAKPOINTS, lengths.cdf, strict=True) if 0.01 < fraction < 1} <= set(
        grid
    )
    for point in grid:
        assert weights[prompt + output <= point].sum() == pytest.approx(shares[tokens <= point].sum(), abs=1e-12)


def test_joint_lengths_are_atoms_already_and_keep_their_grid():
    lengths = lengths_of("azure-2023-conv")
    assert pairings(lengths) == (("joint", lengths.atoms),)
    assert split_grid(lengths.atoms, lengths.cdf) == tuple(int(tokens) for tokens, _ in lengths.cdf[:-1])


def test_a_grid_without_cdf_is_made_from_the_atoms():
    assert split_grid(((1.0, 60.0, 5.0), (1.0, 90.0, 20.0))) == (80, 96)


def test_a_grid_of_many_points_keeps_the_steepest():
    cdf = tuple((16.0 * i, i / 400) for i in range(1, 401))
    lengths = LengthDistribution(kind="total", cdf=(*cdf[:100], *cdf[150:]), output_share=0.5)
    ((_, atoms),) = pairings(lengths)
    grid = split_grid(atoms, lengths.cdf)
    assert len(grid) == 150
    assert 151 * 16 in grid


def test_integer_lengths_are_uniform_over_each_interval():
    tokens, shares = integer_lengths(((2.0, 0.5), (4.0, 0.5), (6.0, 1.0)))
    assert tokens.tolist() == [1, 2, 5, 6]
    assert shares.tolist() == [0.25] * 4


def test_points_between_integers_share_out_their_mass():
    tokens, shares = integer_lengths(((1.5, 1.0),))
    assert tokens.tolist() == [1, 2]
    assert shares == pytest.approx([2 / 3, 1 / 3])


def test_one_token_requests_still_have_prompt_and_output():
    lengths = LengthDistribution(kind="total", cdf=((1.0, 1.0),), output_share=0.2)
    assert pairings(lengths) == (("fixed output share", ((1.0, 1.0, 1.0),)),)


MARGINALS = lognormal_marginals(((0.5, 900), (0.99, 8000)), ((0.5, 200), (0.99, 1500)))


def test_three_pairings_share_their_marginals():
    found = dict(pairings(MARGINALS))
    assert list(found) == ["same order", "independent", "opposite order"]
    for cdf, axis in ((MARGINALS.prompt_cdf, 1), (MARGINALS.output_cdf, 2)):
        tokens, shares = integer_lengths(cdf)
        for atoms in found.values():
            table = columns(atoms)
            assert len(atoms) <= 2_000
            assert table[0].sum() == pytest.approx(1, abs=1e-12)
            assert table[0] @ table[axis] == pytest.approx(tokens @ shares, rel=1e-9)
            assert table[0] @ table[axis] ** 2 == pytest.approx(tokens**2 @ shares, rel=0.002)


def test_pairings_are_ordered_by_how_prompt_and_output_go_together():
    correlation = {}
    for name, atoms in pairings(MARGINALS):
        weights, prompt, output = columns(atoms)
        correlation[name] = weights @ (prompt * output) - (weights @ prompt) * (weights @ output)
    assert correlation["same order"] > 0 > correlation["opposite order"]
    assert correlation["independent"] == pytest.approx(0, abs=1e-6 * correlation["same order"])
    same = np.array(dict(pairings(MARGINALS))["same order"])
    assert (np.diff(same[:, 1]) >= 0).all()
    assert (np.diff(same[:, 2]) >= 0).all()


def test_a_fixed_length_pairs_with_anything():
    lengths = LengthDistribution(kind="marginals", prompt_cdf=((1.0, 1.0),), output_cdf=((1.0, 0.5), (2.0, 1.0)))
    for _, atoms in pairings(lengths):
        assert sorted(atoms) == [(0.5, 1.0, 1.0), (0.5, 1.0, 2.0)]
