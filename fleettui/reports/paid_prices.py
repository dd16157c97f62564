"""What plans pay for GPUs of which one has a price that somebody typed, and another has another or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fleettui.domain.scenario import Question
from fleettui.reports import units
from fleettui.reports.question.price_keys import typed

Prices = Mapping[str, float]
"""US dollars an hour by the GPUs that were searched."""


def paid(questions: Sequence[Question], prices: Sequence[Prices]) -> tuple[str, ...]:
    """Return what each question pays for such GPUs, and who says so; nothing where all typed the same, or nothing.

    A GPU that a question neither priced nor searched is not told of it.
    """
    said = [dict(typed(one.price_terms, one.prices)) for one in questions]
    gpus = sorted(set[str]().union(*said))
    apart = [gpu for gpu in gpus if len({one.get(gpu) for one in said}) > 1]
    if not apart:
        return ()
    sides = zip(questions, said, prices, strict=True)
    return tuple(
        ", ".join(filter(None, (_told(gpu, question, own, known) for gpu in apart))) or f"none of {', '.join(apart)}"
        for question, own, known in sides
    )


def _told(gpu: str, question: Question, own: Prices, known: Prices) -> str:
    cost = own.get(gpu, known.get(gpu))
    if cost is None:
        return ""
    listed = "price list" if gpu in dict(question.prices) else "catalogue"
    return f"{gpu} {units.price(cost)} {'typed' if gpu in own else listed}"
