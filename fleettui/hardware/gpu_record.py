"""One GPU's file as a value, the catalogue's or a user's: each figure has a source and is one that a GPU can have.

A figure is a table with its `value`, `source` and `confidence`. What a table does not say of the last two is what the
file says of all, so that figures of one source are bare numbers (`catalog/gpus/gaudi-3.toml`). A file of the catalogue
has more than a user's (`OF_THE_CATALOGUE`), a link's `two_way` as it is printed, and `kernels_like`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from fleettui.domain.checks import Range
from fleettui.domain.hardware import Citation, Gpu, PowerCurve, Price, PriceBasis
from fleettui.errors import InputError, UnknownNameError
from fleettui.hardware.records import Record
from fleettui.hardware.what_was_measured import kernel_names


def _between(low: float, high: float, example: str) -> Range:
    return Range(what="cannot be", accepted=f"{low:g} to {high:g}, such as {example}", low=low, high=high)


_PEAK = _between(1e12, 1e17, "989e12 FLOP/s, dense")
_BANDWIDTH = _between(1e10, 1e14, "3.35e12 bytes/s")
_LINK = _between(1e8, 1e13, "450e9 bytes/s, one way")
_WATTS = _between(1, 1e4, "700 watts")
_GPUS = _between(1, 1e5, "8 GPUs")
_BYTES = _between(1e9, 1e13, "80e9 bytes")

NEEDED: Mapping[str, Range] = {
    "memory": _BYTES,
    "bandwidth": _BANDWIDTH,
    "peak_bf16": _PEAK,
    "link_bandwidth": _LINK,
    "gpus_per_node": _GPUS,
    "thermal_design_power": _WATTS,
}
"""The tables that every file has, and what their values can be."""
OPTIONAL: Mapping[str, Range] = {
    "peak_fp8": _PEAK,
    "memory_printed": _BYTES,
    "peak_int8": _PEAK,
    "peak_fp4": _PEAK,
    "scale_up_domain": _GPUS,
    "scale_out": _LINK,
    "idle_power": _WATTS,
    "all_in_power": _WATTS,
}
"""The tables that a file may leave out: without a peak there are no such units, without the others it is not known."""
OF_THE_CATALOGUE = (*NEEDED, "memory_printed", "scale_up_domain", "scale_out", "idle_power")
"""The tables that every file of the catalogue has."""
WHOLE = ("gpus_per_node", "scale_up_domain")
OF_A_PROFILE = (*NEEDED, "peak_fp8", "idle_power", "price")
"""What a serving profile rests on; it cites the sources of these."""
PROJECTION = Citation(
    field="power",
    source="projection: the H100 curve's shares of TDP (0.43 idle, 0.86 nominal), midpoint 4.2 + log2(dense BF16 peak "
    "/ 989e12), not below 2; not measured on this GPU",
    confidence="low",
)
"""Where the papers' watts come from of a GPU of which none are published."""
_KEYS = ("source", "confidence", "name", "vendor", "link", "searched", "kernels_like", "power", "price")


@dataclass(frozen=True, slots=True)
class _Figure:
    value: float
    citation: Citation


def gpu_from(record: Record) -> Gpu:
    """Return the GPU of a file; raises InputError, naming file and key, for what is missing, unknown or impossible."""
    _check_keys(record)
    found = {field: _figure(record, field, NEEDED[field]) for field in NEEDED}
    found |= {field: _figure(record, field, OPTIONAL[field]) for field in OPTIONAL if field in record.values}
    power = _power_from(record, found)
    priced = _cited(record, record.table("price")) if "price" in record.values else None
    citations = [*(figure.citation for figure in found.values()), power[1]]
    citations += [priced.citation("price")] if priced else []
    values = {field: figure.value for field, figure in found.items()}
    domain = values.get("scale_up_domain")
    return Gpu(
        name=record.text("name"),
        vendor=record.text("vendor"),
        memory=values["memory"],
        bandwidth=values["bandwidth"],
        peak_bf16=values["peak_bf16"],
        peak_fp8=values.get("peak_fp8"),
        link=record.text("link"),
        link_bandwidth=values["link_bandwidth"],
        gpus_per_node=int(values["gpus_per_node"]),
        thermal_design_power=values["thermal_design_power"],
        power=power[0],
        price=_price_from(priced) if priced else None,
        citations=tuple(citations),
        memory_printed=values.get("memory_printed"),
        peak_int8=values.get("peak_int8"),
        peak_fp4=values.get("peak_fp4"),
        scale_up_domain=None if domain is None else int(domain),
        scale_out=values.get("scale_out"),
        idle_power=values.get("idle_power"),
        all_in_power=values.get("all_in_power"),
        searched=record.flag("searched"),
        kernels_like=_kernels_like(record),
    )


def _kernels_like(record: Record) -> tuple[str, ...]:
    """Return the GPUs whose kernels stand in; none where the file names none."""
    names = record.texts("kernels_like") if "kernels_like" in record.values else ()
    measured = sorted({gpu for gpu, _ in kernel_names()})
    for name in names:
        if name not in measured:
            raise UnknownNameError("GPU with measured kernels", name, measured, where=f"{record.where} [kernels_like]")
    return names


def _check_keys(record: Record) -> None:
    known = (*_KEYS, *NEEDED, *OPTIONAL)
    for key in record.values:
        if key not in known:
            raise UnknownNameError("key", key, known, where=record.where)


def _cited(record: Record, own: Record) -> Record:
    """Return a table of the file whose `source` and `confidence` are the file's own unless it has them."""
    said = {key: record.values[key] for key in ("source", "confidence") if key in record.values}
    return Record({**said, **own.values}, own.where)


def _figure(record: Record, field: str, possible: Range) -> _Figure:
    """Return a figure, of a table or a bare number."""
    bare = isinstance(record.values.get(field), int | float)
    own = Record({"value": record.values[field]}, record.where) if bare else record.table(field)
    table = _cited(record, own)
    value = table.number("value")
    if not possible.holds(value) or (field in WHOLE and not value.is_integer()):
        raise InputError(f"{field} cannot be this", where=table.where, value=value, accepted=possible.accepted)
    if "two_way" in table.values and table.number("two_way") != 2.0 * value:
        accepted = "half of two_way: links are printed with both directions together"
        raise InputError(f"{field} is not one way", where=table.where, value=value, accepted=accepted)
    return _Figure(value, table.citation(field))


def _power_from(whole: Record, found: Mapping[str, _Figure]) -> tuple[PowerCurve, Citation]:
    """Return the papers' watts of one GPU against the batch, for preset paper alone; without a table a projection."""
    most = found["thermal_design_power"].value
    if "power" not in whole.values:
        projected = PowerCurve(
            idle=float(round(most * 300.0 / 700.0)),
            nominal=float(round(most * 600.0 / 700.0)),
            steepness=1.0,
            midpoint=round(max(2.0, 4.2 + math.log2(found["peak_bf16"].value / 989e12)), 2),
            confidence=PROJECTION.confidence,
        )
        return projected, PROJECTION
    record = whole.table("power")
    names = ("idle", "nominal", "steepness", "midpoint")
    idle, nominal, steepness, midpoint = (record.number(name) for name in names)
    if not (0 < idle < nominal <= most and steepness > 0 and -16 < midpoint < 16):
        accepted = "0 < idle < nominal <= thermal_design_power in watts, steepness above 0, midpoint as log2 of a batch"
        raise InputError("this is no power curve", where=record.where, accepted=accepted)
    cited = record.citation("power")
    curve = PowerCurve(idle=idle, nominal=nominal, steepness=steepness, midpoint=midpoint, confidence=cited.confidence)
    return curve, cited


def _price_from(record: Record) -> Price:
    per_hour = record.number("per_hour")
    if not 0 <= per_hour < 1e6:
        raise InputError("per_hour is no price", where=record.where, value=per_hour, accepted="US dollars for an hour")
    return Price(
        per_hour=per_hour,
        purchase=record.text("purchase"),
        provider=record.text("provider"),
        region=record.text("region"),
        date=record.text("date"),
        url=record.text("url"),
        basis=record.word("basis", get_args(PriceBasis)) if "basis" in record.values else "",
        posted=_posted(record),
    )


def _posted(record: Record) -> tuple[float, float] | None:
    """Return the ends of what was posted, None where that is not said."""
    if "posted" not in record.values:
        return None
    ends = record.values["posted"]
    if isinstance(ends, list) and len(ends) == 2 and all(isinstance(one, int | float) for one in ends):
        low, high = map(float, ends)
        if 0 <= low <= high < 1e6:
            return low, high
    raise InputError("posted is no range of prices", where=record.where, value=ends, accepted="[2.50, 6.88]")
