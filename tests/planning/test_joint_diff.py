"""What a workload is asked for in one joint plan that it is not in another."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.planning.joint_diff import UNLIMITED, asked_otherwise
from fleettui.planning.kept_plan import KeptPlan
from store import Store
from tests.store import samples

BOTH = ("a100", "h100")
LEFT = (("a100", 4),)


def asking(store: Store, **changes: Any) -> KeptPlan:
    """Return a kept plan whose question is another."""
    kept = KeptPlan.of(store, samples.add(store).plan.id)
    scenario = replace(kept.scenario, question=replace(kept.question, **{**UNLIMITED, **changes}))
    return replace(kept, scenario=scenario)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ({"gpus": BOTH}, {"gpus": ("a100",), "max_gpus": LEFT}, []),
        ({"gpus": ("a100",), "max_gpus": LEFT, "budget": 9.0}, {"gpus": BOTH}, []),
        ({"gpus": ("a100",), "max_gpus": LEFT}, {"gpus": ("h100",), "max_total_gpus": 4}, []),
        ({"gpus": ()}, {"gpus": ("a100",), "max_gpus": LEFT}, []),
        ({"gpus": BOTH}, {"gpus": ("a100",)}, ["gpu: a100,h100 -> a100"]),
        ({"gpus": ("h100",)}, {"gpus": BOTH, "max_gpus": LEFT}, ["gpu: h100 -> a100,h100"]),
        ({"gpus": BOTH, "tp": (4,)}, {"gpus": BOTH, "tp": (8,), "max_gpus": LEFT}, ["tp: 4 -> 8"]),
    ],
)
def test_what_others_left_is_not_asked_for(
    store: Store, old: dict[str, Any], new: dict[str, Any], told: list[str]
) -> None:
    assert list(asked_otherwise(asking(store, **old), asking(store, **new))) == told


def test_hardware_that_one_was_planned_without_is_no_change(store: Store) -> None:
    both, left = asking(store, gpus=BOTH), asking(store, gpus=("a100",), max_gpus=LEFT)
    (first, *_) = both.profiles
    one, two = (replace(first, gpu=gpu) for gpu in BOTH)
    assert list(asked_otherwise(replace(both, profiles=(one, two)), replace(left, profiles=(one,)))) == []
