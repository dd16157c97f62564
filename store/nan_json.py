"""Figures that are not defined: NaN in a value, null in its JSON, and back again."""

from __future__ import annotations

import json
import math
from dataclasses import is_dataclass
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints


def finite(value: float | None) -> float | None:
    """Return a number, or None where it is not one: the store keeps neither NaN nor infinity."""
    return value if value is not None and math.isfinite(value) else None


def as_nan(kind: type[object], text: str) -> str:
    """Return JSON `text` of a value of `kind` with NaN for each null where the type wants a number and no None."""
    return json.dumps(_restored(kind, json.loads(text)))


def _restored(kind: Any, plain: Any) -> Any:
    if plain is None:
        return math.nan if kind is float else None
    if is_dataclass(kind) and isinstance(plain, dict):
        hints = get_type_hints(kind)
        return {name: _restored(hints.get(name), one) for name, one in plain.items()}
    own = get_args(kind)
    if get_origin(kind) is tuple and isinstance(plain, list) and len(own) == len(plain) and Ellipsis not in own:
        return [_restored(part, one) for part, one in zip(own, plain, strict=True)]
    parts = [one for one in own if one not in (NoneType, Ellipsis)]
    if len(parts) != 1:
        return plain
    if get_origin(kind) is tuple and isinstance(plain, list):
        return [_restored(parts[0], one) for one in plain]
    return _restored(parts[0], plain)
