"""What a kept backtest says to a later plan with the hardware that it tested, in a line that the plan keeps."""

from __future__ import annotations

import math
from collections.abc import Collection
from textwrap import shorten

from fleettui.domain.fleet import Pool
from fleettui.domain.study import Cell, Study
from fleettui.reports import units
from fleettui.reports.backtest.study import CORRECTION
from fleettui.reports.table import WIDTH

ALIKE = 0.02
"""By how much a constant may differ from a corrected one and still be it."""
BADGE = "backtest "
"""How the line begins."""


def is_of_load(study: Study) -> bool:
    """Return whether what a kept backtest corrects is what came, and nothing of the hardware."""
    rows = corrected_rows(study)
    return bool(rows) and all(row[0] == "" for row in rows)


def corrected_rows(study: Study) -> list[tuple[Cell, ...]]:
    """Return the rows of a backtest's correction, none where it has none: pool, constant, factor, was, is."""
    return [row for table in study.tables if table.title == CORRECTION for row in table.rows]


def badge(study: Study, tested: Collection[str], pool: Pool) -> str:
    """Return what a kept backtest, whose pools `tested` have the hardware of `pool`, says to the plan of that."""
    head = f"{BADGE}{study.handle}, {pool.gpu} tp{pool.tp}: "
    rows = [row for row in corrected_rows(study) if row[0] in tested]
    if not rows:
        return head + shorten(study.sentences[0], WIDTH - len("! " + head), placeholder=" ...")
    first, *others = dict.fromkeys(f"{name} x{factor:.3g}" for _, name, factor, _, _ in rows)
    seen = f"{first}, +{len(others)}" if others else first
    changed: dict[str, list[str]] = {}
    for _, name, _, _, new in rows:
        changed.setdefault(str(name), []).append(str(new))
    has = all(any(_is(pool, name, text) for text in each) for name, each in changed.items())
    return f"{head}{seen}{', in this plan' if has else f': --correct {study.handle}'}"


def _is(pool: Pool, name: str, text: str) -> bool:
    """Return whether a constant of a pool's profile is what a correction made of it."""
    value = float(text) if name == "kv_blocks" else units.DURATION.parse(text)
    return math.isclose(getattr(pool.profile, name), value, rel_tol=ALIKE)
