"""The parts of a question by name: one table that the options, the question file, the settings and the app read."""

from __future__ import annotations

from fleettui.errors import UnknownNameError
from fleettui.reports.question.fleet_keys import FLEET_KEYS
from fleettui.reports.question.key import Key
from fleettui.reports.question.traffic_keys import TRAFFIC_KEYS, WORKLOAD

DEMAND_FORMS: tuple[str, ...] = ("rate", "users", "tokens", "concurrency")
KEYS: tuple[Key, ...] = (*TRAFFIC_KEYS, *FLEET_KEYS)
"""Every key that is an option; the workload is the command's argument."""

FIXED_FLEET_KEYS: tuple[Key, ...] = (
    *TRAFFIC_KEYS,
    *(key for key in FLEET_KEYS if key.name in {"engine-overhead", "price", "headroom", "precision", "seed", "name"}),
)
"""The keys that are left of a question when the fleet is given."""
OF_GIVEN = frozenset({WORKLOAD.name, "model", *(key.name for key in FIXED_FLEET_KEYS)})
"""The names of the keys that say something of a fleet that is given."""

BY_NAME: dict[str, Key] = {key.name: key for key in (WORKLOAD, *KEYS)}


def key_named(name: str, where: str | None = None) -> Key:
    """Return the key called `name`, with - or _; raises UnknownNameError with the nearest."""
    wanted = name.strip().replace("_", "-")
    if wanted not in BY_NAME:
        raise UnknownNameError("key", name, BY_NAME, where=where, listing="fleettui plan --write-question")
    return BY_NAME[wanted]
