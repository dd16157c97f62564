"""Sessions in the plain oracle: a round comes when the one before it is served, and later ones only then."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fleettui.simulation.rounds import Rounds
from fleettui.simulation.twin_turns import follow

if TYPE_CHECKING:
    from fleettui.simulation.twin import Replica
    from fleettui.simulation.twin_request import Request


@dataclass(slots=True)
class SessionsTwin:
    """The rounds that are to come, and for each the replica that served the one before; without `rounds` none is."""

    rounds: Rounds | None
    due: list[Request] = field(default_factory=list)
    homes: dict[int, Replica] = field(default_factory=dict)

    def next_of(self, again: Sequence[Request]) -> Request:
        """Return who comes next of those who come `again`, or take the next round where there are none."""
        found = min(again or self.due, key=lambda one: (one.arrival, one.index))
        self.due = [one for one in self.due if one is not found]
        return found

    def home(self, request: Request) -> Replica | None:
        """Return the replica that served the round before a request, None where it is the first."""
        return self.homes.get(request.index)

    def end(self, request: Request, replica: Replica, coming: Sequence[Request]) -> int:
        """Note that a request is done for good at a replica, so that the next round comes if it was served.

        Returns how many requests have their end thereby: itself, and all later ones of a session that ends too early.
        """
        if self.rounds is None:
            return 1
        later, rounds = int(self.rounds.then[request.index]), self.rounds
        if later < 0:
            return 1
        if math.isnan(request.finish):
            ended = 1
            while later >= 0:
                ended, later = ended + 1, int(rounds.then[later])
            return ended
        round_, self.homes[later] = coming[later], replica
        round_.arrival = max(request.finish + float(rounds.pause[later]), request.arrival + float(rounds.gap[later]))
        follow(round_, request)
        self.due.append(round_)
        return 1
