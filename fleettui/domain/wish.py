"""A wished confidence that no fleet has: how that is said among a plan's reasons, and found again for its headline."""

from __future__ import annotations

from collections.abc import Iterable

NO_FLEET, SURE = "no fleet ", "% sure"
CLAUSE = ": "
"""Ends what a headline has room for."""


def none_as_sure(share: float, where: str) -> str:
    """Return that no fleet somewhere is as sure as was wished.

    >>> none_as_sure(0.9, "within the budget")
    'no fleet within the budget is 90% sure'
    """
    return f"{NO_FLEET}{where} is {100 * share:.3g}{SURE}"


def unmet(why: Iterable[str]) -> str:
    """Return the first clause of the reason that a wished confidence is not met, empty where no reason says that.

    >>> unmet(["no fleet within the budget is 90% sure; by formula H100 tp8 x8 would be: $188.80/h would do"])
    'no fleet within the budget is 90% sure; by formula H100 tp8 x8 would be'
    """
    return next((one.partition(CLAUSE)[0] for one in why if one.startswith(NO_FLEET) and SURE in one), "")
