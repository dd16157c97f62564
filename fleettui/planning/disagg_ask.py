"""What the tasks of the study `disagg` are asked."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.disagg import Side
from fleettui.planning.prepared_fleet import SceneSource


@dataclass(frozen=True, slots=True, kw_only=True)
class DisaggAsk:
    """Both ways to the need of a scene, and how caches go from one side to the other.

    Fleets whose replicas do both are of the GPU types `near`, none of which costs much more than the plan's, and no
    GPU type of `left_out` is used. `link` is what a replica's link moves, bytes per second, that of its GPUs where
    None. With `overlap` a cache leaves layer by layer; `first_token` is the side that sends it.
    Prompts of up to `short` tokens to compute stay with decode, up to as many as cost least where that is None.
    """

    source: SceneSource
    near: tuple[str, ...]
    left_out: tuple[str, ...]
    link: float | None = None
    overlap: bool = False
    first_token: Side = "prefill"
    short: int | None = 0

    @property
    def key(self) -> str:
        """What tells it from others."""
        passed = f"{self.link!r} {self.overlap} {self.first_token} {self.short!r}"
        return f"{self.source.key} {' '.join(self.left_out)} {passed}"
