"""Price lists: the one that is shipped and a person's own, as CSV files with a row for each offer.

A row is the US dollars an hour of `gpus` GPUs that come together, as the `instance` where that has a name. One's own
list is `prices.csv` beside the configuration file, or a file that is named; its offers take the place of those shipped.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path

from fleettui.domain.offers import PRICE_CLASSES, Offer, PriceClass, PriceTerms, matching
from fleettui.errors import InputError, UnknownNameError
from fleettui.hardware.file_bytes import read_bytes
from fleettui.user_paths import config_path, path_of

SHIPPED, OWN = "prices.csv", "prices.csv"
COLUMNS = ("gpu", "class", "provider", "region", "usd_per_hour", "gpus", "instance", "date", "source")
HEADER = ",".join(COLUMNS)
DEAREST, MOST_GPUS = 1e6, 1024
REMEDY = f"a CSV file with the header {HEADER}"
DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?( or later)?")
_WORD = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def offers(path: str | None = None) -> tuple[Offer, ...]:
    """Return what is offered: the shipped list, and before it that at `path`, or one's own where no path is given.

    Raises InputError, with the row, for a list that does not read.
    """
    own = _own(path)
    taken = {one.place for one in own}
    return (*own, *(one for one in shipped() if one.place not in taken))


def offered(terms: PriceTerms, path: str | None = None, where: str | None = None) -> PriceTerms:
    """Return `terms` with what is offered so; raises InputError as `offers` and `matching` do."""
    return matching(offers(path), terms, where)


@cache
def shipped() -> tuple[Offer, ...]:
    """Return the list that is shipped."""
    text = resources.files("fleettui.hardware").joinpath("catalog", SHIPPED).read_text("utf-8")
    return read_offers(text, SHIPPED)


def own_path() -> Path:
    """Return the file of one's own list in the folder for settings."""
    return config_path().parent / OWN


def _own(path: str | None) -> tuple[Offer, ...]:
    file = own_path() if path is None else path_of(path, "--prices")
    if path is None and not file.exists():
        return ()
    content = read_bytes(file, remedy=REMEDY)
    try:
        return tuple(replace(one, own=True) for one in read_offers(content.decode("utf-8-sig"), str(file)))
    except UnicodeDecodeError:
        raise InputError("this is no text", where=str(file), accepted=REMEDY) from None


def read_offers(text: str, where: str) -> tuple[Offer, ...]:
    """Return the offers of a list; raises InputError with the row.

    Two rows may not offer the same GPU in the same class, region and of the same provider.
    """
    try:
        rows = [row for row in csv.reader(text.splitlines()) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(f"this is no CSV: {error}", where=where, accepted=REMEDY) from None
    names = [cell.strip().lower() for cell in rows[0]] if rows else []
    _check_header(names, where)
    found: dict[tuple[str, ...], int] = {}
    read = []
    for place, row in enumerate(rows[1:], start=2):
        at = f"{where}: row {place}"
        if len(row) != len(names):
            accepted = f"{len(names)} cells: quote one that has a comma"
            raise InputError("it has not one cell for each column", where=at, value=",".join(row), accepted=accepted)
        one = _offer(dict(zip(names, (cell.strip() for cell in row), strict=True)), at)
        if one.place in found:
            raise InputError(
                "two rows price the same offer",
                where=at,
                value=" ".join(one.place),
                accepted=f"one price for a GPU, class, provider and region; row {found[one.place]} has it already",
                remedy="take out the older row, or name their regions",
            )
        found[one.place] = place
        read.append(one)
    return tuple(read)


def _check_header(names: Iterable[str], where: str) -> None:
    told = list(names)
    for name in told:
        if name not in COLUMNS:
            raise InputError("this column is not known", where=where, value=name, accepted=HEADER, remedy=_money(name))
    missing = [name for name in COLUMNS if name not in told and name not in ("gpus", "instance")]
    if missing or len(set(told)) < len(told):
        what = f"the column {missing[0]} is missing" if missing else "a column stands twice"
        raise InputError(what, where=where, value=",".join(told), accepted=HEADER)


def _money(name: str) -> str | None:
    """Return what to do about a column of another currency or unit of time."""
    return "convert it: prices are US dollars an hour" if "per_" in name or "price" in name else None


def _offer(row: Mapping[str, str], where: str) -> Offer:
    for name in ("gpu", "provider", "region"):
        if not _WORD.fullmatch(row[name]):
            accepted = "small letters, digits, dots and hyphens; any where a region does not matter"
            raise InputError(f"this is no {name}", where=where, value=row[name], accepted=accepted)
    gpus = _gpus(row.get("gpus", ""), where)
    for name, fits in (("date", bool(DATE.fullmatch(row["date"]))), ("source", bool(row["source"]))):
        if not fits:
            accepted = {"date": "2026-05 or 2026-05-20", "source": "where the price was read"}[name]
            raise InputError(f"the {name} is missing or does not read", where=where, value=row[name], accepted=accepted)
    return Offer(
        gpu=row["gpu"],
        price_class=class_named(row["class"], where),
        provider=row["provider"],
        region=row["region"],
        per_hour=_dollars(row["usd_per_hour"], where) / gpus,
        gpus=gpus,
        instance=row.get("instance", ""),
        date=row["date"],
        source=row["source"],
    )


def class_named(text: str, where: str | None) -> PriceClass:
    """Return the class of prices called `text`; raises InputError, also for none."""
    for one in PRICE_CLASSES:
        if one == text:
            return one
    if not text:
        raise InputError("the class is missing", where=where, accepted=", ".join(PRICE_CLASSES))
    raise UnknownNameError("class of price", text, PRICE_CLASSES, where=where)


def _dollars(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < DEAREST:
        raise InputError("this is no price", where=where, value=text, accepted="US dollars an hour, a number above 0")
    return value


def _gpus(text: str, where: str) -> int:
    if not text:
        return 1
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:5]) <= MOST_GPUS):
        raise InputError("this is no number of GPUs", where=where, value=text, accepted=f"1 to {MOST_GPUS}")
    return int(text)
