"""The delay and the rules of an autoscale study as people type them."""

import pytest

from fleettui.domain.autoscale import Delay
from fleettui.errors import InputError
from fleettui.reports.autoscale_text import EVENTS, read_delay, read_event, read_rules, write_delay, write_event


@pytest.mark.parametrize(
    "text", ["300s", "0s", "node=0s,image=2min,disk=5GB/s,warm-up=30s", "300s,cv=0.3", "node=1s,cv=0.5"]
)
def test_a_delay_reads_back_as_it_is_written(text: str) -> None:
    found = read_delay(text)
    assert read_delay(write_delay(found)) == found


def test_stages_that_are_not_said_are_as_by_default() -> None:
    assert read_delay("disk=500MB/s") == Delay(load_rate=5e8)
    assert read_delay("5min") == Delay(typed=300.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-5s", "delay must not be negative"),
        ("300", "delay needs a unit"),
        ("boot=3min", "no stage of a delay"),
        ("node=1s,node=2s", "no stage of a delay"),
        ("disk=0GB/s", "load rate must be above zero"),
        ("node=-1s", "delay must not be negative"),
        ("300s,node=3s", "no stage of a delay"),
        ("300s,cv=-1", "--delay: cv: number must not be negative"),
        ("300s,cv=0.1,cv=0.2", "no stage of a delay"),
    ],
)
def test_what_is_no_delay_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_delay(text, "--delay")


NO_EVENTS = "spike=3x@14h loss=20%@14h+5min flood=2x@1h loss=120%@1h spike=x@1h+1h reclaim=20%@1h hits=2x@1h+1h"


@pytest.mark.parametrize("text", NO_EVENTS.split())
def test_what_is_no_event_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_event(text, "--event")


def test_rules_are_read_by_the_names_of_their_options() -> None:
    given = {"cycle": "1min", "beta": "2", "step": "0.5", "target": "80%", "queue": "0", "min": "2", "max": "9"}
    found = read_rules(given)
    assert (found.cycle, found.beta, found.step, found.target) == (60.0, 2.0, 0.5, 0.8)
    assert (found.queue, found.least, found.most) == (0, 2, 9)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"step": "0"}, "--step: step must be above zero"),
        ({"target": "150%"}, "--target: target is above 1"),
        ({"target": "0%"}, "--target: target must be above zero"),
        ({"min": "4", "max": "3"}, "give --max at least as many as --min"),
        ({"min": "-1"}, "--min: this is no whole number, 0 or above"),
        ({"min": "9" * 5000}, "--min: this is no whole number, 0 or above"),
        ({"queue": "few"}, "--queue: this is no whole number, 0 or above"),
        ({"retries": "21"}, "--retries: this number of retries is too large"),
        ({"retries": "-1"}, "--retries: this is no whole number, 0 or above"),
        ({"retry-backoff": "1s"}, "--retry-backoff: nobody comes again"),
        ({"exclude": "-1"}, "--exclude: this is no whole number, 0 or above"),
        ({"hold": "-1s"}, "--hold: hold time must not be negative"),
        ({"cycle": "0s"}, "--cycle: cycle must be above zero"),
    ],
)
def test_rules_that_cannot_be_are_refused(given: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_rules(given)


@pytest.mark.parametrize("text", [example for _, example in EVENTS.values()])
def test_every_kind_of_event_is_read_as_it_is_written(text: str) -> None:
    found = read_event(text)
    assert read_event(write_event(found)) == found
    assert found.start == 14 * 3600.0
    assert (found.seconds > 0.0) == (found.kind != "loss")
