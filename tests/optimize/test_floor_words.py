"""What is advised where no number of replicas does: nothing that cannot help."""

import dataclasses

from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.optimize.floor_words import helping
from tests.optimize.samples import profile, question


def _on(tp: int, dtype: str) -> Profile:
    return dataclasses.replace(profile(), gpu="h100", tp=tp, dtype=dtype, units=None)  # type: ignore[arg-type]


def _asked(*tp: int) -> Question:
    return question(tp=tp, dtype="bf16")


def test_more_tp_is_no_advice_where_there_is_none() -> None:
    assert helping(_on(8, "bf16"), 1.5, _asked(8)) == "a limit above that, faster GPUs or --dtype fp8 may help"
    assert helping(_on(4, "fp8"), 1.5, _asked(4)) == "a limit above that, faster GPUs or more --tp (up to 8) may help"


def test_over_pcie_fewer_gpus_may_be_faster() -> None:
    """Found: L40S at tp 4 were told that more might help, at 8 they take twice as long, and 1 and 2 hold."""
    l40s = dataclasses.replace(_on(4, "fp8"), gpu="l40s")
    assert helping(l40s, 1.5, _asked(4)) == "a limit above that, faster GPUs or another --tp (1 to 8) may help"
    assert helping(l40s, 1.5, _asked(8)) == "a limit above that, faster GPUs or another --tp (1 to 8) may help"
    assert helping(l40s, 1.5, _asked(1, 2, 4, 8)) == "a limit above that or faster GPUs may help"


def test_what_the_search_looked_at_is_no_advice() -> None:
    assert helping(_on(2, "fp8"), 1.5, _asked()) == "a limit above that or faster GPUs may help"
    assert helping(_on(2, "fp8"), 1.5, _asked(2, 8)) == "a limit above that or faster GPUs may help"
    assert helping(_on(2, "bf16"), 1.5, question(dtype="auto")) == "a limit above that or faster GPUs may help"


def test_what_nothing_makes_fast_enough_needs_another_limit() -> None:
    assert helping(_on(8, "bf16"), 30.0, _asked()).startswith("only a limit above that helps: no GPU, tp up to 8")
    assert helping(_on(8, "bf16"), 30.0, _asked()).endswith("is 30 times as fast")
    unknown = dataclasses.replace(_on(8, "bf16"), gpu="mine")
    assert "may help" in helping(unknown, 30.0, _asked()), "nothing is known of others beside it"
