import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.compression.compressor import Part
from fleettui.compression.prompts import Asked
from fleettui.compression.tokens import ByteCounter
from fleettui.compression.trials import Bench
from fleettui.domain.borderline import Band
from fleettui.domain.compressor_settings import Settings
from fleettui.errors import InputError
from fleettui.queueing.compression import Moved
from fleettui.queueing.moments import RequestTable
from fleettui.reports.studies.compression import NO_ROOM
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


@given(
    split=st.integers(2, 900),
    gamma=st.sampled_from([1.0, 1.1, 1.5, 2.0, 3.7]),
    prompt=st.integers(1, 2500),
    output=st.integers(1, 1200),
)
def test_router_planner_and_study_agree_on_who_is_borderline(
    split: int, gamma: float, prompt: int, output: int
) -> None:
    asked = (1.0, float(prompt), float(output))
    short, _ = route([asked], [(0, split), (split, 30_000)], gamma=gamma)
    moved = Moved.of(RequestTable.of([asked], chunk=512, prefix_hit=0.0), [split], [gamma], 1.0)
    bench = Bench(band=Band(split=split, gamma=gamma), counter=ByteCounter(), settings=Settings())
    text = "A A " * prompt  # a capital alone is half a token
    bench.put(Asked((Part(text),), output), lambda: None)
    by_router = bool(short) and prompt + output > split
    by_planner = bool(np.any(moved.joining > 0.0))
    by_study = any(one.reason != NO_ROOM for one in bench.tried)
    assert by_router == by_planner == by_study
    assert bench.beyond == (prompt + output > int(gamma * split))


@pytest.mark.parametrize(("split", "gamma"), [(0, 1.5), (8192, 0.9), (8192, 4.1), (8192, float("nan"))])
def test_a_band_that_there_cannot_be_is_refused(split: int, gamma: float) -> None:
    with pytest.raises(InputError):
        Band(split=split, gamma=gamma)
