"""Prefill/decode disaggregation: some replicas prefill, and pass the cache on to others that decode."""

from __future__ import annotations

from fleettui.architectures.architecture import Architecture
from fleettui.architectures.plain import Plain
from fleettui.domain.roles import DECODE, PREFILL

ARCHITECTURE = Architecture(
    name="apart",
    label="prefill/decode",
    help="prefill apart",
    first=Plain(PREFILL),
    then=Plain(DECODE),
    swaps=((DECODE,), (PREFILL,)),
    study="disagg",
)
