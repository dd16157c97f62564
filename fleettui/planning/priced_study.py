"""Dollars in a study of a plan say what they rest on: the class and the date of each GPU's price, as the plan's do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.study import Study, StudyTable
from fleettui.reports.price_text import price_text

if TYPE_CHECKING:
    from store import Store

TELLS = frozenset({"money", "causes"})
"""Kinds of study that tell each price themselves: between two plans a row has the price of the one or the other."""


def with_prices(study: Study, store: Store) -> Study:
    """Return a study whose first table with dollars tells below it what the plan's GPUs cost, by class and date.

    It stays as it is without such a table or plan, and where the plan rests on prices that are not known any more.
    """
    place = next((place for place, one in enumerate(study.tables) if _has_dollars(one)), None)
    if place is None or not study.plan or study.kind in TELLS:
        return study
    answer, question = store.plan(study.plan, most=1), store.question(study.plan)
    told = "" if answer.answer is None else price_text(answer.answer, question, answer.plan.created)
    if not told:
        return study
    found = study.tables[place]
    priced = replace(found, note="; ".join(filter(None, (found.note, f"prices of the plan: {told}"))))
    return replace(study, tables=(*study.tables[:place], priced, *study.tables[place + 1 :]))


def _has_dollars(table: StudyTable) -> bool:
    return any(column.quantity.startswith("dollars") for column in table.columns)
