"""What a fleet's file leaves to the question, and where the two say unlike things."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.errors import InputError
from fleettui.reports.question import conversion
from fleettui.reports.question.conversion import Values
from fleettui.reports.question.keys import BY_NAME, LEFT_KEYS

DIFFERS = "the fleet's file decides: "
"""How a warning begins that names what a fleet's file and the question say unlike."""
OF_MODEL = ("dtype", "kv-dtype")
"""Keys whose values are of the question's model, and of no other."""


def read(texts: Mapping[str, str], where: str) -> Values:
    """Return the values of the texts of those keys, which stand at `where`; raises InputError."""
    names = (key.name for key in LEFT_KEYS if texts.get(key.name))
    return conversion.parse(conversion.given_at({name: texts[name] for name in names}, where))


def left(values: Values, model: str | None = None) -> dict[str, Any]:
    """Return what a question says of a fleet where its file is silent, by the fields of pools and fleets.

    What the question leaves open is absent, and of a pool with a `model` of its own what is of the question's model.
    """
    other = model is not None and values.get("model", model) != model
    found = {key: values[key.name] for key in LEFT_KEYS if key.name in values and not (other and key.name in OF_MODEL)}
    return {key.field: value for key, value in found.items() if value not in (None, SEARCHED)}


def differences(fleet: FleetSketch, values: Values) -> tuple[str, ...]:
    """Return a warning for each of `values` which the fleet does not have; none where it has all."""
    return tuple(DIFFERS + one for one in _differences(fleet, values))


def check(fleet: FleetSketch, values: Values, typed: Collection[str]) -> None:
    """Raise InputError where a fleet's file contradicts one of the keys that were `typed` as options."""
    for name in typed & values.keys() & {key.name for key in LEFT_KEYS}:
        key, value = BY_NAME[name], values[name]
        if value == SEARCHED:
            raise InputError("this leaves it to a search, and the fleet is given", where=key.option, value=SEARCHED)
        if found := "; ".join(_differences(fleet, {name: value})):
            raise InputError(
                "the fleet's file says another value",
                where=key.option,
                value=key.write(value),
                accepted=found.partition(" (")[0],
                remedy=f"take {key.field} out of the file, or leave {key.option} out",
            )


def _differences(fleet: FleetSketch, values: Values) -> Iterator[str]:
    for key in LEFT_KEYS:
        value = values.get(key.name)
        if value is None:
            continue
        holders = fleet.pools if key.field in PoolSketch.__dataclass_fields__ else (fleet,)
        unlike = {place: own for place, one in enumerate(holders) if (own := getattr(one, key.field)) != value}
        for own in dict.fromkeys(unlike.values()):
            places = [place for place, other in unlike.items() if other == own]
            pools = "" if len(places) == len(holders) else f" in {', '.join(_pool(fleet, place) for place in places)}"
            yield f"{key.name} {key.write(own)}{pools} (the question: {key.write(value)})"


def _pool(fleet: FleetSketch, place: int) -> str:
    return f"pool {fleet.pools[place].name or place + 1}"
