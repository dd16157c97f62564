"""Fleets that somebody wrote down, in a file or in words, to be simulated."""

from __future__ import annotations

from pathlib import Path

from fleettui.domain.fleet import FleetSketch
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.planning.opening import opening_of
from fleettui.planning.user_files import read_text
from fleettui.reports import fleet_file
from fleettui.reports.question.conversion import Given, Values
from fleettui.reports.question.fleet_phrase import ACCEPTED, fleet_text, is_phrase


def is_given(fleet: str) -> bool:
    """Return whether `fleet` is one in words or its file, and no name of a plan; raises InputError for a lost file."""
    return is_phrase(fleet) or opening_of(fleet).kind != "plan"


def text_of(fleet: str) -> Given:
    """Return the text of the file that holds a fleet, or of what is said of it in words; raises InputError."""
    if is_phrase(fleet) and not Path(fleet).exists():
        return Given(fleet_text(fleet), "fleet")
    try:
        return Given(read_text(fleet, "fleet"), fleet)
    except InputError as error:
        raise error.accepting(error.accepted or ACCEPTED) from None


def read_fleet(path: str, question: Values | None = None) -> FleetSketch:
    """Return the fleet in the file at `path`; raises InputError, with the pool's place, for an unknown GPU or model.

    What it does not say of its model, its number formats, its engines and its router is as in the `question`.
    """
    return fleet_in(read_text(path, "fleet"), path, question)


def fleet_in(text: str, path: str, question: Values | None = None) -> FleetSketch:
    """Return the fleet in the text of the file at `path`; raises InputError as `read_fleet` does."""
    sketch = fleet_file.read(text, path, question)
    for index, pool in enumerate(sketch.pools):
        try:
            catalog.gpu(pool.gpu)
            catalog.model(pool.model)
        except InputError as error:
            place = ", ".join(filter(None, (path, fleet_file.pool_name(sketch, index), error.where)))
            raise error.at(place) from None
    return sketch
