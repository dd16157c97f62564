"""What the keys that name a GPU, a model, an engine or a kept fit may be: rows to choose from, with what decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fleettui.domain.scenario import EVERY_GPU
from fleettui.errors import InputError
from fleettui.hardware import catalog, kept_fits
from fleettui.reports.calibration_text import fits_table
from fleettui.reports.engine_text import engines_table
from fleettui.reports.hardware_text import gpus_table, models_table
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.table import body, head

if TYPE_CHECKING:
    from fleettui.reports.table import Table

MARK = 2
"""Columns of the mark before a row of which several can be taken."""
AS_GIVEN = "as it is given now"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Rows by what they stand for, under `head`; `several` of them can be taken, with commas between.

    `none` is what no name at all means, empty where a name is needed; `note` says what else is to be known.
    """

    head: str
    rows: Mapping[str, str]
    several: bool = False
    none: str = ""
    note: str = ""

    def found(self, typed: str) -> Mapping[str, str]:
        """Return the rows whose names hold what is typed, else those that hold it anywhere, whatever the case.

        >>> list(Offer(head="", rows={"h100": "h100  NVLink", "l4": "l4  PCIe"}).found("pci"))
        ['l4']
        """
        wanted = typed.strip().lower()
        by_name = {name: row for name, row in self.rows.items() if wanted in name.lower()}
        return by_name or {name: row for name, row in self.rows.items() if wanted in row.lower()}


Value = Callable[[str], str]
"""The text of a key of the question, by its name."""


def offer(name: str, value: Value, width: int) -> Offer | None:
    """Return what the key called `name` may be, in rows of at most `width` characters; None where it is not listed."""
    made = OFFERS.get(name)
    if made is None:
        return None
    found = made(value, width)
    given = parts(value(name), several=found.several)
    others = {one: f"{one}  {AS_GIVEN}" for one in given if one not in found.rows}
    return replace(found, rows={**found.rows, **others})


def one_of(name: str, present: str, width: int) -> Offer:
    """Return what one of those that the key called `name` may be is chosen from, `present` is looked at first."""
    found = offer(name, lambda key: present if key == name else "", width)
    assert found is not None, "the key has a list"
    rows = {one: row for one, row in found.rows.items() if one != EVERY_GPU}
    return replace(found, rows=rows, several=False, none="")


def parts(text: str, *, several: bool) -> tuple[str, ...]:
    """Return what a key's text names, one after the other.

    >>> parts("h100, ./my gpu.toml", several=True)
    ('h100', './my gpu.toml')
    """
    return tuple(filter(None, (one.strip() for one in (text.split(",") if several else [text]))))


def _gpus(_value: Value, width: int) -> Offer:
    known = catalog.gpus()
    every = {EVERY_GPU: f"{EVERY_GPU}  every one that has a price"}
    found = _rows(gpus_table(known), [gpu.name for gpu in known], width - MARK)
    usual = f"the usual ones: {' '.join(catalog.searched_gpu_names())}"
    return replace(found, rows={**found.rows, **every}, several=True, none=usual, note="or type a path: ./mine.toml")


def _models(_value: Value, width: int) -> Offer:
    known, aliases = catalog.models(), catalog.model_aliases()
    found = _rows(models_table(known), [model.name for model in known], width)
    others = {alias: f"{alias}  is {model}" for alias, model in aliases.items()}
    return replace(found, rows={**found.rows, **others}, note="or type a path: ./config.json")


def _engines(value: Value, width: int) -> Offer:
    try:
        gpus = catalog.asked_gpus(parts(value("gpu"), several=True))
    except InputError:
        gpus = catalog.asked_gpus(())
    level = BY_NAME["tuning"].read(value("tuning") or BY_NAME["tuning"].default, "tuning")
    return _rows(engines_table(catalog.engines_on(gpus, level)), catalog.engine_names(), width)


def _fits(_value: Value, width: int) -> Offer:
    fits = kept_fits.every()
    table = fits_table(fits)
    return replace(_rows(table, [one.name for one in fits], width), none="no fit", note=table.note)


def _rows(table: Table, names: Iterable[str], width: int) -> Offer:
    """Return a table's rows by name, under its columns' titles."""
    lines = ("\n".join(line.rstrip() for line in row) for row in body(table, width))
    return Offer(head="\n".join(head(table, width)).rstrip(), rows=dict(zip(names, lines, strict=True)))


OFFERS: Mapping[str, Callable[[Value, int], Offer]] = {
    "gpu": _gpus,
    "model": _models,
    "engine": _engines,
    "profile": _fits,
}
"""What makes the rows of a key."""
