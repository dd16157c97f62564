"""What a step with drafts commits in the plain twin."""

from __future__ import annotations

from typing import Protocol

from fleettui.simulation.layout import Engine
from fleettui.simulation.speculation import chances, luck_of


class Drafted(Protocol):
    """What the luck of a request rests on: the twin's."""

    index: int
    output: int
    generated: int


class Drafting(Protocol):
    """What the commits of a step rest on beside that: the twin's replica."""

    engine: Engine
    over: int


def commits(replica: Drafting, request: Drafted) -> int:
    """Return the tokens that the present step commits of a decoding sequence; by its own luck, up to its end."""
    own, (gain, per) = replica.engine, replica.engine.gain
    if not own.drafting.sampled:
        return (replica.over + gain) // per
    luck = luck_of(own.luck, request.index, request.generated)
    return min(1 + sum(luck < one for one in chances(own.drafting.rates)), request.output - request.generated)
