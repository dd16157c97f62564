"""The parts of a question about power: what the GPUs and the feed may draw, and what that comes to at the meter."""

from __future__ import annotations

from functools import partial

from fleettui.domain.engine_settings import SEARCHED
from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.text_forms import CARBON, FACTOR, HOST_POWER, POWER, POWER_PRICE, or_word

_Setting = partial(Key, is_setting=True, is_swept=False, is_input=False)

POWER_LIMITS = (
    Key("max-power", POWER, "40kW", "power of the fleet's GPUs, hosts and cooling not counted", is_setting=True),
    Key("max-feed", POWER, "90kW", "power at the meter: GPUs and hosts, x pue", is_setting=True),
    Key("power-cap", or_word(POWER, SEARCHED), "500W", "most power of each GPU, auto to search; its clock falls"),
)
"""What may be drawn, as limits on the fleet."""

METER = Group(
    "What its power comes to at the meter; the answer rests on it by max-feed and objective energy alone.",
    (
        _Setting("host-power", HOST_POWER, "400W", "power of server and network for each GPU"),
        _Setting("pue", FACTOR, "1.15", "power of the whole site, cooling included, over that of its servers"),
        _Setting("power-price", POWER_PRICE, "0.12/kWh", "US dollars for a kWh, to tell what electricity costs"),
        _Setting("carbon", CARBON, "300g/kWh", "carbon dioxide of a kWh, to tell what tokens emit"),
    ),
)
