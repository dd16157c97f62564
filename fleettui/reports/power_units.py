"""What people type of power at the meter: the hosts' watts, the price of a kWh and the carbon dioxide of one."""

from __future__ import annotations

from fractions import Fraction

from fleettui.reports.quantity import Quantity
from fleettui.reports.units import POWER

HOST_POWER = POWER._replace(name="host power", accepted="a number, 0 or above, with a unit: 630W, 0.4kW", zero=True)
POWER_PRICE = Quantity(
    name="price of power",
    prefix="$",
    units={"/kWh": Fraction(1), "/MWh": Fraction(1, 1000)},
    accepted="US dollars with a unit of energy: 0.12/kWh, 120/MWh",
)
CARBON = Quantity(
    name="carbon intensity",
    units={"g/kWh": Fraction(1), "kg/kWh": Fraction(1000), "kg/MWh": Fraction(1)},
    accepted="grams with a unit of energy: 300g/kWh, 0.3kg/kWh",
)
