import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.domain.borderline import Band
from fleettui.errors import InputError
from fleettui.routing.length_pools import route


@given(
    split=st.integers(2, 5000),
    gamma=st.floats(1.0, 4.0),
    prompt=st.integers(1, 20_000),
    output=st.integers(1, 6000),
)
def test_the_router_compresses_who_is_borderline_and_has_room(
    split: int, gamma: float, prompt: int, output: int
) -> None:
    band = Band(split=split, gamma=gamma)
    short, _ = route([(1.0, prompt, output)], [(0, split), (split, 30_000)], gamma=gamma)
    fits = prompt + output <= split
    assert bool(short) == (fits or (band.holds(prompt, output) and band.budget(output) >= 1))
    if short and not fits:
        assert short == ((1.0, band.budget(output), output),)


@pytest.mark.parametrize(("split", "gamma"), [(0, 1.5), (8192, 0.9), (8192, 4.1), (8192, float("nan"))])
def test_a_band_that_there_cannot_be_is_refused(split: int, gamma: float) -> None:
    with pytest.raises(InputError):
        Band(split=split, gamma=gamma)
