"""The keys that say what there is to run on, and what it costs."""

from __future__ import annotations

from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.text_forms import COUNT, FLAG, MONEY_RATE, NAME, POWER, PRICE, list_of, pairs

GROUP = Group(
    "What it may run on.",
    (
        Key(
            "gpu",
            list_of(NAME, "names with commas: h100,a100"),
            "h100,a100",
            "GPU types to choose from (fleettui gpu list); all that fit if none is given",
            fills="gpus",
            is_setting=True,
        ),
        Key(
            "price",
            pairs(PRICE, "dollars per GPU-hour by name: h100=2.10,a100=1.20"),
            "h100=2.10",
            "US dollars per GPU-hour, instead of the catalogue's",
            fills="prices",
            is_setting=True,
            of_given=True,
        ),
        Key(
            "max-gpus",
            pairs(COUNT, "counts by name: h100=40,a100=64"),
            "h100=40",
            "how many GPUs of a type there are",
            is_setting=True,
        ),
        Key("max-total-gpus", COUNT, "64", "how many GPUs there are of all types together"),
        Key("whole-nodes", FLAG, "true", "pay for whole nodes of each GPU type"),
        Key("budget", MONEY_RATE, "60/h", "US dollars that the fleet may cost", is_setting=True),
        Key("max-power", POWER, "40kW", "power that the fleet's GPUs may draw", is_setting=True),
    ),
)
