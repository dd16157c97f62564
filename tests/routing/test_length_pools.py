"""The length router: whole distributions cut at the pools' ends, with and without rewriting."""

import math

import numpy as np
import pytest

from fleettui.domain.workload import Atom
from fleettui.errors import InputError
from fleettui.routing.length_pools import extent, route


def ends(*up_to: int) -> tuple[tuple[int, int], ...]:
    """Return the ranges that end there, the first one from 0 on."""
    return tuple(zip((0, *up_to[:-1]), up_to, strict=True))


def random_atoms(seed: int, count: int = 500) -> tuple[Atom, ...]:
    """Return atoms of fractional lengths, as a compressed trace has them."""
    rng = np.random.default_rng(seed)
    columns = rng.uniform(0.1, 9.0, count), rng.uniform(1, 6000, count), rng.uniform(1, 2000, count)
    return tuple(zip(*(column.tolist() for column in columns), strict=True))


def weight(atoms: tuple[Atom, ...]) -> float:
    return math.fsum(one for one, _, _ in atoms)


def test_one_pool_gets_every_atom_as_it_is() -> None:
    atoms = random_atoms(1)
    assert route(atoms, ends(8192)) == (atoms,)
    assert route(atoms, ends(8192), gamma=2.0) == (atoms,)


def test_a_pool_holds_its_upper_end_and_not_its_lower_one() -> None:
    atoms = ((1.0, 999.0, 1.0), (2.0, 999.0, 1.5), (3.0, 1500.0, 500.0), (4.0, 1501.0, 500.0), (5.0, 1.0, 3999.0))
    assert route(atoms, ends(1000, 2000, 4000)) == (atoms[:1], atoms[1:3], atoms[3:])


@pytest.mark.parametrize("compressible", [0.0, 0.75, 1.0])
def test_gamma_of_one_changes_nothing(compressible: float) -> None:
    atoms = random_atoms(2)
    pools = route(atoms, ends(1000, 3000, 8192), compressible=compressible)
    assert sorted(atom for pool in pools for atom in pool) == sorted(atoms)
    for pool, (above, up_to) in zip(pools, ends(1000, 3000, 8192), strict=True):
        assert all(above < prompt + output <= up_to for _, prompt, output in pool)


def test_the_compressible_share_is_rewritten_to_the_shorter_pools_end() -> None:
    atoms = ((8.0, 500.0, 500.0), (4.0, 1200.0, 300.0), (2.0, 1201.0, 300.0))
    short, long = route(atoms, ends(1000, 4000), gamma=1.5, compressible=0.75)
    assert short == ((8.0, 500.0, 500.0), (3.0, 700.0, 300.0))
    assert long == ((1.0, 1200.0, 300.0), (2.0, 1201.0, 300.0))


def test_the_end_of_rewriting_is_a_whole_number_of_tokens() -> None:
    atoms = ((1.0, 900.0, 90.0), (1.0, 1400.0, 101.0), (1.0, 1400.0, 101.25))
    short, long = route(atoms, ends(1001, 4000), gamma=1.5)  # 1501.5
    assert short == ((1.0, 900.0, 90.0), (1.0, 900.0, 101.0))
    assert long == (atoms[2],)


@pytest.mark.parametrize(("output", "moved"), [(998.5, True), (999.0, True), (999.5, False), (1000.0, False)])
def test_a_prompt_keeps_a_token_or_its_request_its_pool(output: float, moved: bool) -> None:
    atoms = ((1.0, 10.0, 10.0), (1.0, 100.0, output), (1.0, 3000.0, 10.0))
    short, long = route(atoms, ends(1000, 4000), gamma=1.5)
    assert short[1:] == (((1.0, 1000.0 - output, output),) if moved else ())
    assert long == (atoms[2:] if moved else atoms[1:])


def test_every_atom_is_rewritten_to_the_next_shorter_pool_only() -> None:
    atoms = ((1.0, 900.0, 50.0), (1.0, 1300.0, 100.0), (1.0, 1600.0, 100.0), (1.0, 3500.0, 100.0))
    pools = route(atoms, ends(1000, 1500, 4000), gamma=2.0)  # 1700 is below 2 × 1000 and below 2 × 1500
    assert pools == (
        ((1.0, 900.0, 50.0), (1.0, 900.0, 100.0)),
        ((1.0, 1400.0, 100.0),),
        ((1.0, 3500.0, 100.0),),
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("compressible", [0.0, 0.3, 1.0])
def test_weights_and_outputs_are_conserved_and_ranges_are_kept(seed: int, compressible: float) -> None:
    atoms = random_atoms(seed)
    pools = route(atoms, ends(1000, 3000, 8192), gamma=1.7, compressible=compressible)
    together = tuple(atom for pool in pools for atom in pool)
    assert weight(together) == pytest.approx(weight(atoms), rel=1e-14)
    tokens = [math.fsum(one * output for one, _, output in some) for some in (together, atoms)]
    assert tokens[0] == pytest.approx(tokens[1], rel=1e-14)
    assert all(one > 0 and prompt >= 1 for one, prompt, _ in together)
    for pool, (above, up_to) in zip(pools, ends(1000, 3000, 8192), strict=True):
        assert all(above < prompt + output <= up_to for _, prompt, output in pool)
    totals = [prompt + output for _, prompt, output in atoms]
    assert not {1000.0, 3000.0} & set(totals), "then a total at an end is a rewritten one"
    near = [atom for atom, total in zip(atoms, totals, strict=True) if 1000 < total <= 1700 and atom[2] <= 999]
    far = [total for total in totals if 3000 < total <= 5100]  # no output is too long to fit below 3000
    results = [prompt + output for _, prompt, output in together]
    assert results.count(1000.0) == (len(near) if compressible else 0)
    assert results.count(3000.0) == (len(far) if compressible else 0)
    assert len(near) > 10
    assert len(far) > 10


def test_requests_longer_than_the_fleet_are_refused_with_their_share() -> None:
    atoms = ((199.0, 500.0, 500.0), (1.0, 9000.0, 500.0))
    with pytest.raises(InputError, match=r"^0\.5 % of the requests are longer than the fleet's context of 8,192 tok"):
        route(atoms, ends(1000, 8192))
    with pytest.raises(InputError, match=r"9,500 tokens, the longest request"):
        route(atoms, ends(1000, 8192), gamma=2.0)  # nothing is rewritten past the last pool


def test_a_request_that_just_fits_is_not_told_to_be_longer() -> None:
    with pytest.raises(InputError, match=r"^25 % of the requests are longer than the fleet's context of 8,192 tokens"):
        route(((3.0, 8000.0, 192.0), (1.0, 8000.0, 193.0)), ends(8192))


def test_a_share_that_rounds_to_nothing_is_still_told() -> None:
    with pytest.raises(InputError, match=r"^1e-06 % of"):
        route(((1e8, 500.0, 500.0), (1.0, 9000.0, 500.0)), ends(8192))


def test_requests_shorter_than_the_first_pools_range_are_refused() -> None:
    with pytest.raises(InputError, match=r"^25 % of the requests have at most 1,000 tokens; no pool serves them"):
        route(((1.0, 500.0, 500.0), (3.0, 2000.0, 500.0)), ((1000, 8192),))


def test_a_pool_may_have_no_request() -> None:
    atoms = ((1.0, 100.0, 20.0), (1.0, 1400.0, 100.0))
    assert route(atoms, ends(1000, 2000, 8192))[2] == ()
    assert route(atoms, ends(1000, 2000), gamma=1.5)[1] == ()  # all that it had is rewritten


def test_the_extent_of_a_distribution_is_in_total_tokens() -> None:
    assert extent(((1.0, 100.0, 20.0), (1.0, 1400.0, 100.0))) == (120.0, 1500.0)
