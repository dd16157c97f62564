"""How a replica's API process hands out the tokens of its steps, compiled."""

from __future__ import annotations

from typing import Any

from fleettui.simulation.compiled import called, part
from fleettui.simulation.leaps import leap_time
from fleettui.simulation.speculation import tokens_of


@part
def hand_out(pool: Any, replica: Any, emitted: int) -> None:
    """Let the API process hand out the tokens of the present steps, each step's when it has ended.

    The steps of a leap become longer, so what is left after the last of them is due to the first step, to the last, or
    to what was left before them: hᵢ = max(hᵢ₋₁, tᵢ) + n·a is the largest of h₀ + k·n·a, t₁ + k·n·a and tₖ + n·a.
    """
    steps = replica.leap
    if steps <= 1 or pool.api_token == 0.0:
        tokens = emitted + replica.fresh
        replica.handed_out = max(replica.handed_out, replica.wake) + tokens * pool.api_token
        return
    if replica.width > 1:
        _hand_out_unlike(pool, replica)
        return
    each = replica.decodes * pool.api_token
    since = max(replica.handed_out, replica.clock + leap_time(replica, 1))
    replica.handed_out = max(since + steps * each, replica.wake + each)


@called
def _hand_out_unlike(pool: Any, replica: Any) -> None:
    """Do the same for steps that do not commit as many tokens each."""
    found, before = replica.handed_out, 0
    for step in range(1, replica.leap + 1):
        tokens = tokens_of(replica, step)
        found = (
            max(found, replica.clock + leap_time(replica, step)) + (tokens - before) * replica.decodes * pool.api_token
        )
        before = tokens
    replica.handed_out = found
