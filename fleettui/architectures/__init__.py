"""Serving architectures: how a request's work is shared among GPUs. A new one: a file, its place below.

`frontier` lays them beside each other, `hetero` gives their roles cheaper GPUs, and `--architecture auto` sizes those
that a plan's own fleet cannot have.
"""

from __future__ import annotations

from fleettui.architectures import afd, apart, together
from fleettui.architectures.architecture import Architecture
from fleettui.domain.registry import Registry

ARCHITECTURES: Registry[Architecture] = Registry(
    "architecture",
    together.ARCHITECTURE,
    apart.ARCHITECTURE,
    afd.ARCHITECTURE,
)
"""The default first, which is that of a plan's own fleet."""
