"""Steps of a replica's decoding sequences alone, taken as one: how many, how long they last, what they fill."""

from __future__ import annotations

import math
from typing import Any

from fleettui.simulation.compiled import called, compiled, part
from fleettui.simulation.speculation import SLOT_BITS, read_of, steps_with_drafts, tokens_of


@compiled
def leap_time(replica: Any, steps: int) -> float:
    """Return the seconds of `steps` steps of the decoding sequences alone: w·k + h·(k·context + n·k(k+1)/2).

    So it is without drafts; with them the context grows by what each step commits.
    """
    return float(steps * replica.base + replica.per_context * read_of(replica, steps))


@part
def leap(pool: Any, replica: Any, keys: Any, phases: Any) -> int:
    """Return how many steps of the decoding sequences alone are alike: one where each has its own luck with drafts."""
    if replica.width == 1:
        return steps_of_one_token(replica, keys, phases)
    return 1 if pool.sampled else steps_with_drafts(replica, keys, phases)


@part
def pace_of(replica: Any) -> float:
    """Return what the seconds of a step that starts now are multiplied by: one, but of a replica that is slow."""
    return float(replica.pace if replica.slow <= replica.clock < replica.well else 1.0)


@called
def end_at_change(replica: Any) -> None:
    """Let a leap end with the step in which the replica slows down, or is well again."""
    change = replica.slow if replica.clock < replica.slow else replica.well
    if replica.leap > 1 and replica.clock < change < replica.wake:
        shorten(replica, change)


@compiled
def shorten(replica: Any, arrival: float) -> None:
    """Let a leap end with the first step that is over at `arrival` or later."""
    replica.leap = _steps_until(replica, arrival)
    replica.wake = replica.clock + leap_time(replica, replica.leap)


@part
def filled(replica: Any, phases: Any, now: float) -> int:
    """Return the blocks that those steps of a leap fill that have begun by now, beyond those of its first one."""
    if replica.leap <= 1:
        return 0
    return growth(replica, phases, tokens_of(replica, 1), tokens_of(replica, _steps_until(replica, now)))


@part
def _steps_until(replica: Any, arrival: float) -> int:
    """Return which step of a leap is the first that is over at `arrival` or later, from one on."""
    slope = replica.per_context * replica.decodes * 0.5
    if replica.width > 1:
        slope *= replica.gain / replica.per
    linear = replica.base + replica.per_context * replica.context + slope
    left = arrival - replica.clock
    guess = (
        left / linear if slope == 0.0 else (math.sqrt(linear * linear + 4.0 * slope * left) - linear) / (2.0 * slope)
    )
    steps = min(max(int(guess), 1), replica.leap)
    while steps > 1 and replica.clock + leap_time(replica, steps - 1) >= arrival:
        steps -= 1
    while steps < replica.leap and replica.clock + leap_time(replica, steps) < arrival:
        steps += 1
    return int(steps)


@compiled
def growth(replica: Any, phases: Any, first: int, tokens: int) -> int:
    """Return the blocks that the decoding sequences fill with `tokens` each, without those of the `first` of these."""
    whole, done, mask = (tokens - first) >> replica.bits, replica.done, replica.mask
    blocks = replica.decodes * whole
    for later in range((whole << replica.bits) + first, tokens):
        blocks += phases[-(done + later) & mask]
    return int(blocks)


@compiled
def steps_of_one_token(replica: Any, keys: Any, phases: Any) -> int:
    """Return the steps until a sequence completes or a block is missing; the first step has its blocks."""
    free, done, mask = replica.free, replica.done, replica.mask
    most = (keys[0] >> SLOT_BITS) - done
    if replica.decodes * ((most - 1 + mask) >> replica.bits) <= free:
        return int(most)
    cycles = free // replica.decodes
    free -= cycles * replica.decodes
    steps = 1 + (cycles << replica.bits)
    while steps < most:
        free -= phases[-(done + steps) & mask]
        if free < 0:
            break
        steps += 1
    return int(min(steps, most))
