"""Typed reading of a Hugging Face config.json: each missing or senseless key is refused by name and file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fleettui.errors import InputError
from fleettui.hardware.file_bytes import read_bytes

LARGEST = 10**9
"""No count of a model is larger: of a length, a width, a vocabulary."""
REMEDY = "give the config.json published with the model's weights"


@dataclass(frozen=True, slots=True)
class ConfigFields:
    """The keys of one config.json, `where` naming the file in messages."""

    values: Mapping[str, object]
    where: str

    def count(self, key: str, default: int | None = None, *, least: int = 1, most: int = LARGEST) -> int:
        """Return a whole number from `least` to `most`; `default` where the key is absent or null, if given."""
        value = self.values.get(key)
        if value is None:
            if default is None:
                raise InputError(f"key {key} is missing", where=self.where, remedy=REMEDY)
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            accepted = f"a whole number from {least:,} to {most:,}"
            raise InputError(f"key {key} is no usable count", where=self.where, value=value, accepted=accepted)
        return value

    def counts(self, key: str) -> tuple[int, ...]:
        """Return a list of whole numbers, empty where the key is absent or null."""
        value = self.values.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, int) for item in value):
            raise InputError(f"key {key} is no list of whole numbers", where=self.where, value=value)
        return tuple(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, empty where the key is absent or null."""
        value = self.values.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise InputError(f"key {key} is no list of texts", where=self.where, value=value)
        return tuple(value)

    def flag(self, key: str, default: bool) -> bool:
        """Return a truth value; `default` where the key is absent or null."""
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise InputError(f"key {key} is neither true nor false", where=self.where, value=value)
        return value

    def architecture(self) -> str:
        """Return the one name under `architectures`."""
        value = self.values.get("architectures")
        if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], str):
            accepted = 'one name in a list, such as ["LlamaForCausalLM"]'
            what = "key architectures does not name one architecture"
            raise InputError(what, where=self.where, value=value, accepted=accepted, remedy=REMEDY)
        return value[0]

    def quantization(self) -> str | None:
        """Return the name of the method the weights are quantized with, or None."""
        value = self.values.get("quantization_config")
        if value is None:
            return None
        method = value.get("quant_method") if isinstance(value, dict) else None
        if not isinstance(method, str):
            raise InputError("quantization_config names no quant_method", where=self.where, value=value)
        return method


def read_config(path: Path) -> ConfigFields:
    """Return the keys of the config.json at `path`; raises InputError for a missing, truncated or foreign file."""
    where, content = str(path), read_bytes(path, remedy=REMEDY)
    try:
        value = json.loads(content)
    except json.JSONDecodeError as error:
        what = f"no valid JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        raise InputError(what, where=where, remedy="check that the file was copied whole") from error
    except (ValueError, RecursionError) as error:
        raise InputError("is no JSON text", where=where, remedy=REMEDY) from error
    if not isinstance(value, dict):
        raise InputError("holds no JSON object", where=where, remedy=REMEDY)
    return ConfigFields(value, where)
