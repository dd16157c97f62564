"""The few checks that frozen values make of their fields; each failure names the field and shows the value."""

from __future__ import annotations

import math
from collections.abc import Collection

from fleettui.errors import InputError


def positive(name: str, value: float) -> None:
    """Raise InputError unless `value` is finite and above zero."""
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"{name} must be above zero", value=value, accepted="a finite number above 0")


def not_negative(name: str, value: float) -> None:
    """Raise InputError unless `value` is finite and not below zero."""
    if not (math.isfinite(value) and value >= 0):
        raise InputError(f"{name} must not be negative", value=value, accepted="a finite number, 0 or above")


def share(name: str, value: float, *, open_ends: bool = False) -> None:
    """Raise InputError unless `value` lies in [0, 1], or in (0, 1) with `open_ends`."""
    inside = 0 < value < 1 if open_ends else 0 <= value <= 1
    if not inside:
        ends = "strictly between 0 and 1" if open_ends else "from 0 to 1"
        raise InputError(f"{name} is not a share", value=value, accepted=f"a number {ends}, or a percentage")


def one_of(name: str, value: str, known: Collection[str]) -> None:
    """Raise InputError unless `value` is among `known`."""
    if value not in known:
        raise InputError(f"unknown {name}", value=value, accepted=", ".join(known))
