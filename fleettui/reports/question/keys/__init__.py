"""The parts of a question by name: one table that the options, the question file, the settings and the app read.

Each file declares the keys of one group; a new key is a line in its group, and a field in the domain.
"""

from __future__ import annotations

from fleettui.errors import UnknownNameError
from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.keys import demand, fleet, hardware, lengths, limits, margin, model, run

GROUPS: tuple[Group, ...] = (
    lengths.GROUP,
    demand.GROUP,
    limits.GROUP,
    model.GROUP,
    hardware.GROUP,
    fleet.GROUP,
    margin.GROUP,
    run.GROUP,
)
"""The groups in the order of a question file."""
DEMAND_FORMS: tuple[str, ...] = tuple(dict.fromkeys(key.demand for key in demand.GROUP.keys))
WORKLOAD: Key = lengths.GROUP.keys[0]
"""The command's argument; all others are options."""
KEYS: tuple[Key, ...] = (
    *demand.GROUP.keys,
    *lengths.GROUP.keys[1:],
    *(key for group in GROUPS[2:] for key in group.keys),
)
"""Every key that is an option, in the order of the help."""


def _registered(keys: tuple[Key, ...]) -> dict[str, Key]:
    for said in ([key.name for key in keys], [key.field for key in keys]):
        assert len(set(said)) == len(said), f"two keys share a name or a field: {said}"
    return {key.name: key for key in keys}


BY_NAME: dict[str, Key] = _registered((WORKLOAD, *KEYS))
FIXED_FLEET_KEYS: tuple[Key, ...] = tuple(key for key in KEYS if key.of_given)
"""The keys that are left of a question when the fleet is given."""
OF_GIVEN = frozenset({WORKLOAD.name, "model", *(key.name for key in FIXED_FLEET_KEYS)})
"""The names of the keys that say something of a fleet that is given."""


def key_named(name: str, where: str | None = None) -> Key:
    """Return the key called `name`, with - or _; raises UnknownNameError with the nearest."""
    wanted = name.strip().replace("_", "-")
    if wanted not in BY_NAME:
        raise UnknownNameError("key", name, BY_NAME, where=where, listing="fleettui plan --write-question")
    return BY_NAME[wanted]


def group_of(key: Key) -> Group:
    """Return the group that a key belongs to."""
    return next(group for group in GROUPS if key in group.keys)
