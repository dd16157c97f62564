"""The parts of a question that say how often hardware fails, and for how long all that is needed must be up."""

from __future__ import annotations

import re
from fractions import Fraction

from fleettui.domain.failures import FAILING_UNITS, FailingUnit, Failures, Rack
from fleettui.errors import InputError
from fleettui.reports import units
from fleettui.reports.quantity import Quantity
from fleettui.reports.question.key import Key
from fleettui.reports.question.text_forms import COUNT, DURATION, SHARE, Form, choice, of_quantity
from fleettui.reports.units import DAY, HOUR, HOURS_PER_YEAR

AVAILABILITY, AVAILABILITY_OF, FAILURES, REPAIR = "availability", "availability-of", "failures", "repair"
_DAYS = {"day": Fraction(1), "h": Fraction(HOUR, DAY), "yr": Fraction(HOURS_PER_YEAR * HOUR, DAY)}


def _rate_of(unit: FailingUnit) -> Quantity:
    return Quantity(
        name="failure rate",
        units={f"/{unit}-{time}": 1 / days for time, days in _DAYS.items()},
        accepted="failures of each node or GPU in a time: 0.02/node-day, 1/60node-day, 0.002/gpu-day",
    )


_EVERY = re.compile(r"\s*(?P<count>\d+\.?\d*)\s*/\s*(?P<many>\d+\.?\d*)\s*(?P<unit>[a-z]+-[a-z]+)\s*")
"""Failures in so many node-days: 1/60node-day, as one counts them."""
_RATES = {unit: _rate_of(unit) for unit in FAILING_UNITS}


def _read(text: str, where: str | None) -> Failures:
    of: FailingUnit = "gpu" if "gpu" in text.lower() else "node"
    plain = text.lower()
    if (every := _EVERY.fullmatch(plain)) and float(every["many"]) > 0.0:
        plain = f"{float(every['count']) / float(every['many'])!r}/{every['unit']}"
    return Failures(per_day=_RATES[of].parse(plain, where), of=of)


def _write(value: Failures) -> str:
    by_day = f"{value.per_day:.12g}/{value.of}-day"
    return by_day if _read(by_day, None) == value else _RATES[value.of].write(value.per_day)


FAILURE_RATE = Form(_read, _write)
"""Failures a day of each node or each GPU, told with what they are of: 0.02/node-day."""


def _read_rack(text: str, where: str | None) -> Rack:
    nodes, sign, up = text.partition("@")
    if not sign:
        raise InputError("this is no rack", where=where, value=text, accepted="nodes@availability, such as 4@99.95%")
    return Rack(nodes=int(COUNT.read(nodes, where)), up=SHARE.read(up, where))


RACK = Form(_read_rack, lambda value: f"{COUNT.write(value.nodes)}@{SHARE.write(value.up)}")
"""Nodes of a rack or zone, and the share of time that it is up: 4@99.95%."""

SURVIVED = of_quantity(units.COUNT._replace(zero=True, accepted="a whole number, 0 or above: 0, 1, 2"), "count")

FAILURE_KEYS = (
    Key(AVAILABILITY, SHARE, "98.7%", "share of time that a node or a GPU is up; adds spare replicas"),
    Key(
        AVAILABILITY_OF,
        choice(FAILING_UNITS),
        "gpu",
        "what the availability is of: a node, or each GPU by itself",
        now="node",
    ),
    Key(FAILURES, FAILURE_RATE, "0.02/node-day", "how often each node or GPU fails, instead of --availability"),
    Key(REPAIR, DURATION, "4h", "mean time until what failed is up again; with --failures"),
    Key("rack", RACK, "4@99.95%", "nodes of a rack or zone that fail as one, and how long it is up"),
    Key("survive", SURVIVED, "1", "replicas of each pool that may be down while every limit holds"),
    Key("availability-target", SHARE, "99.9%", "share of time that all needed replicas of a pool must be up"),
)


def check_unit(rate: str, of: str, where: str) -> None:
    """Raise InputError where the text of a failure rate is one of nodes, and that of what fails says GPUs."""
    if of.strip().lower() == "gpu" and "gpu" not in rate.lower():
        raise InputError(
            "the failure rate is one of nodes", where=where, value=of, remedy="write the rate as 0.002/gpu-day"
        )
