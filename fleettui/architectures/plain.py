"""Replicas whose GPUs all do the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleettui.architectures.architecture import Bench, Built, GpuOf, Workshop
from fleettui.domain.roles import PREFILL

if TYPE_CHECKING:
    from fleettui.domain.fleet import Pool
    from fleettui.domain.hardware import Profile


@dataclass(frozen=True, slots=True)
class Plain:
    """Replicas of one role: the plan's own kinds, each of which could do all of a request."""

    role: str

    @property
    def roles(self) -> tuple[str, ...]:
        """Its one role."""
        return (self.role,)

    def built(self, bench: Bench) -> Iterator[Built]:
        """Yield each kind that the bench has."""
        return (("", one) for one in bench.profiles)

    def told(self, pool: Pool, layout: str) -> str:  # noqa: ARG002
        """Return its GPU and how it is divided."""
        return f"{pool.gpu.upper()} {pool.division}"

    def sizes(self, pool: Pool, layout: str) -> tuple[int, ...]:  # noqa: ARG002
        """Return its GPUs."""
        return (pool.tp,)

    def remade(self, shop: Workshop, pool: Pool, layout: str, gpu_of: GpuOf) -> Profile:  # noqa: ARG002
        """Return it with another GPU; raises InputError."""
        return shop.plain(gpu_of(self.role), pool.tp)

    def seconds(self, shop: Workshop, pool: Pool, layout: str, gpu_of: GpuOf, decodes: float) -> tuple[float, ...]:
        """Return the seconds of a full step of prompts where it prefills, of a step with `decodes` where it decodes."""
        made = self.remade(shop, pool, layout, gpu_of)
        if self.role == PREFILL:
            return (shop.step_seconds(made, decodes=0.0, prompt=float(made.settings.token_budget)),)
        return (shop.step_seconds(made, decodes=decodes, prompt=0.0),)
