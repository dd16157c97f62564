"""What of a plan no argument of its server sets is said at the head of its files, and what one sets is not."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.reports.handoff.model import Subject
from fleettui.reports.handoff.not_set import not_set
from fleettui.reports.handoff.texts import warnings
from fleettui.scheduling import SCHEDULERS
from tests.reports.handoff.plans import kept, with_fleet

LEAVING = Bounds(queue=200, timeout=30.0, retries=3, backoff=1.0)


def told(**asked: Any) -> list[str]:
    return list(not_set(Subject.of(kept(**asked))))


def admitted(engine: str, admission: str) -> list[str]:
    given = with_fleet(kept(engine=engine), lambda best: replace(best, fleet=replace(best.fleet, admission=admission)))
    return list(not_set(Subject.of(given)))


@pytest.mark.parametrize(
    ("engine", "settable"),
    [("vllm", {"paged", "priority"}), ("sglang", {"paged", "prefill-first"}), ("trtllm", {"paged", "reserved"})],
)
def test_schedulers_that_a_server_has_not_are_named(engine: str, settable: set[str]) -> None:
    assert {name for name in SCHEDULERS.names if not admitted(engine, name)} == settable
    assert admitted(engine, "mlfq") == [f"the plan admits requests as mlfq: not settable in {engine}"]


def test_bounds_are_those_of_a_server_a_gateway_or_the_clients() -> None:
    leaves = "clients leave after 30 s without a first token, and come again up to 3 times"
    queue, clients = told(bounds=LEAVING)
    assert queue == "in the plan 200 requests may wait at a replica: not settable in vllm, but in a gateway"
    assert leaves in clients
    (alone,) = told(bounds=LEAVING, engine="sglang")
    assert alone == clients
    (patient,) = told(bounds=Bounds(timeout=30.0), engine="sglang")
    assert "come again" not in patient


def test_a_cap_is_set_on_the_nodes() -> None:
    assert told(power_cap=500.0) == [
        "in the plan no GPU draws more than 500 W: set on each node, by nvidia-smi --power-limit 500"
    ]


@pytest.mark.parametrize(
    ("engine", "said", "words"),
    [
        ("vllm", "1,2,4", []),
        ("vllm", "decode:engine", []),
        ("sglang", "engine", []),
        ("sglang", "decode:1,2,4", []),
        (
            "sglang",
            "1,2,4",
            ["in the plan steps are padded to 1,2,4: those with prompts are padded to sglang's own sizes"],
        ),
        ("trtllm", "decode:1,2,4", []),
        ("trtllm", "1,2,4", ["in the plan steps are padded to 1,2,4: those with prompts run as they are in trtllm"]),
    ],
)
def test_bins_that_a_server_has_not_are_named(engine: str, said: str, words: list[str]) -> None:
    assert told(engine=engine, graph_bins=said, step_law="kernels") == words


def test_what_is_not_set_is_warned_of_at_the_head_of_every_file() -> None:
    deployed = Subject.of(kept(bounds=LEAVING))
    assert set(not_set(deployed)) <= set(warnings(deployed))
