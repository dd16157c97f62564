"""How a plan's GPUs are paid for by class, in lines below its answer, from the newest study of money."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from fleettui.domain.study import Cell, Study, StudyTable
from fleettui.reports import units
from fleettui.reports.text_page import Line, fact

MIX, PRICES = "what to commit to", "prices"
"""How the titles of the tables begin of what to commit to, and of the prices."""
PARTS = {"on-demand": "on_demand", "spot": "spot"}
"""Where the GPUs of a class stand; of the others with those that are committed to."""


def money_lines(study: Study) -> list[Line]:
    """Return how many GPUs of each class at which price, and the study that says more; nothing of an unknown form."""
    mix, prices = _table(study, MIX), _table(study, PRICES)
    if mix is None or prices is None:
        return []
    first = [row for row in mix.records() if row["from_year"] == 0]
    told = " + ".join(_classes(first, prices.records(), mix.title))
    cost = math.fsum(float(row["cost_per_hour"] or 0.0) for row in first)
    return fact("money", f"{told}: {units.cents_per_hour(cost)} on average (fleettui show {study.handle})")


def _table(study: Study, title: str) -> StudyTable | None:
    return next((one for one in study.tables if one.title.startswith(title)), None)


def _classes(first: Sequence[Mapping[str, Cell]], prices: Sequence[Mapping[str, Cell]], title: str) -> Iterator[str]:
    """Yield the GPUs of each class that is taken, at most in the first term, with price, seller and date."""
    for price in prices:
        name = str(price["class"])
        if name not in PARTS and name not in title:
            continue
        count = sum(int(row[PARTS.get(name, "committed")] or 0) for row in first if row["gpu"] == price["gpu"])
        if count:
            seller = " ".join(filter(None, (str(price["seller"]), str(price["date"] or ""))))
            cost = units.cents_per_hour(float(price["per_gpu_hour"] or 0.0))
            yield f"{count} {price['gpu']} {name} at {cost} ({seller})"
