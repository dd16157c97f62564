"""Requests with longer or shorter prompts and outputs."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.domain.workload import Atom


def scaled(atoms: Sequence[Atom], lengths: Lengths) -> tuple[Atom, ...]:
    """Return `atoms` with their prompts and outputs multiplied, at least one token each.

    >>> scaled([(1.0, 100.0, 4.0)], Lengths(prompt=1.5, output=0.1))
    ((1.0, 150.0, 1.0),)
    """
    if lengths == AS_RECORDED:
        return tuple(atoms)
    return tuple(
        (weight, max(1.0, prompt * lengths.prompt), max(1.0, output * lengths.output))
        for weight, prompt, output in atoms
    )
