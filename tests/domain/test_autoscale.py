"""What policies are set to: bounds, and the delay's stages against those that were measured."""

import pytest

from fleettui.domain.autoscale import Delay, Event, Rules
from fleettui.errors import InputError


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"step": 0.0}, "step must be above zero"),
        ({"target": 1.5}, "target is no share of a replica's full load"),
        ({"target": 0.0}, "target is no share of a replica's full load"),
        ({"least": 4, "most": 3}, "give --max at least as many as --min"),
        ({"least": -1}, "least is no bound of a pool"),
        ({"least": 10**400}, "accepted: 0 to 16,384 replicas"),
        ({"most": 4_000_000_000}, "most is no bound of a pool"),
        ({"queue": -1}, "queue must not be negative"),
        ({"cycle": 0.0}, "cycle must be above zero"),
        ({"beta": -0.1}, "beta must not be negative"),
    ],
)
def test_rules_that_cannot_be_are_refused(changes: dict[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Rules(**changes)  # type: ignore[arg-type]


def test_a_slow_replica_is_slower() -> None:
    with pytest.raises(InputError, match="how many times as long its steps take must be above 1"):
        Event(kind="slow", start=0.0, size=1.0, seconds=60.0)


def test_a_delay_is_not_negative() -> None:
    with pytest.raises(InputError, match="typed must not be negative"):
        Delay(typed=-1.0)
    with pytest.raises(InputError, match="load_rate must be above zero"):
        Delay(load_rate=0.0)


@pytest.mark.parametrize(
    ("delay", "weights", "measured"),
    [
        (Delay(node=0.0, image=0.0, load_rate=7e9, warm_up=205.0), 71e9, 215.0),  # 70B in fp8, its pages cached
        (Delay(node=0.0, image=0.0, load_rate=1.75e9, warm_up=253.0), 35e9 / 2, 277.0),  # 35B in four bits
    ],
)
def test_the_stages_add_up_to_what_was_measured(delay: Delay, weights: float, measured: float) -> None:
    assert delay.seconds(weights) == pytest.approx(measured, rel=0.3)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"kind": "loss", "start": 0.0, "size": 1.0}, "the share that is lost"),
        ({"kind": "spike", "start": 0.0, "size": 2.0}, "how long it lasts"),
        ({"kind": "reclaim", "start": 0.0, "size": 0.2}, "how long it lasts"),
        ({"kind": "failed", "start": 0.0, "size": 1.0, "seconds": 60.0}, "the share of launches that fail"),
        ({"kind": "hits", "start": 0.0, "size": 1.0, "seconds": 60.0}, "the share of hits that is left"),
        ({"kind": "prompts", "start": 0.0, "size": 0.0, "seconds": 60.0}, "how many times as long prompts are"),
        ({"kind": "spike", "start": -1.0, "size": 2.0, "seconds": 1.0}, "start must not be negative"),
        ({"kind": "flood", "start": 0.0, "size": 2.0}, "unknown kind"),
    ],
)
def test_an_event_that_cannot_be_is_refused(event: dict[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Event(**event)  # type: ignore[arg-type]


def test_weights_take_as_long_as_the_disk_says() -> None:
    def seconds(rate: float) -> float:
        return Delay(node=0.0, image=0.0, warm_up=0.0, load_rate=rate).seconds(141e9)

    assert [round(seconds(rate)) for rate in (0.2e9, 1e9, 3e9, 7e9, 20e9)] == [705, 141, 47, 20, 7]
