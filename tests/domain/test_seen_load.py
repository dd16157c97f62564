"""How near a load is to one that was seen, and what is known there."""

import pytest

from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.seen_load import SeenLoad

SET = EngineSettings(max_num_seqs=256, token_budget=8192)


def load(band: float = 0.01) -> SeenLoad:
    return SeenLoad(rate=4.0, prompt_tokens=1000.0, output_tokens=200.0, prefix_hit=0.0, settings=SET, band=band)


@pytest.mark.parametrize(
    ("rate", "share"), [(4.0, 0.03), (4.4, 0.03), (4.5, 0.11), (6.0, 0.11), (4.0 / 1.5, 0.11), (6.1, None), (2.6, None)]
)
def test_the_nearer_the_load_the_better_steps_are_known(rate: float, share: float | None) -> None:
    found = load().factors_at(rate)
    assert found == (None if share is None else pytest.approx((1 / (1 + share), 1 / (1 - share))))


def test_what_was_seen_for_a_short_time_is_known_no_better_anywhere() -> None:
    assert load(band=0.2).bands == ((1.5, 0.2), (1.1, 0.2))
    assert load(band=0.05).bands == ((1.5, 0.11), (1.1, 0.05))


def test_other_requests_and_other_settings_are_not_what_was_seen() -> None:
    assert load().is_of(1040.0, 195.0, 0.0, SET)
    assert not load().is_of(1100.0, 200.0, 0.0, SET)
    assert not load().is_of(1000.0, 220.0, 0.0, SET)
    assert not load().is_of(1000.0, 200.0, 0.3, SET)
    assert not load().is_of(1000.0, 200.0, 0.0, EngineSettings(max_num_seqs=256, token_budget=2048))
