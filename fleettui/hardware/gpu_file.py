"""A GPU file of the user's: in the form of the catalogue's, under a name that the catalogue does not have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from fleettui.domain.hardware import Gpu
from fleettui.domain.path_or_name import GPU_FILE
from fleettui.errors import InputError
from fleettui.hardware.file_bytes import read_bytes
from fleettui.hardware.gpu_record import gpu_from
from fleettui.hardware.records import parse

REMEDY = "fleettui gpu show h100 --toml prints one to start from: each figure with its source and confidence"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")


def read_gpu(path: Path, *, taken: Iterable[str]) -> Gpu:
    """Return the GPU of the TOML file at `path`.

    Raises InputError for a file that is missing or no TOML, a key that is missing, unknown or out of range, with the
    line of its table, and a name that is `taken` or cannot be typed as `--price NAME=2.10`.
    """
    text = _text(path)
    try:
        gpu = gpu_from(parse(text, str(path)))
    except InputError as error:
        raise error.at(_with_line(error.where or str(path), text)).advising(REMEDY) from error
    if not _NAME.fullmatch(gpu.name) or gpu.name.endswith(GPU_FILE):
        accepted = "1 to 32 lower-case letters, digits, dots, hyphens and underscores"
        raise InputError("this name cannot be typed", where=f"{path} [name]", value=gpu.name, accepted=accepted)
    if gpu.name in taken:
        what = "the catalogue has a GPU of this name"
        raise InputError(what, where=f"{path} [name]", value=gpu.name, remedy=f"call it otherwise, as my-{gpu.name}")
    return gpu


def _with_line(where: str, text: str) -> str:
    """Return the place of a refusal with the line of its table, as `mine.toml: line 7 [memory]`."""
    path, _, table = where.rpartition(" [")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(f"[{table}")]
    return f"{path}: line {lines[0]} [{table}" if path and lines else where


def _text(path: Path) -> str:
    content = read_bytes(path, remedy=REMEDY)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputError("is no text", where=str(path), remedy=REMEDY) from error
