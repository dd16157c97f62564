"""The length router: a request goes to the pool whose range holds its total of prompt and output tokens.

With γ > 1 a request a little too long for the next shorter pool may have its prompt rewritten to fit there
(Compress-and-Route, model.md §8). The rule is applied to the whole length distribution at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fleettui.domain.workload import Atom
from fleettui.errors import InputError
from fleettui.routing.router import Parts, Ranges

FloatArray: TypeAlias = npt.NDArray[np.float64]


def route(atoms: Sequence[Atom], ranges: Ranges, *, gamma: float = 1.0, compressible: float = 1.0) -> Parts:
    """Return the (weight, prompt, output) atoms of each range, their weights not normalised.

    A range gets the totals L in (above, up_to]. Where the range before ends at B, the share `compressible` of an atom
    with L ≤ ⌊γB⌋ joins that one with its prompt cut to B − output, if that leaves a prompt token. The weights of all
    ranges add up to those of `atoms`. Raises InputError when a request has no pool; a pool may have no request.
    """
    rows, ends = np.asarray(atoms, float).reshape(-1, 3), [up_to for _, up_to in ranges]
    _check_reach(rows, ranges)
    ends.append(ends[-1])
    parts = [
        part(rows, above=above, up_to=up_to, until=until, gamma=gamma, compressible=compressible)
        for (above, up_to), until in zip(ranges, ends[1:], strict=True)
    ]
    return tuple(tuple(map(tuple, own.tolist())) for own in parts)


def part(
    rows: FloatArray, *, above: float, up_to: float, until: float, gamma: float = 1.0, compressible: float = 1.0
) -> FloatArray:
    """Return what one range (above, up_to] gets of `rows` (weight, prompt, output), the next range ending at `until`.

    Shape (requests, 3), in the order of `rows`: its own but for those that are compressed below `above`, and those that
    are compressed from the next range to fit it.
    """
    weight, prompt, output = rows.T
    total = prompt + output
    own = (above < total) & (total <= up_to)
    leaves = own & (total <= int(gamma * above)) & (above - output >= 1.0)
    joins = (up_to < total) & (total <= min(int(gamma * up_to), until)) & (up_to - output >= 1.0)
    moved = weight * compressible
    kept = np.where(joins, moved, np.where(leaves, weight - moved, np.where(own, weight, 0.0)))
    found = np.stack([kept, np.where(joins, up_to - output, prompt), output], axis=1)
    return np.asarray(found[kept > 0.0])


def _check_reach(atoms: FloatArray, ranges: Ranges) -> None:
    """Raise InputError if a request is longer than the last range, or shorter than the first one."""
    shortest, longest = extent(atoms)
    above, up_to = ranges[0][0], ranges[-1][1]
    if longest > up_to:
        raise InputError(
            f"{_percent(atoms, above=up_to)} of the requests are longer than the fleet's context of {up_to:,} tokens",
            accepted=f"pools up to {longest:,.0f} tokens, the longest request",
            remedy="let the last pool serve longer requests, or leave them out of the workload",
        )
    if shortest <= above:
        raise InputError(
            f"{_percent(atoms, up_to=above)} of the requests have at most {above:,} tokens; no pool serves them",
            accepted=f"pools from {shortest:,.0f} tokens, the shortest request",
            remedy="let the first pool start at 0",
        )


def extent(atoms: Sequence[Atom] | FloatArray) -> tuple[float, float]:
    """Return the shortest and the longest total in tokens."""
    _, prompt, output = np.asarray(atoms, float).T
    totals = prompt + output
    return float(totals.min()), float(totals.max())


def _percent(atoms: FloatArray, *, above: float = 0.0, up_to: float = float("inf")) -> str:
    """Return the share of requests with totals in (above, up_to], for reading: never a rounded zero."""
    inside = sum(weight for weight, prompt, output in atoms if above < prompt + output <= up_to)
    return f"{100 * inside / sum(weight for weight, _, _ in atoms):.3g} %"
