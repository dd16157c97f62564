"""Which routers apply to a question and a fleet, and that the others say why and what to do."""

from dataclasses import replace

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.demand import Demand
from fleettui.domain.fleet import Fleet
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.routers_that_apply import Applying
from fleettui.routing import ROUTERS
from tests.simulation.samples import pool

ASKED = Question(workload="azure-2023-conv", demand=Demand(form="rate", rate=9.0), slo=Slo(ttft=1.0), pools=(2,))
POOLS = (pool("short", up_to=1_000), pool("long", above=1_000))
TWO = Fleet(pools=POOLS)
CLASSES = replace(ASKED, batch_share=0.3)


def left(question: Question, pools: int, fleet: Fleet | None = TWO) -> dict[str, str]:
    """Return by router what is to be done for it to apply."""
    found = Applying.to(question, pools, fleet)
    assert set(found.names) | {one.router for one in found.left} == set(ROUTERS.names)
    assert not set(found.names) & {one.router for one in found.left}
    return {one.router: one.remedy for one in found.left}


def test_each_wants_what_it_sends_by() -> None:
    assert set(left(ASKED, 2)) == {"class", "prefix-aware", "session-affinity", "session-bounded"}
    assert "class" not in left(CLASSES, 2)
    assert set(left(CLASSES, 1)) >= {"class", "compress", "spillover", "least-loaded"}
    assert left(ASKED, 2)["class"].startswith("plan with --batch-share")


@pytest.mark.parametrize(
    ("changes", "remedy"),
    [
        ({"bounds": Bounds(queue=9, retries=2, backoff=1.0)}, "plan without --retries"),
        ({"length_error": 0.4}, "plan without --length-error"),
        ({"prefix_cache": True}, "plan without --prefix-cache"),
    ],
)
def test_those_between_pools_say_what_keeps_them(changes: dict[str, object], remedy: str) -> None:
    found = left(replace(CLASSES, **changes), 2)  # type: ignore[arg-type]
    assert {found[one.name] for one in ROUTERS if one.meets} == {remedy}


def test_prompts_are_rewritten_behind_one_router_or_behind_all() -> None:
    every, own = Fleet(pools=POOLS, gamma=1.5), Fleet(pools=POOLS, gamma=1.5, router="compress")
    assert left(ASKED, 2, every)["compress"] == "plan without --gamma"
    assert "compress" not in left(ASKED, 2, own)
    assert "compress" in left(ASKED, 2, None), "a search for routers has --gamma beside it"
    assert left(replace(ASKED, sessions=True), 2)["compress"] == "plan without --sessions"
