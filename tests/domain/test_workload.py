"""What a length distribution refuses, with the place and the value in the message."""

import math

import pytest

from fleettui.domain.workload import LengthDistribution, Workload, check_atoms, check_cdf
from fleettui.errors import InputError

BAD_CDFS = [
    ((), "is empty"),
    (((100.0, 0.5), (100.0, 1.0)), "tokens must rise"),
    (((100.0, 0.5), (200.0, 0.4), (300.0, 1.0)), "fraction falls"),
    (((100.0, 0.5), (200.0, 0.9)), "ends below 1"),
    (((100.0, 0.5), (200.0, 1.5)), "above 1"),
    (((100.0, 50.0), (200.0, 100.0)), "divide every fraction by 100"),
    (((100.0, math.nan), (200.0, 1.0)), "not a number"),
    (((0.0, 0.5), (200.0, 1.0)), "above zero"),
]


@pytest.mark.parametrize(("points", "words"), BAD_CDFS)
def test_a_bad_cdf_is_refused(points: tuple[tuple[float, float], ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_cdf("cdf", points)


@pytest.mark.parametrize("atom", [(0.0, 5.0, 5.0), (-1.0, 5.0, 5.0), (1.0, 0.5, 5.0), (1.0, 5.0, math.inf)])
def test_a_bad_atom_is_refused(atom: tuple[float, float, float]) -> None:
    with pytest.raises(InputError, match="atom 1"):
        check_atoms(((1.0, 10.0, 10.0), atom))


def test_a_total_needs_an_output_share() -> None:
    with pytest.raises(InputError, match="--output-share"):
        LengthDistribution(kind="total", cdf=((100.0, 1.0),))
    with pytest.raises(InputError, match="output_share"):
        LengthDistribution(kind="total", cdf=((100.0, 1.0),), output_share=1.2)


def test_a_workload_needs_a_slice() -> None:
    with pytest.raises(InputError, match="time slice"):
        Workload(name="empty", slices=())
