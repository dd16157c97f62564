"""What following the rate costs as replayed: the newest study of autoscaling that tells it at the same prices."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fleettui.domain.study import Cell, Study
from fleettui.reports.studies.day_tables import AGAINST, COMMITTED, KEEPS

STATIC = "static-"
"""How the policies begin that follow nothing."""
_RESERVED = re.compile(r" --reserved ([\d.]+)%")
ALIKE = 0.001
"""By how much of the price on demand that of a commitment may differ, as typed and as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A `policy` that kept the SLO over the day in a `study`: committed `gpus`, US dollars an hour, the share `met`.

    `low` and `high` are the ends of its 95 % interval, None of one run alone; `worst` is that of the worst 5 minutes,
    None where that is not known.
    """

    study: str
    policy: str
    gpus: int
    cost: float
    met: float
    low: float | None
    high: float | None
    worst: float | None

    @property
    def kept(self) -> str:
        """The share within every limit with its interval, and that of the worst 5 minutes, in words."""
        ends = ", one run alone,"
        if self.low is not None and self.high is not None:
            ends = f" [{100.0 * self.low:.2f}, {100.0 * self.high:.2f}]"
        worst = "" if self.worst is None else f", {100.0 * self.worst:.2f}% in the worst 5 minutes"
        return f"{100.0 * self.met:.2f}%{ends} of the requests within every limit{worst}"


def replayed(studies: Iterable[Study], day_option: str, share: float) -> Replayed | None:
    """Return the cheapest policy that keeps the SLO, of the first of `studies` of autoscaling that fits; None of none.

    It fits where it replays the day of `day_option`, with no event, and commits at a `share` of the price on demand.
    """
    for one in studies:
        typed = _RESERVED.search(one.question)
        on_day = f" {day_option} " in one.question if day_option else " --day " not in one.question
        if typed and on_day and " --event " not in one.question and abs(float(typed[1]) / 100.0 - share) < ALIKE:
            return _cheapest(one)
    return None


def _cheapest(study: Study) -> Replayed | None:
    kept = {row["policy"]: row for row in _records(study, AGAINST) if row["front"] == KEEPS}
    rows = [row for row in _records(study, COMMITTED) if row["policy"] in kept]
    best = min(rows, key=lambda row: _number(row["cost_per_hour"]), default=None)
    if best is None or str(best["policy"]).startswith(STATIC):
        return None
    own = kept[best["policy"]]
    low, high, worst = (None if own.get(name) is None else _number(own[name]) for name in ("low", "high", "worst"))
    return Replayed(
        study=study.handle,
        policy=str(best["policy"]),
        gpus=round(_number(best["committed"])),
        cost=_number(best["cost_per_hour"]),
        met=_number(own["slo_met"]),
        low=low,
        high=high,
        worst=worst,
    )


def _records(study: Study, title: str) -> list[dict[str, Cell]]:
    return [dict(row) for one in study.tables if one.title == title for row in one.records()]


def _number(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0
