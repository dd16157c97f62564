"""The router that rewrites prompts: its pools meet, and inside them it is the router by length."""

from fleettui.routing import ROUTERS, formula_kind, length, pools_meet
from fleettui.routing.compress import ROUTER


def test_it_sends_as_by_length_to_pools_that_meet() -> None:
    assert ROUTER.choose is length.choose
    assert pools_meet(ROUTER.name, 2)
    assert not pools_meet(ROUTER.name, 1)
    assert not pools_meet("length", 2)
    assert formula_kind(ROUTER)[0] == ROUTERS.default.one_queue
