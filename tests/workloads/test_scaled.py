from dataclasses import replace

import pytest

from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.domain.workload import LengthDistribution, TimeSlice, Workload
from fleettui.errors import InputError
from fleettui.workloads.atoms import pairings
from fleettui.workloads.library import load
from fleettui.workloads.scaled import lengthened, scaled
from fleettui.workloads.synthetic import lognormal_marginals

ATOMS = ((2.0, 100.0, 10.0), (1.0, 7.0, 3.0))


def test_prompts_and_outputs_are_scaled_apart_and_never_vanish() -> None:
    assert scaled(ATOMS, AS_RECORDED) == ATOMS
    assert scaled(ATOMS, Lengths(prompt=2.0)) == ((2.0, 200.0, 10.0), (1.0, 14.0, 3.0))
    assert scaled(ATOMS, Lengths(output=0.2)) == ((2.0, 100.0, 2.0), (1.0, 7.0, 1.0))


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf")])
def test_a_factor_is_a_positive_number(factor: float) -> None:
    with pytest.raises(InputError):
        Lengths(prompt=factor)


def test_a_workload_is_as_much_longer_and_comes_as_often() -> None:
    before = load("azure-2023-conv")
    after = lengthened(before, Lengths(prompt=0.9))
    one, other = before.slices[0].lengths, after.slices[0].lengths
    assert (after.arrivals, other.n_samples, other.output) == (before.arrivals, one.n_samples, one.output)
    assert one.prompt is not None
    assert other.prompt is not None
    assert one.total is not None
    assert other.total is not None
    assert (other.prompt.mean, other.prompt.p99) == pytest.approx((0.9 * one.prompt.mean, 0.9 * one.prompt.p99))
    mean = sum(w * (p + o) for w, p, o in other.atoms) / sum(w for w, _, _ in other.atoms)
    assert other.total.mean == pytest.approx(mean, rel=1e-3)
    assert one.total.p99 * 0.9 < other.total.p99 < one.total.p99


def test_lengths_that_are_known_apart_or_together_are_scaled_too() -> None:
    apart = lognormal_marginals(((0.5, 900.0), (0.99, 8000.0)), ((0.5, 200.0), (0.99, 1500.0)))
    slices = (TimeSlice(start=0.0, duration=0.0, rate=None, lengths=apart),)
    (found,) = lengthened(Workload(name="apart", slices=slices), Lengths(output=2.0)).slices
    assert found.lengths.prompt_cdf == apart.prompt_cdf
    assert found.lengths.output_cdf[-1][0] == 2.0 * apart.output_cdf[-1][0]
    whole = LengthDistribution(kind="total", cdf=((100.0, 0.5), (200.0, 1.0)), output_share=0.2)
    slices = (replace(slices[0], lengths=whole),)
    (found,) = lengthened(Workload(name="whole", slices=slices), Lengths(prompt=0.5)).slices
    (_, before), (_, after) = pairings(whole)[0], pairings(found.lengths)[0]
    assert after == scaled(before, Lengths(prompt=0.5))
