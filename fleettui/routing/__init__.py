"""How requests find their pool, and inside it their replica: light data plus one rule each."""

from __future__ import annotations

from fleettui.errors import UnknownNameError
from fleettui.routing import length

ROUTERS = {"length": length.route}
"""What sends the requests of a length distribution to pools, by name."""


def named(name: str) -> length.Route:
    """Return the router called `name`; raises UnknownNameError, with the known ones."""
    if name not in ROUTERS:
        raise UnknownNameError("router", name, ROUTERS)
    return ROUTERS[name]
