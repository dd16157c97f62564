"""The scheduler `shortest`: of what waits, the fewest prompt tokens to compute first."""

import pytest

from tests.simulation.samples import WAYS, engine, requests, story

ONE_PLACE = engine(places=1, scheduler="shortest")


@pytest.mark.parametrize("way", WAYS)
def test_what_waits_is_served_by_its_prompt_and_equals_as_they_came(way: str) -> None:
    draws = requests((10, 9), (50, 3), (40, 3), (20, 3), (40, 3), arrivals=[0.0, 0.01, 0.02, 0.03, 0.04])
    admitted = story(way, [ONE_PLACE], draws).admitted
    assert sorted(range(5), key=admitted.__getitem__) == [0, 3, 2, 4, 1]


@pytest.mark.parametrize("way", WAYS)
def test_tokens_that_are_cached_count_for_nothing(way: str) -> None:
    draws = requests((10, 9), (50, 3), (60, 3), arrivals=[0.0, 0.01, 0.02], cached=[0, 0, 48])
    admitted = story(way, [ONE_PLACE], draws).admitted
    assert admitted[0] < admitted[2] < admitted[1]


@pytest.mark.parametrize("way", WAYS)
def test_a_short_prompt_is_served_while_a_long_one_waits_for_blocks(way: str) -> None:
    """The long one does not fit beside what runs; the short one does, at the end of the step in which it comes."""
    draws = requests((60, 60), (90, 3), (5, 3), arrivals=[0.0, 0.05, 0.2])
    found = story(way, [engine(blocks=10, watermark=0, budget=128, scheduler="shortest")], draws)
    assert found.admitted[2] < found.arrival[2] + 0.02
    assert found.admitted[1] > found.finish[2]


@pytest.mark.parametrize("way", WAYS)
def test_what_was_preempted_stays_first(way: str) -> None:
    """Two grow until the second loses its blocks; shorter prompts that come then wait for it, in their own order."""
    draws = requests((60, 60), (60, 60), (20, 3), (10, 3), (15, 3), arrivals=[0.0, 0.01, 0.45, 0.46, 0.47])
    found = story(way, [engine(places=2, blocks=10, watermark=0, budget=128, scheduler="shortest")], draws)
    assert found.preempted
    assert found.admitted[1] < found.arrival[2] < found.finish[0] <= min(found.admitted[2:])
    assert found.admitted[3] < found.admitted[4] < found.admitted[2]
