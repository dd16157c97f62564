"""What requests ask of an engine together, compiled: tokens, decode steps and what these read, attention's pairs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation.compiled import compiled
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine


class Counts(NamedTuple):
    """What requests have together: tokens, twice the tokens that decode steps read, twice the pairs of attention."""

    requests: int
    prompt: int
    prompted: int
    output: int
    decoded: int
    reads: int
    pairs: int


def counts(engine: Engine, draws: Draws, counted: NDArray[np.bool_]) -> Counts:
    """Return what the `counted` of `draws` have together, shape (requests,), at an engine that computes nothing twice.

    Of a prompt the cached tokens are not computed; where replicas keep prefixes, whatever can be found counts as found.
    Decode steps are the fewest that an output takes: the first token comes with the prompt, and a step commits as many
    as it can.
    """
    own, (gain, per) = draws.prefixes, engine.gain
    known, size = (draws.cached, 0) if own is None else (own.known, own.size)
    gain, per = (engine.drafting.width, 1) if engine.drafting.sampled else (gain, per)
    found = np.zeros(len(Counts._fields), np.int64)
    _count((draws.prompt, draws.output, known), (size, gain, per), counted, found)
    return Counts(*found.tolist())


@compiled
def _count(requests: Any, engine: Any, counted: Any, found: Any) -> None:
    """Add the counted requests to `found`, in the order of Counts.

    What is known of a prompt is blocks of a size, or tokens where the size is 0.
    """
    (prompts, outputs, known), (size, gain, per) = requests, engine
    for index in range(len(counted)):
        if counted[index]:
            prompt, output = prompts[index], outputs[index]
            cached = min((prompt - 1) // size, known[index]) * size if size > 0 else known[index]
            computed, steps = prompt - cached, max((output - 1) * per - (per - 1) + gain - 1, 0) // gain
            found[0] += 1
            found[1] += prompt
            found[2] += computed
            found[3] += output
            found[4] += steps
            found[5] += steps * (2 * prompt + steps + 1)
            found[6] += computed * (2 * prompt - computed)
