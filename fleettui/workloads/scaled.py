"""Requests with longer or shorter prompts and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.domain.workload import Atom, LengthDistribution, LengthStatistics, Workload
from fleettui.workloads.atoms import pairings


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


def lengthened(workload: Workload, lengths: Lengths) -> Workload:
    """Return a workload whose requests are that much longer or shorter; as many come, at the same times."""
    slices = (replace(one, lengths=_lengthened(one.lengths, lengths)) for one in workload.slices)
    return replace(workload, slices=tuple(slices))


def _lengthened(known: LengthDistribution, by: Lengths) -> LengthDistribution:
    """Return the same of a distribution; total lengths are joint ones then.

    The longest request is scaled as the longest atom is; the percentiles of prompt and output together are the atoms'.
    """
    prompt, output = _times(known.prompt, by.prompt), _times(known.output, by.output)
    if known.kind == "marginals":
        cdfs = (
            tuple((tokens * factor, share) for tokens, share in cdf)
            for cdf, factor in ((known.prompt_cdf, by.prompt), (known.output_cdf, by.output))
        )
        prompts, outputs = cdfs
        return replace(known, prompt_cdf=prompts, output_cdf=outputs, prompt=prompt, output=output, total=None)
    ((_, before),) = pairings(known)
    after = scaled(before, by)
    return LengthDistribution(
        kind="joint",
        atoms=after,
        n_samples=known.n_samples,
        prompt=prompt,
        output=output,
        total=None if known.total is None else _together(known.total, before, after),
    )


def _times(known: LengthStatistics | None, factor: float) -> LengthStatistics | None:
    if known is None:
        return None
    names = ("mean", "p50", "p90", "p95", "p99", "maximum")
    return replace(known, **{name: getattr(known, name) * factor for name in names})


def _together(known: LengthStatistics, before: Sequence[Atom], after: Sequence[Atom]) -> LengthStatistics:
    """Return what is said of prompt and output together, each figure scaled as the atoms' is."""
    old, new = _figures(before), _figures(after)
    scaled_to = {name: getattr(known, name) * new[name] / old[name] for name in new if old[name]}
    return replace(known, **scaled_to)


def _figures(atoms: Sequence[Atom]) -> dict[str, float]:
    """Return mean, percentiles, maximum and squared coefficient of variation of prompt and output together."""
    weights, prompts, outputs = np.array(atoms).T
    totals = prompts + outputs
    order = np.argsort(totals, kind="stable")
    below = np.cumsum(weights[order]) / weights.sum()
    mean = float(np.average(totals, weights=weights))
    found = {f"p{rank}": float(totals[order][np.searchsorted(below, rank / 100 - 1e-12)]) for rank in (50, 90, 95, 99)}
    scv = float(np.average((totals - mean) ** 2, weights=weights)) / mean**2
    return {"mean": mean, **found, "maximum": float(totals.max()), "scv": scv}
