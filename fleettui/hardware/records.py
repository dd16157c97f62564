"""Catalogue files read as values: one TOML file becomes one record, each field with its citation."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TypeVar

from fleettui.domain.hardware import Citation, Confidence, Model
from fleettui.errors import InputError
from fleettui.hardware.model_config import model_from_config

Word = TypeVar("Word", bound=str)
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")
LARGEST = 1e300


@dataclass(frozen=True, slots=True)
class Record:
    """A TOML table that refuses politely: every missing or mistyped key names its file."""

    values: Mapping[str, object]
    where: str

    def text(self, key: str) -> str:
        """Return the string under `key`."""
        value = self.values.get(key)
        if not isinstance(value, str) or not value:
            raise InputError(f"key {key} is missing or no text", where=self.where, value=value)
        return value

    def number(self, key: str) -> float:
        """Return the number under `key`."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > LARGEST:
            raise InputError(f"key {key} is missing or no number", where=self.where, value=value)
        return float(value)

    def flag(self, key: str) -> bool:
        """Return the truth value under `key`, False where it is absent."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise InputError(f"key {key} is neither true nor false", where=self.where, value=value)
        return value

    def table(self, key: str) -> Record:
        """Return the table under `key`."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise InputError(f"table [{key}] is missing", where=self.where)
        return Record(value, f"{self.where} [{key}]")

    def tables(self, key: str) -> tuple[Record, ...]:
        """Return the tables of the list under `key`, at least one."""
        value = self.values.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
            raise InputError(f"tables [[{key}]] are missing", where=self.where)
        return tuple(Record(one, f"{self.where} [[{key}]] {place}") for place, one in enumerate(value, 1))

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of strings under `key`."""
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise InputError(f"key {key} is no list of texts", where=self.where, value=value)
        return tuple(value)

    def word(self, key: str, known: Sequence[Word], default: Word | None = None) -> Word:
        """Return the one of the `known` words that stands under `key`, the default where there is one and no key."""
        if default is not None and key not in self.values:
            return default
        said = self.text(key)
        for one in known:
            if said == one:
                return one
        raise InputError(f"unknown {key}", where=self.where, value=said, accepted=", ".join(known))

    def citation(self, field: str) -> Citation:
        """Return the `source` and `confidence` of this table as the citation of `field`."""
        return Citation(field=field, source=self.text("source"), confidence=self.word("confidence", CONFIDENCES))


def shipped(path: str) -> Record:
    """Return the file at `path`, from this package on, as a record."""
    return parse(resources.files("fleettui.hardware").joinpath(path).read_text("utf-8"), path)


def parse(text: str, where: str) -> Record:
    """Return TOML `text` as a record; raises InputError with the line where it is no TOML."""
    try:
        return Record(tomllib.loads(text), where)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"no valid TOML: {error}", where=where) from error
    except RecursionError:
        raise InputError("no valid TOML: it is nested too deep", where=where) from None


def model_from(record: Record) -> Model:
    """Return the model of a catalogue file: its [config] goes the same way as a config.json on disk."""
    config = record.table("config")
    return model_from_config(
        config.values, name=record.text("name"), where=config.where, citation=record.citation("config")
    )
