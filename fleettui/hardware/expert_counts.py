"""How often each routed expert was chosen, as a server counted it: the load of experts from a file.

A JSON file has the tokens of each expert in their order, or a row of them for each layer; a CSV file a count a line, or
the columns `expert` and `tokens`, and `layer` where there are several. Of several layers the one counts whose fullest
eighth of the experts, in their order, is nearest to what it is on average over the layers.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from itertools import pairwise

from fleettui.domain.expert_load import (
    EXAMPLE,
    MEASURED,
    MOST_EXPERTS,
    UNIFORM,
    ZIPF,
    ExpertLoad,
    expert_load,
    measured,
)
from fleettui.errors import InputError
from fleettui.hardware.file_bytes import read_text

PARTS = 8
"""Groups of experts by whose fullest layers are compared: as many as a replica has GPUs at most."""
ACCEPTED = "JSON: [120, 80, ...], or a list for each layer; CSV: a count a line, or columns expert,tokens (layer)"
Counts = list[float]


def load_of(text: str, where: str | None) -> ExpertLoad:
    """Return the load that a text says, or the file that it names shows; raises InputError with its wrong line."""
    kind = text.strip().lower().partition(":")[0]
    if kind in (UNIFORM, ZIPF, MEASURED):
        return expert_load(text, where)
    path = text.strip()
    return measured(_typical(_layers(path), path), path)


def _typical(layers: Sequence[Counts], path: str) -> Counts:
    """Return the counts of the layer whose fullest part is nearest to the mean over layers."""
    if len({len(one) for one in layers}) > 1:
        sizes = sorted({len(one) for one in layers})
        raise InputError("layers have unlike numbers of experts", where=path, value=sizes, accepted=ACCEPTED)
    fullest = [_fullest(one) for one in layers]
    mean = sum(fullest) / len(fullest)
    return min(zip(fullest, layers, strict=True), key=lambda one: abs(one[0] - mean))[1]


def _fullest(counts: Counts) -> float:
    """Return the share of the tokens that the fullest part of the experts has, 0 where there are none."""
    edges = [len(counts) * place // PARTS for place in range(PARTS + 1)]
    return max(sum(counts[low:high]) for low, high in pairwise(edges)) / (sum(counts) or 1.0)


def _layers(path: str) -> list[Counts]:
    text = _text(path)
    found = _of_json(text, path) if text.lstrip()[:1] in ("[", "{") else _of_csv(text, path)
    if not found:
        raise InputError("this file has no counts", where=path, accepted=ACCEPTED)
    return found


def _text(path: str) -> str:
    unread = "this is no load of experts"
    return read_text(path, name="counts of experts", accepted=ACCEPTED, unread=unread, example=EXAMPLE)


def _of_json(text: str, path: str) -> list[Counts]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise InputError("this is no JSON", where=f"{path} line {line}", value=str(error), accepted=ACCEPTED) from None
    if isinstance(found, dict) and len(found) == 1:
        found = next(iter(found.values()))
    if not isinstance(found, list):
        raise InputError("this is no list of counts", where=path, accepted=ACCEPTED)
    rows = found if found and all(isinstance(one, list) for one in found) else [found]
    return [
        [_count(one, f"{path} layer {layer} expert {place}") for place, one in enumerate(row)]
        for layer, row in enumerate(rows)
    ]


def _of_csv(text: str, path: str) -> list[Counts]:
    lines = [(number, row) for number, row in enumerate(csv.reader(text.splitlines()), 1) if any(map(str.strip, row))]
    head = [one.strip().lower() for one in lines[0][1]] if lines else []
    if not head or _is_number(head[0]):
        return [[_count(row[0], f"{path} line {number}", row) for number, row in lines]] if lines else []
    if head in (["tokens"], ["count"]):
        return [[_count(row[0], f"{path} line {number}", row) for number, row in lines[1:]]]
    if not {"expert", "tokens"} <= set(head):
        what = "the columns expert and tokens are not in it"
        raise InputError(what, where=f"{path} line {lines[0][0]}", value=",".join(head), accepted=ACCEPTED)
    return _by_column(lines[1:], head, path)


def _by_column(lines: Sequence[tuple[int, list[str]]], head: Sequence[str], path: str) -> list[Counts]:
    found: dict[int, dict[int, float]] = {}
    for number, row in lines:
        where = f"{path} line {number}"
        if len(row) != len(head):
            raise InputError(f"{len(row)} fields for {len(head)} columns", where=where, value=",".join(row))
        said = dict(zip(head, row, strict=True))
        layer, expert = (_place(said.get(name, "0"), name, where) for name in ("layer", "expert"))
        counts = found.setdefault(layer, {})
        if expert in counts:
            raise InputError(f"expert {expert} of layer {layer} stands twice", where=where)
        counts[expert] = _count(said["tokens"], where)
    for layer, counts in found.items():
        missing = next((one for one in range(max(counts) + 1) if one not in counts), None)
        if missing is not None:
            what = f"expert {missing} of layer {layer} has no count"
            raise InputError(what, where=path, accepted="every expert from 0 on, one without tokens as 0")
    return [[counts[one] for one in range(len(counts))] for _, counts in sorted(found.items())]


def _place(text: str, name: str, where: str) -> int:
    said = text.strip()
    if not (said.isascii() and said.isdigit() and len(said) <= 4 and int(said) < MOST_EXPERTS):
        raise InputError(
            f"this is no number of an {name}", where=where, value=text, accepted=f"0 to {MOST_EXPERTS - 1}"
        )
    return int(said)


def _count(said: object, where: str, row: Sequence[str] = ()) -> float:
    """Return tokens of an expert; raises InputError for what is no number of them."""
    if len(row) > 1:
        raise InputError(f"{len(row)} numbers for one expert", where=where, value=",".join(row), accepted=ACCEPTED)
    try:
        value = math.nan if isinstance(said, bool) or not isinstance(said, str | int | float) else float(said)
    except (ValueError, OverflowError):
        value = math.nan
    if not 0.0 <= value <= 1e18:
        raise InputError("tokens of an expert are a number from 0 on", where=where, value=said, accepted=ACCEPTED)
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
