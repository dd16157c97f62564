"""How well plans stand failures beside each other: of two, the one with more redundancy is better in that."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.fleet import counted
from fleettui.reports import redundancy_text, units
from fleettui.reports.comparison.model import Cell, Compared, Row

LABEL = "enough up"
CLOSE = 1e-9


def row(plans: Sequence[Compared]) -> Row | None:
    """Return the row of the shares of time that every pool has its needed replicas up; None where none is known."""
    shares = [_share(plan) for plan in plans]
    if all(one is None for one in shares):
        return None
    cells = tuple(_cell(one, shares[0]) for one in shares)
    return Row(section="results", label=LABEL, cells=cells, less_is_better=False)


def is_less(one: Compared, other: Compared) -> bool:
    """Return whether a plan stands failures less than another: by those shares, else by its spare replicas."""
    mine, its = _share(one), _share(other)
    if mine is not None and its is not None:
        return mine < its - CLOSE
    return _spares(one) < _spares(other)


def sentence(base: Compared, other: Compared) -> str:
    """Return by what a plan stands failures less or more than the first, empty where by nothing."""
    less = is_less(other, base)
    if not less and not is_less(base, other):
        return ""
    words = f"it stands failures {'less' if less else 'more'}"
    mine, its = _share(other), _share(base)
    if mine is not None and its is not None:
        up = redundancy_text.share
        return f"{words}, with all that it needs up {up(mine)} of the time where {base.handle} has {up(its)}"
    spares = counted(_spares(other), "spare replica")
    return f"{words}, with {spares} where {base.handle} has {units.count(_spares(base))}"


def _share(plan: Compared) -> float | None:
    known = plan.answer.redundancy
    return None if known is None else known.all_needed_up


def _spares(plan: Compared) -> int:
    return 0 if plan.fleet is None else sum(pool.spares for pool in plan.fleet.fleet.pools)


def _cell(share: float | None, base: float | None) -> Cell:
    if share is None:
        return Cell(text=units.UNDEFINED)
    text = redundancy_text.share(share)
    if base is None or abs(share - base) <= CLOSE:
        return Cell(text=text, value=share)
    return Cell(text=text, value=share, difference=share - base, word="better" if share > base else "worse")
