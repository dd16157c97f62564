"""Catalogue files read as values: one TOML file becomes one record, each field with its citation."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from fleettui.domain.hardware import Citation, Confidence, Model
from fleettui.errors import InputError
from fleettui.hardware.model_config import model_from_config

CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")
LARGEST = 1e300


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A serving engine: what a step costs beside its arithmetic (seconds), and the tokens a step may process."""

    name: str
    overhead: float
    token_budget: int
    citations: tuple[Citation, ...] = ()


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

    def citation(self, field: str) -> Citation:
        """Return the `source` and `confidence` of this table as the citation of `field`."""
        confidence = self.text("confidence")
        for known in CONFIDENCES:
            if confidence == known:
                return Citation(field=field, source=self.text("source"), confidence=known)
        raise InputError("unknown confidence", where=self.where, value=confidence, accepted=", ".join(CONFIDENCES))


def parse(text: str, where: str) -> Record:
    """Return TOML `text` as a record; raises InputError with the line where it is no TOML."""
    try:
        return Record(tomllib.loads(text), where)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"no valid TOML: {error}", where=where) from error


def model_from(record: Record) -> Model:
    """Return the model of a catalogue file: its [config] goes the same way as a config.json on disk."""
    config = record.table("config")
    return model_from_config(
        config.values, name=record.text("name"), where=config.where, citation=record.citation("config")
    )


def engine_from(record: Record) -> Engine:
    """Return the serving engine of a catalogue file."""
    tables: dict[Literal["overhead", "token_budget"], Record] = {
        "overhead": record.table("overhead"),
        "token_budget": record.table("token_budget"),
    }
    return Engine(
        name=record.text("name"),
        overhead=tables["overhead"].number("value"),
        token_budget=int(tables["token_budget"].number("value")),
        citations=tuple(table.citation(field) for field, table in tables.items()),
    )
