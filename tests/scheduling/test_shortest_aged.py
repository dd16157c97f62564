"""The scheduler `shortest-aged`: the shortest prompt first, unless one waited for ten seconds."""

import pytest

from tests.simulation.samples import WAYS, engine, requests, story


@pytest.mark.parametrize("way", WAYS)
def test_who_waited_for_too_long_is_before_shorter_prompts_and_the_oldest_of_these_first(way: str) -> None:
    """The one place is free after eleven seconds; two have waited for ten then, two have not."""
    draws = requests((10, 900), (50, 3), (60, 3), (40, 3), (20, 3), arrivals=[0.0, 0.2, 0.1, 8.0, 9.0])
    found = story(way, [engine(places=1, scheduler="shortest-aged")], draws)
    assert 10.2 < found.finish[0] < 18.0
    assert sorted(range(5), key=found.admitted.__getitem__) == [0, 2, 1, 4, 3]
