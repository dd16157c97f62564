"""The catalogue by name: GPUs, models and serving engines, one cited TOML file each, known by being there.

What a GPU's file has is told at the head of `gpu_record`; `catalog/gpus/gaudi-3.toml` is a short one to copy.

A path stands for a file of the user's wherever a GPU or a model is named. Loads neither numpy nor scipy, so that a
command line can list names at once.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.hardware import STOCK, Gpu, Model, Tuning
from fleettui.domain.path_or_name import GPU_FILE, MODEL_FILE, is_path
from fleettui.domain.scenario import EVERY_GPU
from fleettui.errors import InputError, UnknownNameError
from fleettui.hardware import records
from fleettui.hardware.gpu_file import read_gpu
from fleettui.hardware.gpu_record import gpu_from
from fleettui.hardware.model_config import read_model
from fleettui.hardware.records import Record

if TYPE_CHECKING:
    from fleettui.hardware.engine_record import Engine, EngineOn

SUFFIX = ".toml"
ALIAS = "alias"
"""The key of a file that only gives another model a second name."""


def folder(kind: str) -> Traversable:
    """Return the catalogue folder of `kind`: gpus, models, engines or paper."""
    return resources.files("fleettui.hardware").joinpath("catalog", kind)


@cache
def names(kind: str) -> tuple[str, ...]:
    """Return the sorted names in a catalogue folder: its TOML files without their suffix."""
    found = (entry.name for entry in folder(kind).iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX)))


LISTINGS = {"gpus": "fleettui gpu list", "models": "fleettui model list", "engines": "fleettui engine list"}
"""The commands that show what a folder of the catalogue holds."""


def text(kind: str, singular: str, name: str) -> str:
    """Return the file of `name`; raises UnknownNameError, saying the nearest known name, when there is none."""
    if name not in names(kind):
        raise UnknownNameError(singular, name, names(kind), listing=LISTINGS.get(kind, ""))
    return folder(kind).joinpath(name + SUFFIX).read_text("utf-8")


def record(kind: str, singular: str, name: str) -> Record:
    """Return the parsed file of `name`; raises UnknownNameError as `text` does."""
    return records.parse(text(kind, singular, name), f"catalog/{kind}/{name}{SUFFIX}")


def gpu_text(name: str) -> str:
    """Return the file of the GPU called `name`, as one to change and name in its place; raises UnknownNameError."""
    return text("gpus", "GPU", name)


def gpu_names() -> tuple[str, ...]:
    """Return the names of all known GPUs, sorted.

    >>> "h100" in gpu_names()
    True
    """
    return names("gpus")


def searched_gpu_names() -> tuple[str, ...]:
    """Return the names of the GPUs that a question without GPUs chooses from, sorted; a key of their files says so."""
    return tuple(one.name for one in gpus() if one.searched)


def model_names() -> tuple[str, ...]:
    """Return the names of all known models, sorted, without aliases."""
    return tuple(name for name in names("models") if name not in model_aliases())


@cache
def model_aliases() -> Mapping[str, str]:
    """Return the model that each alias stands for, by the alias."""
    found = {name: record("models", "model", name).values.get(ALIAS) for name in names("models")}
    return {name: model for name, model in found.items() if isinstance(model, str)}


def engine_names() -> tuple[str, ...]:
    """Return the names of all known serving engines, sorted."""
    return names("engines")


def gpus() -> tuple[Gpu, ...]:
    """Return every known GPU, by name."""
    return tuple(gpu(name) for name in gpu_names())


def models() -> tuple[Model, ...]:
    """Return every known model, by name; aliases bring none."""
    return tuple(model(name) for name in model_names())


def asked_gpus(asked: Iterable[str], priced: Container[str] = ()) -> tuple[Gpu, ...]:
    """Return the GPUs that a question may use, each once: the named ones, or else those that are searched.

    `all` stands for every one that has a price, or is among the `priced`. Raises UnknownNameError, and InputError for
    files that give two GPUs one name.
    """
    found: dict[str, Gpu] = {}
    for name in tuple(asked) or searched_gpu_names():
        for one in _priced(priced) if name == EVERY_GPU else (gpu(name),):
            if found.setdefault(one.name, one) != one:
                raise InputError("two files give GPUs this name", where=name, value=one.name)
    return tuple(found.values())


def _priced(priced: Container[str]) -> Iterator[Gpu]:
    return (one for one in gpus() if one.price is not None or one.name in priced)


def gpu(name: str) -> Gpu:
    """Return the GPU called `name`, or the one of a TOML file on disk in the form of the catalogue's.

    Whatever holds a path separator or ends in .toml is a path. Raises UnknownNameError for an unknown name and
    InputError for a file that cannot be used.
    """
    return read_gpu(Path(name), taken=gpu_names()) if is_path(name, GPU_FILE) else _gpu(name)


@cache
def _gpu(name: str) -> Gpu:
    return gpu_from(record("gpus", "GPU", name))


@cache
def engine(name: str) -> Engine:
    """Return the serving engine called `name`, an earlier version over the one it is like; raises UnknownNameError."""
    from fleettui.hardware.engine_record import LIKE, engine_from

    own = record("engines", "engine", name)
    like = own.values.get(LIKE)
    if isinstance(like, str):
        own = Record({**record("engines", "engine", like).values, **own.values}, own.where)
    return engine_from(own)


def engine_of_version(family: str, version: str) -> str:
    """Return the name of the engine that stands for a version of a family: the first that is not before it.

    One that is none, or later than all, is the family's own.

    >>> engine_of_version("vllm", "0.12.0"), engine_of_version("vllm", "0.20.2"), engine_of_version("vllm", "")
    ('vllm-0.13', 'vllm', 'vllm')
    """
    asked, earlier = _numbers(version), (one for one in map(engine, engine_names()) if one.name != one.family == family)
    known = sorted((_numbers(one.version), one.name) for one in earlier)
    return next((name for until, name in known if asked and asked[: len(until)] <= until), family)


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with, none where it says none."""
    found = re.match(r"v?(\d+(?:\.\d+)*)", version)
    return tuple(map(int, found[1].split("."))) if found else ()


def engines_on(gpus: Iterable[Gpu], level: Tuning = STOCK) -> tuple[EngineOn, ...]:
    """Return every known engine, by name, with how it is set at a level on each of `gpus`."""
    from fleettui.hardware.engine_record import EngineOn

    asked = tuple(gpus)
    return tuple(
        EngineOn(
            name=one.name,
            version=one.version,
            kv_dtype=one.kv_dtype,
            settings=tuple((gpu.name, one.settings_on(gpu, level).settings) for gpu in asked),
        )
        for one in map(engine, engine_names())
    )


def model(name: str) -> Model:
    """Return the model called `name`, or the one of a Hugging Face config.json on disk.

    Whatever holds a path separator or ends in .json is a path; a folder stands for the config.json in it.
    Raises UnknownNameError for an unknown name and InputError for a file that cannot be used.
    """
    return read_model(Path(name)) if is_path(name, MODEL_FILE) else _model(name)


def published_dtype(name: str) -> Dtype:
    """Return the number format in which the weights of a model are published; bf16 where nothing is known of it."""
    try:
        return model(name).native_dtype
    except InputError:
        return "bf16"


def published_cache(name: str) -> CacheDtype:
    """Return the number format of the cache that the published weights of a model ask for; bf16 where they do not."""
    try:
        return model(name).native_cache or "bf16"
    except InputError:
        return "bf16"


@cache
def _model(name: str) -> Model:
    own = record("models", "model", name)
    stands_for = own.values.get(ALIAS)
    return _model(stands_for) if isinstance(stands_for, str) else records.model_from(own)
