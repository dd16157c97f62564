"""Routers: how requests find their pool, and inside it their replica. A new one is a file here and its place below."""

from __future__ import annotations

from fleettui.domain.registry import Registry
from fleettui.routing import least_tokens, length, power_of_two, random, round_robin, vllm_dp
from fleettui.routing.router import Router

ROUTERS: Registry[Router] = Registry(
    "router",
    length.ROUTER,
    random.ROUTER,
    round_robin.ROUTER,
    power_of_two.ROUTER,
    least_tokens.ROUTER,
    vllm_dp.ROUTER,
)
"""The default first; compiled code knows each by its place."""
