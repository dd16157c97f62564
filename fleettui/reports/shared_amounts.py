"""What is used, had and needed of the shared limits of a joint plan, as words: what would do is rounded up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from fleettui.domain.joint import stock
from fleettui.reports import units

RESOURCE_WORDS = {"gpus": "GPUs of all types", "cost": "budget", "power": "power cap"}
CENT = 0.01
"""US dollars."""


def resource(name: str) -> str:
    """Return a shared limit in words.

    >>> resource("stock of h100"), resource("cost")
    ('stock of H100', 'budget')
    """
    if name in RESOURCE_WORDS:
        return RESOURCE_WORDS[name]
    return stock(name.removeprefix(stock("")).upper())


def amount(name: str, value: float) -> str:
    """Return an amount of a resource for reading, dollars with cents unless they are whole.

    >>> amount("power", 40000.0), amount("gpus", 64.0), amount("cost", 120.0), amount("cost", 54.36)
    ('40.0 kW', '64', '$120/h', '$54.36/h')
    """
    if name == "cost":
        whole = abs(value - round(value)) < CENT / 2
        return units.dollars_per_hour(value) if whole else units.cents_per_hour(value)
    return units.watts(value) if name == "power" else units.count(value)


def enough(name: str, value: float) -> float:
    """Return an amount of a resource rounded up to what is printed of it, so that what is printed suffices.

    >>> enough("cost", 54.3512), enough("power", 40_010.0), enough("power", 240_001.0), enough("stock of h100", 12.0)
    (54.36, 40100.0, 241000.0, 12.0)
    """
    if name == "cost":
        return _up(value, CENT)
    return _up(value, 1.0 if value < 1e3 else 100.0 if value < 1e5 else 1e3) if name == "power" else value


def more(name: str, needed: float, most: float) -> str:
    """Return by how much a limit has to be raised to what is printed of what is needed."""
    return amount(name, enough(name, needed) - most)


Broken = tuple[str, float, float]
"""A shared limit, its most, and what is taken of it, which is more."""


def broken(limits: Iterable[tuple[str, float]], gpus: Mapping[str, int], cost: float) -> list[Broken]:
    """Return which of `limits`, each a resource and the most of it, so many GPUs by type would break at this cost.

    That is in US dollars an hour.
    """
    taken = {stock(gpu): float(count) for gpu, count in gpus.items()} | {
        "gpus": float(sum(gpus.values())),
        "cost": cost,
    }
    return [(name, most, taken[name]) for name, most in limits if taken.get(name, 0.0) > most]


def beyond(found: Iterable[Broken]) -> str:
    """Return limits that are broken in words.

    >>> beyond([("stock of h100", 8.0, 15.0), ("cost", 40.0, 44.25)])
    'beyond the stock of H100 (15 of 8) and the budget ($44.25/h of $40/h)'
    """
    words = (f"the {resource(name)} ({amount(name, now)} of {amount(name, most)})" for name, most, now in found)
    return f"beyond {' and '.join(words)}"


def figures_up(value: float) -> float:
    """Return a number with three figures or all of its whole ones, rounded up.

    >>> figures_up(54.36), figures_up(7.1), figures_up(1234.5), figures_up(12.0)
    (54.4, 7.1, 1235.0, 12.0)
    """
    return _up(value, 0.01 if value < 10 else 0.1 if value < 100 else 1.0)


def _up(value: float, unit: float) -> float:
    """Return the least multiple of a unit that is not below a value, but for rounding of the value itself."""
    return round(math.ceil(value / unit - 1e-6) * unit, 2)
