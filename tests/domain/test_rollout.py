"""What a rollout may be asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.fleet import PoolSketch
from fleettui.domain.rollout import FROM_THE_START, NEVER, RolloutAsked, Tail, layout
from fleettui.errors import InputError

ASKED = RolloutAsked(
    pool=PoolSketch(gpu="h100", model="llama-3.1-8b", tp=1, replicas=8),
    admission="paged",
    gpus=8,
    before=1,
    after=8,
    trajectories=100,
    tail=Tail(share=0.05, factor=8.0),
    thresholds=(0.1, 0.5),
)


def test_courses_go_from_no_switch_to_the_second_layout_alone() -> None:
    assert ASKED.courses == (NEVER, 0.1, 0.5, FROM_THE_START)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"trajectories": 0}, "this number of trajectories cannot be played"),
        ({"trajectories": 10**6}, "1 to 100,000"),
        ({"gpus": 12}, "no whole number of replicas of 8"),
        ({"before": 8}, "both layouts are alike"),
        ({"thresholds": (0.0, 0.5)}, "some trajectories are left"),
        ({"thresholds": (1.0,)}, "--at"),
        ({"pause": -1.0}, "pause must not be negative"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        replace(ASKED, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["5", "5%", "5%8", "x8", "105%x8", "5%x0.5"])
def test_what_is_no_tail_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Tail.read(text)


@pytest.mark.parametrize("text", ["", "tp", "tp0", "ep8", "tp100"])
def test_what_is_no_layout_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--to: this says no layout"):
        layout(text, "--to")
