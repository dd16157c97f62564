"""The routers by name."""

import pytest

from fleettui.domain.fleet import FleetSketch
from fleettui.errors import UnknownNameError
from fleettui.routing import ROUTERS, length, named


def test_a_fleets_own_default_is_known() -> None:
    assert named(FleetSketch(pools=()).router) is length.route


def test_an_unknown_router_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown router") as refused:
        named("lenght")
    assert "did you mean length?" in str(refused.value)
    assert all(name in str(refused.value) for name in ROUTERS)
