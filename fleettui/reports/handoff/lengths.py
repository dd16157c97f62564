"""Lengths of a pool's requests, drawn evenly from the plan's workload, and which prompts alone come near to them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from fleettui.domain.fleet import Pool
from fleettui.domain.workload import Atom, LengthDistribution, Workload

DRAWN = 1000
"""Pairs of lengths that stand for a pool's requests."""

TOO_LONG = 0.01
"""Share of the requests of a range of prompts that may turn out longer than their pool takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRange:
    """Prompts of `least` to `most` tokens, which a router sends to a pool before it knows the answer's length.

    `elsewhere` is the share of the pool's requests as planned that go to another pool so, `too_long` the share of those
    that come here which turn out longer than the pool takes.
    """

    least: int
    most: int
    elsewhere: float
    too_long: float


def pool_lengths(workload: Workload, pool: Pool) -> tuple[tuple[int, int], ...]:
    """Return DRAWN pairs of (prompt, output) tokens of the requests that a pool serves, shortest first.

    They stand at even steps of the distribution; none where prompts and outputs are known apart alone, or no request
    is as long as the pool's.
    """
    atoms = list(chain.from_iterable(_atoms(one.lengths) for one in workload.slices))
    own = sorted((one for one in atoms if pool.above < round(one[1]) + round(one[2]) <= pool.up_to), key=_total)
    if not own:
        return ()
    ends = list(accumulate(weight for weight, _, _ in own))
    places = (min(bisect_left(ends, (step + 0.5) / DRAWN * ends[-1]), len(own) - 1) for step in range(DRAWN))
    return tuple((round(own[place][1]), round(own[place][2])) for place in places)


def prompt_ranges(workload: Workload, pools: Sequence[Pool]) -> tuple[PromptRange, ...]:
    """Return the prompts for each pool: up to the longest with which no more than TOO_LONG come out too long for it.

    Empty where prompts and outputs are known apart alone, or where no prompt is short enough for a pool.
    """
    atoms = sorted(chain.from_iterable(_atoms(one.lengths) for one in workload.slices), key=lambda one: one[1])
    ends = [0]
    for pool in pools[:-1]:
        end = _longest_prompt(atoms, ends[-1], pool.up_to)
        if end is None:
            return ()
        ends.append(end)
    ends.append(pools[-1].up_to)
    return (
        tuple(
            _range(atoms, pool, least + 1 if least else 0, most)
            for pool, least, most in zip(pools, ends, ends[1:], strict=False)
        )
        if atoms
        else ()
    )


def _longest_prompt(atoms: Sequence[Atom], above: int, up_to: int) -> int | None:
    """Return the longest prompt, None where there is none, up to which enough requests stay within `up_to` tokens."""
    come = long = 0.0
    found = None
    for weight, prompt, output in atoms:
        if round(prompt) <= above:
            continue
        come += weight
        long += weight if round(prompt) + round(output) > up_to else 0.0
        if long <= TOO_LONG * come and round(prompt) < up_to:
            found = round(prompt)
    return found


def _range(atoms: Sequence[Atom], pool: Pool, least: int, most: int) -> PromptRange:
    here = [one for one in atoms if least <= round(one[1]) <= most]
    own = [one for one in atoms if pool.above < round(one[1]) + round(one[2]) <= pool.up_to]
    long = sum(one[0] for one in here if round(one[1]) + round(one[2]) > pool.up_to)
    stay = sum(one[0] for one in own if least <= round(one[1]) <= most)
    planned, come = sum(one[0] for one in own), sum(one[0] for one in here)
    return PromptRange(
        least=least,
        most=most,
        elsewhere=1.0 - stay / planned if planned else 0.0,
        too_long=long / come if come else 0.0,
    )


def _total(atom: Atom) -> float:
    return atom[1] + atom[2]


def _atoms(lengths: LengthDistribution) -> Iterator[Atom]:
    """Yield the atoms of a distribution; of total lengths one for each step of it."""
    if lengths.kind == "joint":
        yield from lengths.atoms
    elif lengths.kind == "total" and lengths.output_share is not None:
        yield from _of_totals(lengths, lengths.output_share)


def _of_totals(lengths: LengthDistribution, share: float) -> Iterator[Atom]:
    for step in range(DRAWN):
        total = max(2.0, _quantile(lengths, (step + 0.5) / DRAWN))
        output = max(1.0, share * total)
        yield 1.0, max(1.0, total - output), output


def _quantile(lengths: LengthDistribution, share: float) -> float:
    """Return the total length at a share of the requests; between two points it is a straight line's."""
    before, below = 0.0, 0.0
    for point, fraction in lengths.cdf:
        if fraction >= share:
            return before + (point - before) * (share - below) / (fraction - below) if fraction > below else point
        before, below = point, fraction
    return lengths.cdf[-1][0]
