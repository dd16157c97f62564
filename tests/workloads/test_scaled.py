import pytest

from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.errors import InputError
from fleettui.workloads.scaled import scaled

ATOMS = ((2.0, 100.0, 10.0), (1.0, 7.0, 3.0))


def test_prompts_and_outputs_are_scaled_apart_and_never_vanish() -> None:
    assert scaled(ATOMS, AS_RECORDED) == ATOMS
    assert scaled(ATOMS, Lengths(prompt=2.0)) == ((2.0, 200.0, 10.0), (1.0, 14.0, 3.0))
    assert scaled(ATOMS, Lengths(output=0.2)) == ((2.0, 100.0, 2.0), (1.0, 7.0, 1.0))


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf")])
def test_a_factor_is_a_positive_number(factor: float) -> None:
    with pytest.raises(InputError):
        Lengths(prompt=factor)
