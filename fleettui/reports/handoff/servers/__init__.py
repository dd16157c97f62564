"""The serving engines that a plan is deployed with. A new one is a file here and its place below."""

from __future__ import annotations

from fleettui.domain.registry import Registry
from fleettui.reports.handoff.servers import sglang, trtllm, vllm
from fleettui.reports.handoff.servers.server import Server

SERVERS: Registry[Server] = Registry("server", vllm.SERVER, sglang.SERVER, trtllm.SERVER)
"""By the names of the catalogue's engines."""
