"""The number format of published weights, from the `quantization_config` of a config.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fleettui.domain.dtype import Dtype
from fleettui.domain.hardware import Citation
from fleettui.errors import InputError
from fleettui.hardware.config_fields import ConfigFields

FP8_METHODS = ("fp8", "fbgemm_fp8")
GROUPED = "compressed-tensors"
MXFP4 = "mxfp4"
KEY = "quantization_config"
_ACCEPTED = f"no quantization, {', '.join(FP8_METHODS)}, {GROUPED} and modelopt of 8-bit floats, or {MXFP4}"


def native_dtype(fields: ConfigFields) -> Dtype:
    """Return the precision of the published weights; 16 and 32 bit floats are served as bf16.

    mxfp4 is planned with as fp8, the nearest from above: `citations_of` says so. Raises InputError, naming the method
    and what it does, for other weights of 4 bits and for integers.
    """
    method = fields.quantization()
    if method is None:
        return "bf16"
    if method in (*FP8_METHODS, MXFP4):
        return "fp8"
    table = fields.values[KEY]
    assert isinstance(table, dict), "quantization() has checked that"
    if method == GROUPED:
        formats = tuple(_weights(table, fields))
        if formats and set(formats) == {"8-bit float"}:
            return "fp8"
        raise _refused(fields, f"{method}: {', '.join(dict.fromkeys(formats)) or 'no config_groups'}")
    if method == "modelopt" and str(table.get("quant_algo", "")).upper().startswith("FP8"):
        return "fp8"
    raise _refused(fields, _named(method, table))


def citations_of(fields: ConfigFields) -> tuple[Citation, ...]:
    """Return what a reader must know of how the weights are counted."""
    if fields.quantization() != MXFP4:
        return ()
    source = "published in mxfp4, 4.25 bits a weight; planned with as fp8 or bf16, about 2 and 4 times the bytes"
    return (Citation(field="native_dtype", source=source, confidence="low"),)


def _weights(table: Mapping[str, object], fields: ConfigFields) -> Iterator[str]:
    groups = table.get("config_groups")
    for name, group in (groups if isinstance(groups, dict) else {}).items():
        weights = group.get("weights") if isinstance(group, dict) else None
        if not isinstance(weights, dict):
            what = f"{KEY}.config_groups.{name} says nothing of the weights"
            raise InputError(what, where=fields.where, value=group)
        yield f"{weights.get('num_bits')}-bit {weights.get('type')}"


def _named(method: str, table: Mapping[str, object]) -> str:
    """Return a method with its bits, where it says them."""
    said = table.get("quant_algo") or table.get("bits") or table.get("w_bit")
    return method if said is None else f"{method}: {said}{' bits' if isinstance(said, int) else ''}"


def _refused(fields: ConfigFields, method: str) -> InputError:
    return InputError(
        "weights are quantized with a method that is not modelled",
        where=fields.where,
        value=method,
        accepted=_ACCEPTED,
        remedy="give the config.json of the model without quantization",
    )
