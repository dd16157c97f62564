"""Prices and stocks of GPUs that no fleet of a plan may have, so that they change nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from fleettui.domain.scenario import Question

FEW = 2
"""GPU types that are named; of more it is said how many there are."""


def unused(question: Question, stocks: Iterable[str], used: Collection[str]) -> Iterator[str]:
    """Yield a line for the typed prices of a question, and one for the `stocks`, of GPUs that are not among the `used`.

    The prices of a list are those of all that it offers: nothing is said of them.
    """
    priced = () if question.price_terms else dict(question.prices)
    for option, named in (("price", priced), ("max-gpus", stocks)):
        names = [name for name in named if name not in used]
        if names:
            more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
            yield f"--{option} {', '.join(names[:FEW])}{more}: no effect, no fleet may have it"
