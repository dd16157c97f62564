"""The tensors of a model's safetensors file: 8 bytes for the length of a JSON head, the head, then the numbers.

The format is public (https://github.com/huggingface/safetensors); numbers are little-endian, rows first.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from fleettui.errors import InputError

Tensor: TypeAlias = npt.NDArray[np.float32]
ACCEPTED = "a model's model.safetensors"
_LONGEST_HEAD = 1 << 26
_BYTES = {"F32": 4, "F16": 2, "BF16": 2}


class TensorFile:
    """Tensors by name, in single precision; those of other precisions are widened when they are read."""

    def __init__(self, path: Path) -> None:
        """Read the head of the file at `path`; raises InputError for one that is none."""
        try:
            with path.open("rb") as file:
                size = int.from_bytes(file.read(8), "little")
                head = json.loads(file.read(size)) if 0 < size <= _LONGEST_HEAD else None
            self._data = np.memmap(path, np.uint8, "r")
        except (OSError, ValueError) as error:
            raise InputError("cannot be read", where=str(path), value=str(error), accepted=ACCEPTED) from None
        if not isinstance(head, dict):
            raise InputError("is no file of tensors", where=str(path), accepted=ACCEPTED)
        self.path, self._start = path, 8 + size
        self._places = {name: own for name, own in head.items() if isinstance(own, dict) and "dtype" in own}

    def __contains__(self, name: str) -> bool:
        """Return whether there is a tensor of that name."""
        return name in self._places

    def read(self, name: str) -> Tensor:
        """Return a tensor; raises InputError where there is none, or one that is cut off."""
        try:
            place = self._places[name]
            kind, shape = place["dtype"], tuple(int(one) for one in place["shape"])
            first, last = (self._start + int(end) for end in place["data_offsets"])
        except (KeyError, TypeError, ValueError):
            raise self._refused(name) from None
        raw = self._data[first:last]
        if _BYTES.get(kind, 0) * math.prod(shape) != len(raw):
            raise self._refused(name)
        return _widened(raw, kind).reshape(shape)

    def _refused(self, name: str) -> InputError:
        return InputError(
            "lacks a tensor of the encoder, or has it cut off", where=str(self.path), value=name, accepted=ACCEPTED
        )


def _widened(raw: npt.NDArray[Any], kind: str) -> Tensor:
    if kind == "BF16":  # the upper half of a single
        return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(raw, "<f2" if kind == "F16" else "<f4").astype(np.float32, copy=False)
