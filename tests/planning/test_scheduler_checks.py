"""What a scheduler needs of a question is said before anything runs."""

from dataclasses import replace

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.errors import InputError, UnknownNameError
from fleettui.planning.scheduler_checks import check_scheduler
from fleettui.scheduling import SCHEDULERS
from tests.planning.simulated import SHIPPED


def test_the_roofline_times_no_prompts_alone() -> None:
    with pytest.raises(InputError, match="does not time prompts in steps of their own"):
        check_scheduler(SHIPPED, "prefill-first")
    check_scheduler(replace(SHIPPED, step_law="kernels"), "prefill-first")


def test_turns_know_of_no_clients_that_leave() -> None:
    impatient = replace(SHIPPED, bounds=Bounds(timeout=9.0))
    for one in SCHEDULERS:
        if one.turns is None and not one.alone:
            check_scheduler(impatient, one.name)
    with pytest.raises(InputError, match="clients that leave"):
        check_scheduler(impatient, "mlfq")
    check_scheduler(replace(SHIPPED, bounds=Bounds(queue=9)), "mlfq")


def test_turns_know_of_no_drafts() -> None:
    with pytest.raises(InputError, match="not simulated with drafts"):
        check_scheduler(replace(SHIPPED, step_law="kernels", speculative="mtp:3@79%/48%/22%"), "mlfq")


def test_what_is_moved_out_was_preempted_without_turns() -> None:
    asked = replace(SHIPPED, step_law="kernels", kv_offload="100GB@25GB/s")
    for one in SCHEDULERS:
        if one.turns is None and not one.reserves:
            check_scheduler(asked, one.name)
    with pytest.raises(InputError, match="admission reserved preempts and drops nothing"):
        check_scheduler(asked, "reserved")
    with pytest.raises(InputError, match="admission mlfq is not simulated with it"):
        check_scheduler(asked, "mlfq")
    check_scheduler(replace(asked, prefix_cache=True), "mlfq")


def test_priority_needs_two_classes() -> None:
    with pytest.raises(InputError, match="preempt those of class batch"):
        check_scheduler(SHIPPED, "priority")
    check_scheduler(replace(SHIPPED, batch_share=0.3), "priority")
    with pytest.raises(UnknownNameError, match="admission"):
        check_scheduler(SHIPPED, "h2q")
