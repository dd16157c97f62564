"""The parts of a question that say what the GPUs' power comes to at the meter of their site."""

from __future__ import annotations

from functools import partial

from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.text_forms import CARBON, FACTOR, HOST_POWER, POWER_PRICE

_Setting = partial(Key, is_setting=True, is_swept=False, is_input=False)

METER = Group(
    "What its power comes to at the meter; the answer does not rest on it.",
    (
        _Setting("host-power", HOST_POWER, "400W", "power of server and network for each GPU"),
        _Setting("pue", FACTOR, "1.15", "power of the whole site, cooling included, over that of its servers"),
        _Setting("power-price", POWER_PRICE, "0.12/kWh", "US dollars for a kWh, to tell what electricity costs"),
        _Setting("carbon", CARBON, "300g/kWh", "carbon dioxide of a kWh, to tell what tokens emit"),
    ),
)
