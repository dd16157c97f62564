"""What people type of the links between replicas: bytes or bits per second."""

from __future__ import annotations

from fractions import Fraction

from fleettui.reports.quantity import Quantity

LINK = Quantity(
    name="bandwidth of a link",
    units={"GB/s": Fraction(10**9), "Gbit/s": Fraction(10**9, 8), "MB/s": Fraction(10**6)},
    aliases={"TB/s": Fraction(10**12), "Gb/s": Fraction(10**9, 8), "Gbps": Fraction(10**9, 8), "B/s": Fraction(1)},
    accepted="a number above 0 with a unit, of one replica and one way: 50GB/s, 400Gbit/s",
)
