"""Lanes that step together in the plain oracle: a round begins for all at once, and ends for all with the longest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from fleettui.domain.failing import SlowReplica
    from fleettui.simulation.layout import Engine
    from fleettui.simulation.twin_request import Request


class Lane(Protocol):
    """A replica, or one batch of those that a replica runs."""

    engine: Engine
    wake: float | None
    group: list[Lane]
    prompted: int
    decoding: list[Request]
    slow: SlowReplica | None

    def start(self, now: float) -> None:
        """Compose the step that starts now."""


def join_lanes(replicas: Sequence[Lane]) -> None:
    """Let replicas that follow each other know with which they step: as many as their engine says."""
    count = replicas[0].engine.together
    for first in range(0, len(replicas), count):
        for one in replicas[first : first + count]:
            one.group = list(replicas[first : first + count])


def pace_of(replica: Lane, now: float) -> float:
    """Return what the seconds of a step that starts now are multiplied by."""
    return replica.slow.pace if replica.slow is not None and replica.slow.start <= now < replica.slow.end else 1.0


def begin(replica: Lane, now: float) -> None:
    """Start the next step of a replica, of all its lanes where it has some."""
    for lane in replica.group:
        lane.start(now)
    ends = [lane.wake for lane in replica.group if lane.wake is not None]
    if len(replica.group) == 1 or not ends:
        return
    wake, engine = max(ends), replica.engine
    if engine.curve is not None:
        width, pace = engine.drafting.width, pace_of(replica, now)
        tokens = sum(lane.prompted + width * len(lane.decoding) for lane in replica.group)
        wake += (float(engine.curve.shared[tokens]) if len(engine.curve.shared) > 1 else 0.0) * pace
        if any(lane.prompted for lane in replica.group):
            wake = max(wake, now + engine.curve.least * pace) + engine.curve.extra * pace
    for lane in replica.group:
        lane.wake = wake
