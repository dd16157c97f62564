"""Requests longer than a limit: how many there are, and a workload without them."""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple

from fleettui.domain.workload import Atom, CdfPoint, LengthDistribution, TimeSlice, Workload
from fleettui.errors import InputError


class Longer(NamedTuple):
    """The share of requests above a limit, and their number where the workload counts whole requests."""

    share: float
    requests: int | None


def longer_than(workload: Workload, tokens: int) -> Longer:
    """Return how many requests of `workload` have more than `tokens` total tokens.

    Joint lengths are known to the atom; where only originals inside an atom are longer, one request is reported.
    Lengths whose pairing is unknown are taken in the same order, in which the longest meet.
    """
    sizes = [part.lengths.n_samples for part in workload.slices]
    shares = [_share_above(part.lengths, tokens) for part in workload.slices]
    counted = all(size > 0 for size in sizes)
    if not counted:
        return Longer(sum(shares) / len(shares), None)
    count = sum(round(share * size) for share, size in zip(shares, sizes, strict=True))
    return Longer(count / sum(sizes), count)


def drop_longer(workload: Workload, tokens: int) -> Workload:
    """Return `workload` without requests above `tokens` total tokens, its rates lowered by as much.

    What is left out is counted in `dropped`, and a note tells it; statistics, but for the longest, stay those of the
    originals. Raises InputError if nothing is left, or where prompt and output are known only apart.
    """
    found = longer_than(workload, tokens)
    if found.share == 0:
        return workload
    pairs = [(part, _shortened_slice(workload.name, part, tokens)) for part in workload.slices]
    slices = tuple(short for _, short in pairs if short is not None)
    if not slices:
        raise InputError(
            "every request is longer than the limit",
            where=workload.name,
            value=tokens,
            accepted="a limit above the shortest request",
            remedy="raise the context",
        )
    counted = found.requests is not None
    dropped = sum(part.lengths.n_samples for part in workload.slices) - sum(part.lengths.n_samples for part in slices)
    share = dropped / sum(part.lengths.n_samples for part in workload.slices) if counted else found.share
    rate = workload.arrivals.mean_rate
    return dataclasses.replace(
        workload,
        slices=slices,
        arrivals=dataclasses.replace(workload.arrivals, mean_rate=None if rate is None else rate * (1 - share)),
        dropped=workload.dropped + (dropped if counted else 0),
        notes=(*workload.notes, f"{share:.3%} of the requests, longer than {tokens:,} tokens, were left out"),
    )


def drop_atoms(atoms: tuple[Atom, ...], tokens: float) -> tuple[tuple[Atom, ...], float]:
    """Return the atoms of at most `tokens` total tokens, and the share of the weight that the others had."""
    kept = tuple(atom for atom in atoms if atom[1] + atom[2] <= tokens)
    whole = math.fsum(atom[0] for atom in atoms)
    return kept, (0.0 if len(kept) == len(atoms) else 1 - math.fsum(atom[0] for atom in kept) / whole)


def _share_above(lengths: LengthDistribution, tokens: int) -> float:
    if lengths.kind == "total":
        return 1 - _fraction_at(lengths.cdf, tokens)
    if lengths.kind == "marginals":
        return _share_above_in_order(lengths, tokens)
    return _drop_joint(lengths, tokens)[1]


def _drop_joint(lengths: LengthDistribution, tokens: int) -> tuple[tuple[Atom, ...], float]:
    """Drop atoms above `tokens`; where only originals inside an atom are longer, one request of the longest atom."""
    atoms, share = drop_atoms(lengths.atoms, tokens)
    hidden = lengths.total is not None and lengths.total.maximum > tokens
    if share or not hidden or not lengths.n_samples:
        return atoms, share
    longest = max(range(len(atoms)), key=lambda index: atoms[index][1] + atoms[index][2])
    weight, prompt, output = atoms[longest]
    left = ((weight - 1, prompt, output),) if weight > 1 else ()
    return (*atoms[:longest], *left, *atoms[longest + 1 :]), 1 / lengths.n_samples


def _share_above_in_order(lengths: LengthDistribution, tokens: int) -> float:
    """Return the share u at whose quantiles prompt + output first passes `tokens`, by bisection."""
    low, high = 0.0, 1.0
    if _quantile(lengths.prompt_cdf, 1.0) + _quantile(lengths.output_cdf, 1.0) <= tokens:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if _quantile(lengths.prompt_cdf, middle) + _quantile(lengths.output_cdf, middle) <= tokens:
            low = middle
        else:
            high = middle
    return 1 - low


def _quantile(cdf: tuple[CdfPoint, ...], share: float) -> float:
    before, below = 0.0, 0.0
    for tokens, fraction in cdf:
        if fraction >= share:
            return before + (tokens - before) * ((share - below) / (fraction - below) if fraction > below else 1.0)
        before, below = tokens, fraction
    return cdf[-1][0]


def _fraction_at(cdf: tuple[CdfPoint, ...], tokens: float) -> float:
    before, below = 0.0, 0.0
    for point, fraction in cdf:
        if tokens < point:
            return below + (fraction - below) * (tokens - before) / (point - before)
        before, below = point, fraction
    return 1.0


def _shortened_slice(name: str, part: TimeSlice, tokens: int) -> TimeSlice | None:
    lengths = part.lengths
    if lengths.kind == "marginals":
        raise InputError(
            "requests cannot be dropped by total length where prompt and output are known only apart",
            where=name,
            value=tokens,
            accepted="a joint or total length distribution, or a trace",
            remedy="raise the context instead",
        )
    short = _shortened_total(lengths, tokens) if lengths.kind == "total" else _shortened_joint(lengths, tokens)
    if short is None:
        return None
    left = short.n_samples / lengths.n_samples if lengths.n_samples else 1 - _share_above(lengths, tokens)
    return dataclasses.replace(part, lengths=short, rate=None if part.rate is None else part.rate * left)


def _shortened_joint(lengths: LengthDistribution, tokens: int) -> LengthDistribution | None:
    atoms, share = _drop_joint(lengths, tokens)
    if not atoms:
        return None
    number = round(math.fsum(atom[0] for atom in atoms)) if lengths.n_samples else 0
    cdf = _cut(lengths.cdf, tokens, 1 - share) if lengths.cdf else ()
    total = lengths.total
    if total is not None:
        total = dataclasses.replace(total, maximum=min(total.maximum, float(tokens)))
    return dataclasses.replace(lengths, atoms=atoms, cdf=cdf, n_samples=number, total=total)


def _shortened_total(lengths: LengthDistribution, tokens: int) -> LengthDistribution | None:
    left = _fraction_at(lengths.cdf, tokens)
    if left <= 0:
        return None
    return dataclasses.replace(lengths, cdf=_cut(lengths.cdf, tokens, left), n_samples=round(lengths.n_samples * left))


def _cut(cdf: tuple[CdfPoint, ...], tokens: int, left: float) -> tuple[CdfPoint, ...]:
    """Return the points below `tokens`, scaled so that the share `left` becomes all, closed by `tokens` itself."""
    kept = tuple((point, min(fraction / left, 1.0)) for point, fraction in cdf if point < tokens)
    return (*kept, (float(tokens), 1.0))
