"""What a kept backtest says to a later plan with the hardware that it tested, in a line that the plan keeps."""

from __future__ import annotations

import math
from collections.abc import Collection

from fleettui.domain.backtest import STEP_TIMES
from fleettui.domain.calibration import Calibration
from fleettui.domain.fleet import Pool
from fleettui.domain.study import Cell, Study
from fleettui.reports import units
from fleettui.reports.backtest.sentences import HOLDS
from fleettui.reports.backtest.study import CORRECTION

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


def fit_of(study: Study) -> str:
    """Return the name of the fit that a plan has which takes a backtest's correction in."""
    return f"backtest-{study.handle}"


def badge(study: Study, tested: Collection[str], pool: Pool, fit: Calibration | None = None) -> str:
    """Return what a kept backtest, whose pools `tested` have the hardware of `pool`, says to the plan of that.

    `fit` is the plan's own, in whose place a correction is taken.
    """
    head, shown = f"{BADGE}{study.handle}, {pool.gpu} tp{pool.tp}: ", f": fleettui show {study.handle}"
    rows = [row for row in corrected_rows(study) if row[0] in tested]
    if not rows:
        said = study.sentences[0]
        return f"{head}{said}{'' if said.startswith(HOLDS) else shown}"
    changed: dict[str, list[str]] = {}
    for _, name, _, _, new in rows:
        changed.setdefault(str(name), []).append(str(new))
    named = next((one for one, names in STEP_TIMES.items() if {*names} == changed.keys()), "KV blocks")
    seen = f"{head}{named} x{rows[0][2]:.3g}"
    taken = fit is not None and fit.name == fit_of(study)
    if taken or all(any(_is(pool, name, text) for text in each) for name, each in changed.items()):
        return f"{seen}, in this plan"
    instead = "" if fit is None else f" instead of --profile {fit.name}"
    return f"{seen}: --correct {study.handle}{instead}"


def _is(pool: Pool, name: str, text: str) -> bool:
    """Return whether a constant of a pool's profile is what a correction made of it."""
    value = float(text) if name == "kv_blocks" else units.DURATION.parse(text)
    return math.isclose(getattr(pool.profile, name), value, rel_tol=ALIKE)
