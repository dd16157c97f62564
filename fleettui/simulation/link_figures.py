"""What went over the way to the memory beside a pool's GPUs, of what its records counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain.kv_offload import offload
from fleettui.domain.link import Link

if TYPE_CHECKING:
    from fleettui.simulation.measure import Flow


def link_of(flow: Flow, said: str) -> Link | None:
    """Return what went over the way to the memory that a question `said`, None where it said none.

    A GPU's part of a block is what its way carries in the seconds that a block takes.
    """
    if not said:
        return None
    part = float(flow.end["move"]) * offload(said).bandwidth
    asked = float(flow.end["asked"] - flow.start["asked"])
    fetched, recomputed = (float(flow.end[name] - flow.start[name]) for name in ("fetched", "recomputed"))
    return Link(
        read=flow.rate("brought") * part,
        written=flow.rate("put") * part,
        fetched=fetched / asked if asked else 0.0,
        recomputed=recomputed / asked if asked else 0.0,
    )
