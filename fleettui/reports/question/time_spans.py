"""Growth, lead times and days as people type them."""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction

from fleettui.errors import InputError
from fleettui.reports.quantity import Quantity

MONTHS = {"day": 12 / 365, "week": 7 * 12 / 365, "month": 1.0, "quarter": 3.0, "year": 12.0, "yr": 12.0}
"""Months in a unit of time, a month being a twelfth of 365 days."""
ACCEPTED = "a percentage above 0 with a unit of time: 8%/month, 150%/year, 2%/week"
MOST_GROWTH = 1000.0
"""Share by which demand may grow in a month: beyond, it is a typing error."""

LEAD_TIME = Quantity(
    name="lead time",
    units={"d": Fraction(1), "w": Fraction(7)},
    aliases={
        "day": Fraction(1),
        "days": Fraction(1),
        "week": Fraction(7),
        "weeks": Fraction(7),
        "months": Fraction(365, 12),
        "month": Fraction(365, 12),
    },
    accepted="a number with a unit: 12w, 90d, 3months, 0d",
    zero=True,
    limit=36_500,
)
"""In days."""

_SHARE = Quantity(name="growth", units={"%": Fraction(1, 100)}, accepted=ACCEPTED)


def read_growth(text: str, where: str | None = None, *, zero: bool = False) -> float:
    """Return compound growth as a share per month: 150%/year multiplies by 2.5 in twelve months; raises InputError.

    Where it may be `zero`, what does not grow is told, too.

    >>> read_growth("8%/month"), round(read_growth("300%/year"), 4), read_growth("0%/month", zero=True)
    (0.08, 0.1225, 0.0)
    """
    share, slash, unit = text.partition("/")
    if not slash or unit.strip().lower() not in MONTHS:
        raise InputError("growth needs a unit of time", where=where, value=text, accepted=ACCEPTED)
    if share.strip() and "%" not in share:
        raise InputError(
            "the percent sign is missing",
            where=where,
            value=text,
            accepted=ACCEPTED,
            remedy=f"write {share.strip()}%/{unit.strip()}",
        )
    value, months = _SHARE._replace(zero=zero).parse(share.strip(), where), MONTHS[unit.strip().lower()]
    found = value if months == 1.0 else math.expm1(math.log1p(value) / months)
    if found > MOST_GROWTH:
        raise InputError("no demand grows so fast", where=where, value=text, accepted=ACCEPTED)
    return found


def read_growth_range(text: str, where: str | None = None) -> tuple[float, tuple[float, float] | None]:
    """Return the growth per month and its ends, None where it is one: of low:high the middle one; raises InputError.

    >>> read_growth_range("8%/month"), read_growth_range("8%:8%/month")[0]
    ((0.08, None), 0.08)
    """
    ends, slash, unit = text.partition("/")
    low, colon, high = ends.partition(":")
    if not colon:
        return read_growth(text, where), None
    least, most = (read_growth(f"{end}{slash}{unit}", where) for end in (low, high))
    if least > most:
        raise InputError("the range of growth falls", where=where, value=text, accepted="5%:10%/month, rising")
    middle = math.expm1((math.log1p(least) + math.log1p(most)) / 2.0)
    return (least, None) if least == most else (middle, (least, most))


def read_day(text: str, where: str | None = None) -> date:
    """Return a day; raises InputError.

    >>> read_day("2026-12-01")
    datetime.date(2026, 12, 1)
    """
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise InputError("this is no day", where=where, value=text, accepted="year-month-day: 2026-12-01") from None
