"""One kind of quantity as people type it: a number, a unit, and what is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

from fleettui.errors import InputError

LONGEST = 40
"""Characters that a typed quantity may have."""
SCALE = 1.5
"""How many digits a scale is held to be worth where quantities are written: 22.5/s goes before 81k/h."""
NO_UNITS: Mapping[str, Fraction] = MappingProxyType({})

_NUMBER = r"([-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?)\s*(.*)"
_THOUSANDS = r"^[1-9]\d{0,2}(,\d{3})+"
_NOT_FINITE = r"[-+]?(nan|inf|infinity)\b"


class Quantity(NamedTuple):
    """One kind of quantity: its units with their size in SI, and how it is told to a person.

    The unit of size 1 is the one that always writes exactly. `aliases` are read, and written only for want of
    another. An empty unit name lets a bare number pass. `whole` asks for an integer, `zero` lets 0 pass, `prefix`
    may stand before the number, `limit` is the largest value.
    """

    name: str
    units: Mapping[str, Fraction]
    accepted: str
    aliases: Mapping[str, Fraction] = NO_UNITS
    scales: Mapping[str, Fraction] = NO_UNITS
    zero: bool = False
    whole: bool = False
    prefix: str = ""
    limit: float = math.inf

    def parse(self, text: str, where: str | None = None) -> float:
        """Return `text` in SI units; raises InputError that names `where`, the value and the accepted form.

        >>> from fleettui.reports.units import DURATION, RATE, SHARE
        >>> DURATION.parse("500ms"), RATE.parse("6000/min"), SHARE.parse("55%")
        (0.5, 100.0, 0.55)
        """
        number, unit = self._split(text, where)
        size = self._size(unit)
        if size is None:
            raise self._refusal(f"unknown unit of {self.name}" if unit else f"{self.name} needs a unit", text, where)
        value = self._float(number * size, text, where)
        if value < 0 or (value == 0 and not self.zero):
            raise self._refusal(f"{self.name} must {'not be negative' if self.zero else 'be above zero'}", text, where)
        if value > self.limit:
            raise self._refusal(f"{self.name} is above {self.limit:g}", text, where)
        if self.whole and not value.is_integer():
            raise self._refusal(f"{self.name} must be a whole number", text, where)
        return value

    def write(self, value: float) -> str:
        """Return the shortest text that `parse` reads back as exactly `value`; a scale is as long as SCALE digits more.

        >>> from fleettui.reports.units import DURATION, RATE, TOKEN_RATE
        >>> DURATION.write(0.5), RATE.write(6 / 3600), RATE.write(22.5), TOKEN_RATE.write(3e9 / 86400)
        ('0.5s', '6/h', '22.5/s', '3B/day')
        """
        kept = self._replace(zero=True)  # plans may have been kept with what is refused today
        exact = [(text, length) for text, length in self._candidates(value) if kept.parse(text) == value]
        base = next(unit for unit, size in {**self.units, **self.aliases}.items() if size == 1)
        return min(exact, key=itemgetter(1))[0] if exact else f"{value!r}{base}"

    def _candidates(self, value: float) -> Iterator[tuple[str, float]]:
        """Yield what a value may be written as, with how long that is."""
        for unit, size in self.units.items():
            for scale, factor in {"": Fraction(1), **self.scales}.items():
                text = f"{float(Fraction(value) / (factor * size)):.12g}{scale}{unit}"
                yield text, len(text) + SCALE * bool(scale)

    def _split(self, text: str, where: str | None) -> tuple[Fraction, str]:
        plain = text.strip().removeprefix(self.prefix)
        if self.whole:
            plain = re.sub(_THOUSANDS, lambda found: found[0].replace(",", ""), plain)
        found = re.fullmatch(_NUMBER, plain, re.DOTALL)
        if re.match(_NOT_FINITE, plain, re.IGNORECASE):
            raise self._refusal(f"{self.name} must be a finite number", text, where)
        if not found or len(text) > LONGEST:
            raise self._refusal(f"this is no {self.name}", text, where)
        return Fraction(found[1].replace("_", "")), found[2].strip()

    def _size(self, unit: str) -> Fraction | None:
        if unit in self.units or unit in self.aliases:
            return self.units.get(unit) or self.aliases[unit]
        scale, rest = self.scales.get(unit[:1]), self.units.get(unit[1:].lstrip())
        return None if scale is None or rest is None else scale * rest

    def _float(self, value: Fraction, text: str, where: str | None) -> float:
        try:
            return float(value)
        except OverflowError:
            raise self._refusal(f"{self.name} must be a finite number", text, where) from None

    def _refusal(self, what: str, text: str, where: str | None) -> InputError:
        return InputError(what, where=where, value=text, accepted=self.accepted)
