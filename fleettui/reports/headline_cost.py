"""What a fleet costs a month, as short as a headline has room for."""

from __future__ import annotations

from fleettui.reports import units


def about_per_month(per_hour: float) -> str:
    """Return what US dollars per hour come to in a twelfth of a year: in thousands or millions from 100,000 on.

    >>> about_per_month(71.0), about_per_month(141.6), about_per_month(20_000.0)
    ('$51,830/month', '$103K/month', '$14.6M/month')
    """
    value = units.monthly(per_hour)
    if value < 1e5:
        return units.dollars_per_month(per_hour)
    return f"${value / 1e6:.1f}M/month" if value >= 1e7 else f"${value / 1e3:,.0f}K/month"
