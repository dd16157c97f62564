"""Quantities as people type and read them: where reports and front ends have ms, kW, percent and K$ from.

Inside the program every number is in SI units and every share lies in [0, 1]. The quantities read typed text and
write it back exactly; the functions below them write numbers for reading, rounded.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

from fleettui.errors import InputError
from fleettui.reports.quantity import LONGEST, Quantity

HOURS_PER_YEAR = 8760
MINUTE, HOUR, DAY = 60, 3600, 86400
UNDEFINED = "-"
SCALES = {"k": Fraction(1000), "M": Fraction(10**6), "B": Fraction(10**9)}

_PERCENTILE = r"(p?)\s*(\d+\.?\d*|\.\d+)\s*(%?)"


def _per(prefixes: tuple[str, ...] = ("",)) -> dict[str, Fraction]:
    """Return the four rates per time with each of `prefixes` before the slash."""
    times = (("s", 1), ("min", MINUTE), ("h", HOUR), ("day", DAY))
    return {f"{prefix}/{unit}": Fraction(1, seconds) for prefix in prefixes for unit, seconds in times}


DURATION = Quantity(
    name="duration",
    units={
        "s": Fraction(1),
        "ms": Fraction(1, 1000),
        "us": Fraction(1, 10**6),
        "min": Fraction(MINUTE),
        "h": Fraction(HOUR),
        "d": Fraction(DAY),
    },
    accepted="a number with a unit: 500ms, 0.5s, 2min",
)
THINK_TIME = DURATION._replace(accepted="a number with a unit: 20s, 2min, 0s", zero=True)
RATE = Quantity(
    name="rate",
    units=_per(("", "req")),
    scales=SCALES,
    accepted="a number above 0 with a unit: 100/s, 6000/min, 20000/h",
)
TOKEN_RATE = Quantity(
    name="token rate",
    units=dict(reversed(_per().items())),
    scales=SCALES,
    accepted="a number above 0 with a unit: 3e9/day, 3B/day, 35000/s",
)
TOKENS = Quantity(
    name="number of tokens",
    units={"": Fraction(1)},
    aliases={"Ki": Fraction(1024), "Mi": Fraction(1024**2)},
    scales=SCALES,
    accepted="a number above 0: 8192, 8k (8,000), 8Ki (8,192), 1M",
)
MOST_COUNTED = 10**12
WHOLE_TOKENS = TOKENS._replace(accepted=f"a whole {TOKENS.accepted[2:]}", whole=True, limit=MOST_COUNTED)
COUNT = WHOLE_TOKENS._replace(name="count", aliases={}, accepted="a whole number above 0: 40, 20k")
FACTOR = Quantity(name="factor", units={"": Fraction(1), "x": Fraction(1)}, accepted="a number above 0: 2.5")
SHARE = Quantity(
    name="share",
    units={"%": Fraction(1, 100)},
    aliases={"": Fraction(1)},
    accepted="a percentage or a number from 0 to 1: 55%, 0.55",
    zero=True,
    limit=1,
)
POWER = Quantity(
    name="power",
    units={"W": Fraction(1), "kW": Fraction(1000), "MW": Fraction(10**6)},
    accepted="a number above 0 with a unit: 40kW, 700W",
)
MONEY_RATE = Quantity(
    name="cost",
    prefix="$",
    units={"/h": Fraction(1), "/day": Fraction(1, 24), "/yr": Fraction(1, HOURS_PER_YEAR)},
    scales=SCALES,
    accepted="US dollars with a unit of time: 60/h, 500k/yr",
)
PRICE = Quantity(
    name="price",
    prefix="$",
    units={"": Fraction(1), "/h": Fraction(1)},
    accepted="US dollars for one GPU for one hour: 2.10",
    zero=True,
)
CORE_PRICE = PRICE._replace(accepted="US dollars for one processor core for one hour: 0.04, 0.04/h", zero=False)


def percentile(text: str, where: str | None = None) -> float:
    """Return a percentile as a share: `99`, `p99`, `99.9%` and `0.99` are read; raises InputError.

    >>> percentile("99"), percentile("p99.9"), percentile("0.5")
    (0.99, 0.999, 0.5)
    """
    found = re.fullmatch(_PERCENTILE, text.strip().lower())
    value = Fraction(found[2]) if found and len(text) <= LONGEST else Fraction(0)
    if found and (found[1] or found[3] or value >= 1):
        value /= 100
    if not 0 < value < 1:
        raise InputError("this is no percentile", where=where, value=text, accepted="above 0 and below 100: 99, 99.9")
    return float(value)


def write_percentile(value: float) -> str:
    """Return the text that `percentile` reads back as exactly `value`.

    >>> write_percentile(0.99), write_percentile(0.999)
    ('99', '99.9')
    """
    text = f"{float(Fraction(value) * 100):.12g}"
    if "e" not in text and percentile(f"{text}%") == value:
        return text if float(text) >= 1 else f"{text}%"
    return f"{Decimal(repr(value)):f}"


def seconds(value: float | None) -> str:
    """Return a duration for reading: us below 0.1 ms, ms below 0.1 s, seconds to 10 minutes, then minutes and hours.

    >>> seconds(0.034), seconds(0.41), seconds(12.3), seconds(None)
    ('34 ms', '0.41 s', '12 s', '-')
    """
    if value is None or not math.isfinite(value):
        return UNDEFINED
    if 0 < value < 1e-4:
        return f"{significant(value * 1e6, 2)} us"
    if value < 0.1:
        return f"{significant(value * 1000, 2)} ms"
    if value < 10 * MINUTE:
        return f"{significant(value, 2)} s"
    return f"{value / MINUTE:.0f} min" if value < 2 * HOUR else f"{value / HOUR:.1f} h"


def limit(value: float) -> str:
    """Return a latency limit as typed, without a space: 500ms, 2s.

    >>> limit(0.5), limit(2.0), limit(0.0005), limit(14_400.0)
    ('500ms', '2s', '0.5ms', '14400s')
    """
    rounded = Decimal(f"{value:.4g}" if value < 1000 else f"{value:.0f}")
    return f"{(rounded * 1000).normalize():f}ms" if rounded < 1 else f"{rounded:f}s"


def dollars_per_hour(value: float) -> str:
    """Return US dollars per hour: cents below 10, whole dollars with separators from there, halves upwards.

    >>> dollars_per_hour(7.1), dollars_per_hour(14.5), dollars_per_hour(1071.4)
    ('$7.10/h', '$15/h', '$1,071/h')
    """
    return f"${value:.2f}/h" if value < 10 else f"${math.floor(value + 0.5):,}/h"


def cents_per_hour(value: float) -> str:
    """Return US dollars per hour with cents, as prices and changes are told.

    >>> cents_per_hour(1071.4)
    '$1,071.40/h'
    """
    return f"{dollars(value)}/h"


def price(value: float) -> str:
    """Return the price of a GPU in US dollars per hour, with as many of four decimals as it has, two at least.

    >>> price(2.95), price(2.655), price(14.0)
    ('$2.95/h', '$2.655/h', '$14.00/h')
    """
    whole, _, decimals = f"{value:,.4f}".partition(".")
    return f"${whole}.{decimals[:2]}{decimals[2:].rstrip('0')}/h"


def hourly(value: float) -> str:
    """Return US dollars per hour below a head that says so: cents below 100.

    >>> hourly(71), hourly(12_345.6)
    ('71.00', '12,346')
    """
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def dollars_per_year(per_hour: float) -> str:
    """Return what US dollars per hour come to in a year of 8,760 hours, in thousands or millions.

    >>> dollars_per_year(71.0), dollars_per_year(1500.0)
    ('$622K/yr', '$13.1M/yr')
    """
    value = per_hour * HOURS_PER_YEAR
    return f"${value / 1e6:.1f}M/yr" if value >= 1e7 else f"${value / 1e3:,.0f}K/yr"


def monthly(per_hour: float) -> float:
    """Return what something per hour comes to in a twelfth of a year."""
    return per_hour * HOURS_PER_YEAR / 12


def dollars_per_month(per_hour: float) -> str:
    """Return what US dollars per hour come to in a twelfth of a year, in whole dollars.

    >>> dollars_per_month(71.0)
    '$51,830/month'
    """
    return f"${monthly(per_hour):,.0f}/month"


def dollars(value: float | None) -> str:
    """Return a sum of US dollars with cents.

    >>> dollars(0.3123), dollars(None)
    ('$0.31', '-')
    """
    return UNDEFINED if value is None or not math.isfinite(value) else f"${value:,.2f}"


def watts(value: float) -> str:
    """Return power in W or kW.

    >>> watts(583.0), watts(14000.0), watts(240000.0)
    ('583 W', '14.0 kW', '240 kW')
    """
    if value < 1000:
        return f"{value:.0f} W"
    return f"{value / 1000:.1f} kW" if value < 1e5 else f"{value / 1000:,.0f} kW"


def percent(value: float) -> str:
    """Return a share as a percentage without decimals, one decimal below 1 % and where it would read as all but is not.

    >>> percent(0.11), percent(0.0042), percent(0.0), percent(0.0004), percent(-0.0004), percent(0.998), percent(0.9999)
    ('11%', '0.4%', '0%', '<0.1%', '>-0.1%', '99.8%', '>99.9%')
    """
    if 0 < abs(value) < 0.0005 or 0.9995 <= value < 1.0:
        return ">99.9%" if value > 0.5 else "<0.1%" if value > 0 else ">-0.1%"
    return f"{value:.1%}" if 0 < abs(value) < 0.01 or 0.995 <= value < 1.0 else f"{value:.0%}"


def fraction(value: float | None) -> str:
    """Return a share as two decimals without the leading zero, the way utilization is written.

    >>> fraction(0.81), fraction(1.05), fraction(None)
    ('.81', '1.05', '-')
    """
    return UNDEFINED if value is None or not math.isfinite(value) else f"{value:.2f}".removeprefix("0")


def count(value: float) -> str:
    """Return a whole number with thousands separators.

    >>> count(19366)
    '19,366'
    """
    return f"{value:,.0f}"


def short_count(value: float) -> str:
    """Return a count in thousands, millions or billions, three figures.

    >>> short_count(937), short_count(82_400), short_count(13_464_880)
    ('937', '82.4K', '13.5M')
    """
    size, unit = next(((size, unit) for size, unit in ((1e9, "B"), (1e6, "M"), (1e3, "K")) if value >= size), (1, ""))
    return f"{significant(value / size, 3)}{unit}" if unit else count(value)


def per_second(value: float | None) -> str:
    """Return a rate per second with three figures.

    >>> per_second(91.72), per_second(0.00123), per_second(1000.0)
    ('91.7', '0.00123', '1,000')
    """
    return UNDEFINED if value is None else significant(value, 3)


def gigabytes(value: float) -> str:
    """Return bytes in GB.

    >>> gigabytes(80e9)
    '80.0 GB'
    """
    return f"{significant(value / 1e9, 3)} GB"


def bytes_per_second(value: float) -> str:
    """Return a bandwidth in TB/s or GB/s.

    >>> bytes_per_second(3.35e12), bytes_per_second(450e9)
    ('3.35 TB/s', '450 GB/s')
    """
    return f"{value / 1e12:.3g} TB/s" if value >= 1e12 else f"{value / 1e9:.3g} GB/s"


def tera_flops(value: float | None) -> str:
    """Return FLOP/s in TFLOP/s, without the unit.

    >>> tera_flops(989e12), tera_flops(None)
    ('989', '-')
    """
    return UNDEFINED if value is None else significant(value / 1e12, 3)


def billions(value: float) -> str:
    """Return a number of parameters in billions.

    >>> billions(70.6e9)
    '70.6B'
    """
    return f"{significant(value / 1e9, 3)}B"


def significant(value: float, figures: int) -> str:
    """Return `value` with `figures` significant figures, never in exponent form, whole digits kept.

    >>> significant(9.99, 2), significant(0.0999, 2), significant(1234.5, 2)
    ('10', '0.10', '1,234')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    rounded = float(f"{value:.{figures - 1}e}")
    decimals = max(0, figures - 1 - math.floor(math.log10(abs(rounded))))
    return f"{value:,.{decimals}f}"
