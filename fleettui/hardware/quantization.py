"""The number format of published weights, from the `quantization_config` of a config.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.errors import InputError
from fleettui.hardware.config_fields import ConfigFields

FP8_METHODS = ("fp8", "fbgemm_fp8")
BLOCK = "weight_block_size"
"""The key of those whose scales are by block."""
WEIGHT_ONLY: Mapping[tuple[str, int], Dtype] = {("awq", 4): "int4", ("gptq", 4): "int4", ("gptq", 8): "int8"}
"""Methods of integers and their bits."""
MODELOPT: Mapping[str, Dtype] = {"FP8": "fp8", "NVFP4": "nvfp4", "W4A16_AWQ": "int4", "W8A16": "int8"}
GROUPED = "compressed-tensors"
FLOAT8, FLOAT4, NVFP4_GROUP = "8-bit float", "4-bit float", 16
GROUPS: Mapping[str, Dtype] = {
    FLOAT8: "fp8",
    FLOAT4: "nvfp4",
    "4-bit int alone": "int4",
    "8-bit int alone": "int8",
}
MXFP4 = "mxfp4"
KEY = "quantization_config"
_ACCEPTED = (
    f"no quantization, {', '.join(FP8_METHODS)}, awq of 4 bits, gptq of 4 or 8, {MXFP4}, {GROUPED} of floats "
    f"or of integer weights alone, or modelopt's {', '.join(MODELOPT)}"
)


def native_dtype(fields: ConfigFields) -> Dtype:
    """Return the precision of the published weights; 16 and 32 bit floats are served as bf16.

    Raises InputError, naming the method and what it does, for any other.
    """
    method = fields.quantization()
    if method is None:
        return "bf16"
    table = fields.values[KEY]
    assert isinstance(table, dict), "quantization() has checked that"
    if method in FP8_METHODS:
        return "fp8-block" if table.get(BLOCK) else "fp8"
    if method == MXFP4:
        return "mxfp4"
    if method == GROUPED:
        return _of_groups(table, fields)
    found = _modelopt(table) if method.startswith("modelopt") else WEIGHT_ONLY.get((method, _bits(table)))
    if found is None:
        raise _refused(fields, _named(method, table))
    return found


def native_cache(fields: ConfigFields) -> CacheDtype | None:
    """Return the precision of the cache that published weights ask engines for, None where they ask for none.

    Raises InputError for any but floats of 8 bits.
    """
    table = fields.values.get(KEY)
    if not isinstance(table, dict):
        return None
    scheme = table.get("kv_cache_scheme")
    bits = f"{scheme.get('num_bits')}-bit {scheme.get('type')}" if isinstance(scheme, dict) else scheme
    said = table.get("kv_cache_quant_algo") or bits
    if said in (None, "", "auto"):
        return None
    if said in ("FP8", FLOAT8):
        return "fp8"
    what = "the cache is quantized in a way that is not modelled"
    raise InputError(what, where=fields.where, value=said, accepted=f"FP8, {FLOAT8}, or none")


def _of_groups(table: Mapping[str, object], fields: ConfigFields) -> Dtype:
    formats = tuple(_weights(table, fields))
    kinds = {GROUPS.get(one) for one in formats}
    found = kinds.pop() if len(kinds) == 1 else None
    if found is None:
        raise _refused(fields, f"{GROUPED}: {', '.join(dict.fromkeys(formats)) or 'no config_groups'}")
    return found


def _weights(table: Mapping[str, object], fields: ConfigFields) -> Iterator[str]:
    """Yield what each group of weights is held as, and whether activations stay as they are where that matters."""
    groups = table.get("config_groups")
    for name, group in (groups if isinstance(groups, dict) else {}).items():
        weights = group.get("weights") if isinstance(group, dict) else None
        if not isinstance(weights, dict):
            what = f"{KEY}.config_groups.{name} says nothing of the weights"
            raise InputError(what, where=fields.where, value=group)
        kind, size = f"{weights.get('num_bits')}-bit {weights.get('type')}", weights.get("group_size")
        sized = f" in groups of {size}" if kind == FLOAT4 and size != NVFP4_GROUP else ""
        alone = " alone" if kind != FLOAT8 and not group.get("input_activations") else ""
        yield kind + sized + alone


def _modelopt(table: Mapping[str, object]) -> Dtype | None:
    said = str(table.get("quant_algo", "")).upper()
    return next((dtype for name, dtype in MODELOPT.items() if said.startswith(name)), None)


def _bits(table: Mapping[str, object]) -> int:
    """Return the bits of a weight, 4 where a method does not say them: awq has no other."""
    said = table.get("bits", table.get("w_bit", 4))
    return said if isinstance(said, int) else 0


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
