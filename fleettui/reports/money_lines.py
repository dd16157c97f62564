"""How a plan's GPUs are paid for by class, in lines below its answer, from the newest study of money."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fleettui.domain.study import Cell, Study, StudyTable
from fleettui.reports import units
from fleettui.reports.text_page import Line, fact

MIX, PRICES, WAYS = "what to commit to", "prices", "ways to pay"
"""How the titles of the tables begin of what to commit to, of the prices, and of the ways to pay."""
GROWS = "growth needs"
"""What the note of the first says where GPUs are added as the load grows."""
PARTS = {"on-demand": "on_demand", "spot": "spot"}
"""Where the GPUs of a class stand; of the others with those that are committed to."""


def money_lines(study: Study) -> list[Line]:
    """Return how many GPUs of each class at which price, and the study that says more; nothing of an unknown form."""
    mix, prices, cost = _table(study, MIX), _table(study, PRICES), _mean(study)
    if mix is None or prices is None or cost is None:
        return []
    rows = list(mix.records())
    first = [row for row in rows if row["from_year"] == 0]
    told = " + ".join(_classes(first, prices.records(), mix))
    when = " in the first term" * (len(first) < len(rows))
    mean = f"{units.cents_per_hour(cost)} on average"
    return fact("money", f"{told}{when}: {mean} (fleettui show {study.handle})")


def _mean(study: Study) -> float | None:
    """Return the US dollars an hour of what is committed to over all years, None where no table has them."""
    mix, ways = _table(study, MIX), _table(study, WAYS)
    if mix is None or ways is None:
        return None
    costs = (row["cost_per_hour"] for row in ways.records() if mix.title.endswith(f": {row['way']}"))
    return next((float(one) for one in costs if one is not None), None)


def _table(study: Study, title: str) -> StudyTable | None:
    return next((one for one in study.tables if one.title.startswith(title)), None)


def _classes(
    first: Sequence[Mapping[str, Cell]], prices: Sequence[Mapping[str, Cell]], mix: StudyTable
) -> Iterator[str]:
    """Yield the GPUs of each class that is taken, at most in the first term, with price, seller and date."""
    for price in prices:
        name = str(price["class"])
        if name not in PARTS and name not in mix.title:
            continue
        count = sum(int(row[PARTS.get(name, "committed")] or 0) for row in first if row["gpu"] == price["gpu"])
        if count:
            seller = " ".join(filter(None, (str(price["seller"]), str(price["date"] or ""))))
            cost = units.cents_per_hour(float(price["per_gpu_hour"] or 0.0))
            later = " as growth needs them" * (name in PARTS and GROWS in mix.note)
            yield f"{count} {price['gpu']} {name}{later} at {cost} ({seller})"
