"""Attention/FFN disaggregation: replicas that decode have GPUs of their own for attention and for feed-forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fleettui.architectures.architecture import Architecture, Bench, Built, GpuOf, Workshop
from fleettui.architectures.plain import Plain
from fleettui.domain.afd import AfdLayout
from fleettui.domain.roles import PREFILL

if TYPE_CHECKING:
    from fleettui.domain.fleet import Pool
    from fleettui.domain.hardware import Gpu, Profile

ATTENTION, FEED_FORWARD = "attention", "feed-forward"


@dataclass(frozen=True, slots=True)
class AttentionApart:
    """Replicas that decode, divided as their layout says."""

    roles: ClassVar[tuple[str, ...]] = (ATTENTION, FEED_FORWARD)

    def built(self, bench: Bench) -> Sequence[Built]:
        """Return one for each layout that holds the model."""
        return bench.afd

    def told(self, pool: Pool, layout: str) -> str:  # noqa: ARG002
        """Return its layout."""
        return f"A/F {layout}"

    def sizes(self, pool: Pool, layout: str) -> tuple[int, ...]:  # noqa: ARG002
        """Return its GPUs of attention and of feed-forward."""
        read = AfdLayout.read(layout)
        return read.attention_gpus, read.feed_forward_gpus

    def remade(self, shop: Workshop, pool: Pool, layout: str, gpu_of: GpuOf) -> Profile:  # noqa: ARG002
        """Return it with other GPUs; raises InputError."""
        return shop.attention_apart(layout, _both(gpu_of))

    def seconds(self, shop: Workshop, pool: Pool, layout: str, gpu_of: GpuOf, decodes: float) -> tuple[float, ...]:  # noqa: ARG002
        """Return the seconds of either role in a layer."""
        return shop.layer_seconds(layout, _both(gpu_of), decodes)


def _both(gpu_of: GpuOf) -> tuple[Gpu, Gpu]:
    return gpu_of(ATTENTION), gpu_of(FEED_FORWARD)


ARCHITECTURE = Architecture(
    name="afd",
    label="attention/FFN",
    help="attention apart",
    first=Plain(PREFILL),
    then=AttentionApart(),
    swaps=((ATTENTION,), (FEED_FORWARD,), (ATTENTION, FEED_FORWARD), (PREFILL,)),
    caution="steps of AFD replicas are by operators alone: no public run was held to them",
)
